"""The keys of settings.yaml and runs.yaml."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen

from optimist.keys import Entries, Group, Keys, Name, matching

Horizon = Annotated[int, Ge(1), Le(100_000_000)]
Turns = Annotated[int, Ge(1), Le(1_000_000)]
TimeLimit = Annotated[float, Gt(0), Le(10_000_000)]
Arguments = dict[str, str | float | bool | None]
Words = Annotated[str, matching("^([^{}]|{value})+$")]
SettingName = Annotated[str, matching("^([a-z][a-z0-9_.]*)?({[a-z_]+})?$")]


class Shared(Keys, total=False):
    """Keys that the settings of an environment may share."""

    parameters: dict[str, Any]
    problem: dict[str, Any]
    horizon: Horizon
    dataset: str


class Setting(Keys):
    """An entry of ``settings``."""

    title: str
    """A few words for titles of panels."""
    about: str
    """One sentence: what it is, and where the paper has it."""
    each: NotRequired[Annotated[dict[str, list[Any] | dict[str, Any]], MinLen(1), MaxLen(1)]]
    """One parameter with a list of values, or values with words: a setting for each. {parameter}
    stands for the value in the name, and for the word in title and about."""
    environment: str
    """Name in the registry of environments."""
    parameters: NotRequired[Arguments]
    """Arguments of the environment."""
    problem: NotRequired[Arguments]
    """What the environment tells the algorithms, as its method problem takes it: delta, factor,
    ..."""
    horizon: NotRequired[Horizon]
    """Rounds per trial, T."""
    dataset: NotRequired[str]
    """Name of a prepared data set."""


class Settings(Keys):
    """The file settings.yaml."""

    paper: str
    """Id of the paper, equal to the folder's name."""
    title: str
    """Title of the paper."""
    reference: str
    """Authors and year."""
    method: NotRequired[str]
    """Name of the paper's own algorithm."""
    band: Annotated[float, Gt(0), Lt(1)]
    """Confidence level of the bands in the figures."""
    interval: NotRequired[Literal["t", "bootstrap", "normal"]]
    """Bands of means: Student's t (default), percentiles of a bootstrap over trials, or normal
    quantiles."""
    names: dict[str, str]
    """Display names of algorithms; config/looks.yaml has their colours."""
    options: NotRequired[dict[str, dict[str, Words]]]
    """Display names of options, by algorithm, then by `option=value`, or by `option` with `{value}`
    in the text."""
    defaults: NotRequired[dict[str, Shared]]
    """By name of an environment: keys that all settings in it share, unless they say otherwise."""
    settings: dict[SettingName, Setting]
    """The settings by name. Others are labels, name[option=value,...], and need no entry."""


class Defaults(Keys, total=False):
    """Keys of every block."""

    group: Group
    """The set of targets that asks for these cells. variants belong to the target PAPER_variants,
    which is not part of all; default paper."""
    trials: Turns
    """Trials per cell: 0, 1, ..., trials - 1."""


class Block(Keys):
    """An entry of ``runs``."""

    group: NotRequired[Group]
    """The set of targets that asks for these cells. variants belong to the target PAPER_variants,
    which is not part of all; default paper."""
    settings: Entries
    """Labels, lists and sweeps of settings."""
    algorithms: Entries
    """Labels, lists and sweeps of algorithms. Name a cell in one block only."""
    trials: Turns
    """Trials per cell: 0, 1, ..., trials - 1."""
    time_limit: NotRequired[TimeLimit]
    """Seconds of select and update after which a trial ends as timeout. With `probe`, of the
    follower's scaled-up seconds."""


class Probe(Keys):
    """How a slow algorithm is timed."""

    leader: str
    """Label of the algorithm that plays; if it has as many rounds in the same race, it plays once
    for both."""
    every: Turns
    """Ask the slow algorithm once in so many rounds, but at least four times a trial."""


class Part(Keys):
    """A part of a race."""

    settings: Entries
    """Labels, lists and sweeps of settings."""
    algorithms: Entries
    """Labels, lists and sweeps of algorithms. Name a cell in one race only."""
    turns: NotRequired[Turns]
    """Take part in the first so many turns only."""
    rounds: NotRequired[Horizon]
    """Play the first so many rounds of a trial only."""
    time_limit: NotRequired[TimeLimit]
    """Seconds of select and update after which a trial ends as timeout. With `probe`, of the
    follower's scaled-up seconds."""
    probe: NotRequired[Probe]
    """Time the algorithms on the history of a faster leader, in some rounds only."""


class Race(Keys):
    """An entry of ``timings``."""

    group: NotRequired[Group]
    """The set of targets that asks for these cells. variants belong to the target PAPER_variants,
    which is not part of all; default paper."""
    turns: Turns
    """Measured turns: in turn r every cell plays its trial r, in random order. A short one that is
    not measured comes first."""
    cells: Annotated[list[Part], MinLen(1)]
    """Parts of the race: every setting with every algorithm."""


class Runs(Keys):
    """The file runs.yaml."""

    lists: NotRequired[dict[Name, Entries]]
    """Lists of labels by name; $name stands for all entries, here, in figures and in claims."""
    defaults: NotRequired[Defaults]
    """Keys of every block of runs, unless it says otherwise."""
    runs: list[Block]
    """Blocks of the regret lane: every setting with every algorithm."""
    timings: list[Race]
    """Races: cells that one job plays in turns, alone on the machine, and whose times may be
    compared."""
    studies: NotRequired[dict[str, dict[str, Any]]]
    """Tables that are not of trials, by name of a study; each says what its section may hold."""
    parts: NotRequired[dict[Name, Entries]]
    """Settings by name of a part: the target PAPER_NAME makes all their results, and the figures
    that show nothing else."""
