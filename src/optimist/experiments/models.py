"""Keys of settings.yaml and runs.yaml."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen

from optimist.core.keys import Entries, Group, Keys, Name, matching

Horizon = Annotated[int, Ge(1), Le(100_000_000)]
Turns = Annotated[int, Ge(1), Le(1_000_000)]
Arguments = dict[str, str | float | bool | None]
Words = Annotated[str, matching("^([^{}]|{value})+$")]
SettingName = Annotated[str, matching("^([a-z][a-z0-9_.]*)?({[a-z_]+})?$")]


class Shared(Keys, total=False):
    parameters: dict[str, Any]
    problem: dict[str, Any]
    horizon: Horizon
    dataset: str


class Setting(Keys):
    title: str  #: A few words for titles of panels.
    about: str  #: One sentence that describes the setting and gives its place in the paper.
    #: One parameter with a list of values, or with a mapping from values to words, which makes a
    #: setting for each value. {parameter} becomes the value in the name, and the word in title and
    #: about.
    each: NotRequired[Annotated[dict[str, list[Any] | dict[str, Any]], MinLen(1), MaxLen(1)]]
    environment: str  #: Name in the registry of environments.
    parameters: NotRequired[Arguments]  #: Arguments of the environment.
    #: Arguments of the environment's method problem: delta, factor, ...
    problem: NotRequired[Arguments]
    horizon: NotRequired[Horizon]  #: Rounds per trial, T.
    dataset: NotRequired[str]  #: Name of a prepared data set.


class Settings(Keys):
    paper: str  #: Id of the paper, equal to the folder's name.
    title: str  #: Title of the paper.
    reference: str  #: Authors and year.
    method: NotRequired[str]  #: Name of the paper's own algorithm.
    band: Annotated[float, Gt(0), Lt(1)]  #: Confidence level of the bands in the figures.
    #: Method for the bands of means: Student's t (default), percentiles of a bootstrap over trials,
    #: or normal quantiles.
    interval: NotRequired[Literal["t", "bootstrap", "normal"]]
    names: dict[str, str]  #: Display names of algorithms; config/style.yaml has their colours.
    #: Display names of options, by algorithm and then by `option=value`, or by `option` with
    #: `{value}` in the text.
    options: NotRequired[dict[str, dict[str, Words]]]
    #: Keys by environment, which all its settings share unless they override them.
    defaults: NotRequired[dict[str, Shared]]
    #: Settings, by name. Their variants are labels, name[option=value,...], and need no entry.
    settings: dict[SettingName, Setting]


class Grouped(Keys):
    #: The set of targets that includes these cells; default paper. Cells of the group variants
    #: belong to the target PAPER_variants, which is not part of all.
    group: NotRequired[Group]


class Defaults(Grouped):
    trials: NotRequired[Turns]  #: Trials per cell: 0, 1, ..., trials - 1.


class Grid(Keys):
    settings: Entries  #: Labels, lists and sweeps of settings.
    #: Labels, lists and sweeps of algorithms. Name each cell in only one block, or only one race.
    algorithms: Entries


class Block(Grouped, Grid):
    trials: Turns  #: Trials per cell: 0, 1, ..., trials - 1.


class Probe(Keys):
    #: Label of the algorithm that plays. If it takes part in the same race with as many rounds, it
    #: plays once for both.
    leader: str
    every: Turns  #: Rounds between selections of the slow algorithm, at most a quarter of a trial.


class Part(Grid):
    turns: NotRequired[Turns]  #: Take part only in this many turns at the start.
    rounds: NotRequired[Horizon]  #: Play only this many rounds at the start of a trial.
    #: Time the algorithms on the history of a faster leader, and only in some rounds.
    probe: NotRequired[Probe]


class Race(Grouped):
    #: Number of measured turns: in turn r, every cell plays its trial r, in random order. A short
    #: unmeasured turn comes first.
    turns: Turns
    #: Parts of the race: every setting with every algorithm.
    cells: Annotated[list[Part], MinLen(1)]


class Runs(Keys):
    #: Lists of labels, by name; $name means all entries of a list, here and in figures and claims.
    lists: NotRequired[dict[Name, Entries]]
    defaults: NotRequired[Defaults]  #: Keys that every block of runs has unless it overrides them.
    runs: list[Block]  #: Blocks of the regret lane: every setting with every algorithm.
    #: Races: one job plays all cells of a race in turns, alone on the machine, so that their times
    #: may be compared.
    timings: list[Race]
    #: Studies, which make tables instead of trials, by name; each defines the keys of its section.
    studies: NotRequired[dict[str, dict[str, Any]]]
    #: Settings, by name of a part: the target PAPER_NAME makes all results of these settings, and
    #: the figures that show only these settings.
    parts: NotRequired[dict[Name, Entries]]
