"""The keys of settings.yaml and runs.yaml."""

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
    about: str  #: One sentence: what it is, and where the paper has it.
    #: One parameter with a list of values, or a mapping from values to words: a setting for each.
    #: {parameter} is the value in the name, and the word in title and about.
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
    #: Bands of means: Student's t (default), percentiles of a bootstrap over trials, or normal
    #: quantiles.
    interval: NotRequired[Literal["t", "bootstrap", "normal"]]
    names: dict[str, str]  #: Display names of algorithms; config/style.yaml has their colours.
    #: Display names of options, by algorithm, then by `option=value`, or by `option` with `{value}`
    #: in the text.
    options: NotRequired[dict[str, dict[str, Words]]]
    #: By name of an environment: keys that all settings in it share, unless they say otherwise.
    defaults: NotRequired[dict[str, Shared]]
    #: The settings by name. Others are labels, name[option=value,...], and need no entry.
    settings: dict[SettingName, Setting]


class Grouped(Keys):
    #: The set of targets that asks for these cells. variants belong to the target PAPER_variants,
    #: which is not part of all; default paper.
    group: NotRequired[Group]


class Defaults(Grouped):
    trials: NotRequired[Turns]  #: Trials per cell: 0, 1, ..., trials - 1.


class Grid(Keys):
    settings: Entries  #: Labels, lists and sweeps of settings.
    #: Labels, lists and sweeps of algorithms. Name a cell in one block, or in one race, only.
    algorithms: Entries


class Block(Grouped, Grid):
    trials: Turns  #: Trials per cell: 0, 1, ..., trials - 1.


class Probe(Keys):
    #: Label of the algorithm that plays; if it has as many rounds in the same race, it plays once
    #: for both.
    leader: str
    every: Turns  #: Ask the slow algorithm once in so many rounds, but at least four times a trial.


class Part(Grid):
    turns: NotRequired[Turns]  #: Take part in this many first turns only.
    rounds: NotRequired[Horizon]  #: Play this many first rounds of a trial only.
    #: Time the algorithms on the history of a faster leader, in some rounds only.
    probe: NotRequired[Probe]


class Race(Grouped):
    #: Measured turns: in turn r every cell plays its trial r, in random order. A short one that is
    #: not measured comes first.
    turns: Turns
    #: Parts of the race: every setting with every algorithm.
    cells: Annotated[list[Part], MinLen(1)]


class Runs(Keys):
    #: Lists of labels by name; $name means all entries, here, in figures and in claims.
    lists: NotRequired[dict[Name, Entries]]
    defaults: NotRequired[Defaults]  #: Keys of every block of runs, unless it says otherwise.
    runs: list[Block]  #: Blocks of the regret lane: every setting with every algorithm.
    #: Races: cells that one job plays in turns, alone on the machine, and whose times may be
    #: compared.
    timings: list[Race]
    #: Tables of studies instead of trials, by name; each study defines the keys of its section.
    studies: NotRequired[dict[str, dict[str, Any]]]
    #: Settings by name of a part: the target PAPER_NAME makes all their results, and the figures
    #: of these settings only.
    parts: NotRequired[dict[Name, Entries]]
