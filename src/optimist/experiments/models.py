"""Keys of settings.yaml and runs.yaml."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Gt, Le, Lt, MinLen

from optimist.core.keys import Entries, Group, Keys, Name, matching

Horizon = Annotated[int, Ge(1), Le(100_000_000)]
Turns = Annotated[int, Ge(1), Le(1_000_000)]
Arguments = dict[str, str | float | bool | None]
Words = Annotated[str, matching("^([^{}]|{value})+$")]
SettingName = Annotated[str, matching("^([a-z]|{[a-z_]+})([a-z0-9_.]|{[a-z_]+})*$")]


class Shared(Keys, total=False):
    parameters: dict[str, Any]
    problem: dict[str, Any]
    horizon: Horizon
    dataset: str


class Setting(Keys):
    title: str  #: Short title for panels.
    about: str  #: One sentence that describes the setting and says where it is in the paper.
    #: Parameters with several values, each given as a list or as a mapping from values to words.
    #: Each combination of values defines a setting. A value replaces {parameter} in the setting's
    #: name; its word replaces it in title and about.
    each: NotRequired[dict[str, list[Any] | dict[str, Any]]]
    environment: str  #: Name in the registry of environments.
    parameters: NotRequired[Arguments]  #: Arguments of the environment.
    #: Arguments of the environment's `problem` method, such as delta and factor.
    problem: NotRequired[Arguments]
    horizon: NotRequired[Horizon]  #: Number of rounds per trial, T.
    dataset: NotRequired[str]  #: Name of a prepared data set.


class Settings(Keys):
    paper: str  #: ID of the paper and name of its folder.
    title: str  #: Title of the paper.
    reference: str  #: Authors and year.
    method: NotRequired[str]  #: Name of the paper's own algorithm.
    band: Annotated[float, Gt(0), Lt(1)]  #: Confidence level of the bands in the figures.
    #: Method for the bands of means: Student's t (default), percentiles of a bootstrap over trials,
    #: or normal quantiles.
    interval: NotRequired[Literal["t", "bootstrap", "normal"]]
    names: dict[str, str]  #: Display names of algorithms; config/style.yaml has their colours.
    #: Display names of options, first by algorithm, then by `option=value` or by `option`. A name
    #: for `option` contains `{value}`, which is replaced by the option's value.
    options: NotRequired[dict[str, dict[str, Words]]]
    #: For each environment, the keys that all its settings share unless they override them.
    defaults: NotRequired[dict[str, Shared]]
    #: Settings, by name. Variants are given by labels, name[option=value,...], and need no entry.
    settings: dict[SettingName, Setting]


class Grouped(Keys):
    #: Group of targets that includes these cells; the default is `paper`. Cells in the group
    #: `variants` belong to the target `PAPER_variants`, which is not part of the target `all`.
    group: NotRequired[Group]


class Defaults(Grouped):
    trials: NotRequired[Turns]  #: Number of trials per cell, numbered 0, 1, ..., trials - 1.


class Grid(Keys):
    settings: Entries  #: Labels, lists and sweeps of settings.
    #: Labels, lists and sweeps of algorithms. Name each cell in only one block or race.
    algorithms: Entries


class Block(Grouped, Grid):
    trials: Turns  #: Number of trials per cell, numbered 0, 1, ..., trials - 1.


class Probe(Keys):
    #: Label of the algorithm whose choices are played. If this algorithm is also timed in the same
    #: race, with the same number of rounds, it plays only once.
    leader: str
    every: Turns  #: Number of rounds between selections, capped at a quarter of a trial.


class Part(Grid):
    #: Number of turns in which these cells play, starting with the first; by default, all turns.
    turns: NotRequired[Turns]
    rounds: NotRequired[Horizon]  #: Number of rounds after which to truncate a trial.
    #: Options for replaying a faster leader's history and timing selections only in some rounds.
    probe: NotRequired[Probe]


class Race(Grouped):
    #: Number of measured turns. In turn r, the cells play their trial r, in random order. A short
    #: unmeasured turn comes first.
    turns: Turns
    #: Parts of the race; each part combines every setting with every algorithm.
    cells: Annotated[list[Part], MinLen(1)]


class Runs(Keys):
    #: Lists of labels, by name. Here and in figures and claims, $name is replaced by the list's
    #: entries.
    lists: NotRequired[dict[Name, Entries]]
    defaults: NotRequired[Defaults]  #: Default keys of all blocks of runs.
    #: Blocks of the regret lane; each block combines every setting with every algorithm.
    runs: list[Block]
    #: Races. One job, alone on the machine, plays all cells of a race in turns, so that their times
    #: can be compared.
    timings: list[Race]
    #: Studies, by name. They make tables instead of trials, and each defines its own keys.
    studies: NotRequired[dict[str, dict[str, Any]]]
    #: Named parts of the paper, each a list of settings. The target PAPER_NAME makes all results of
    #: these settings, and all figures that show only these settings.
    parts: NotRequired[dict[Name, Entries]]
