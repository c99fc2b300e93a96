"""Base class of studies, and functions that play trials with an observer."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from optimist.core.errors import ConfigError
from optimist.core.keys import Count, Keys, Texts
from optimist.environments.observer import Observer
from optimist.experiments.cell import Cell
from optimist.experiments.cell_trials import kept_rounds
from optimist.experiments.paper import Paper
from optimist.experiments.play_trial import watch
from optimist.figures.rows import Tables, notes
from optimist.figures.studies.tables import FACTS
from optimist.figures.tables.base import Table
from optimist.numerics.seeding import stream

if TYPE_CHECKING:
    import pandas as pd

# First columns of every table of watched trials; the observer's columns follow.
TRIAL_COLUMNS = ("setting", "algorithm", "trial", "round", "status")


Cells = Sequence[Cell]
Observe = Callable[[Any, Any], Observer]
T = TypeVar("T")


class CellKeys(Keys):
    """Keys of a section that requests trials of every algorithm in every setting."""

    settings: Texts  #: Labels of settings.
    algorithms: Texts  #: Labels of algorithms.
    trials: Count  #: Trials per cell.


class Study:
    """Base class of studies, which compute tables for figures and claims in addition to the runs.

    Parameters
    ----------
    section : mapping
        The study's section in a paper's configuration.
    caps : mapping
        Upper limits on ``trials`` and ``rounds``; None for no limit.
    data_dir : path or None
        Folder of the prepared data sets.

    Attributes
    ----------
    name : str
        Name of the study, its section in the configuration, and its kinds of panels and tables.
    Section : type
        Subclass of `Keys` that defines the keys of the section.
    tables : dict of str to str
        File format (csv or parquet) of each table, keyed by its name.
    facts : tuple of str
        Names of the tables of facts, whose columns are name, setting and value.
    timed : bool
        Whether the study reserves cores, as the timing lane does.
    always : bool
        Whether every paper has the study, with or without a section.
    """

    name: ClassVar[str]
    Section: ClassVar[type]
    tables: ClassVar[dict[str, str]]
    facts: ClassVar[tuple[str, ...]] = ()
    timed: ClassVar[bool] = False
    always: ClassVar[bool] = False

    def __init__(
        self,
        section: Mapping[str, Any],
        caps: Mapping[str, int | None] = MappingProxyType({}),
        data_dir: str | Path | None = None,
    ) -> None:
        self.section, self.data_dir = section, data_dir
        self.caps = {"trials": None, "rounds": None, **caps}

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the section does not fit the paper's configuration."""
        self.cells(paper, ())

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every combination of a setting and an algorithm from the section."""
        settings, algorithms = (
            [self.section[one]] if one in self.section else self.section.get(f"{one}s", ())
            for one in ("setting", "algorithm")
        )
        return list(product(settings, algorithms))

    def about(self) -> set[str]:
        """Return the subjects of facts other than the settings and algorithms of the cells."""
        return {"/".join(pair) for pair in self.pairs}

    def cells(self, paper: Paper, run: Cells) -> list[Cell]:
        """Return the cells of the study; by default, one for each of `pairs`.

        Parameters
        ----------
        paper : Paper
        run : sequence of Cell
            The cells that the paper runs.
        """
        return [paper.cell(*pair) for pair in self.pairs]

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the tables of the study by name.

        Parameters
        ----------
        cells : sequence of Cell
            The result of `cells`.
        """
        raise NotImplementedError

    @property
    def trials(self) -> range:
        """Trials requested by the section, up to the limit in ``caps``."""
        count = self.section["trials"]
        return range(min(count, self.caps["trials"] or count))

    def watch(self, cells: Cells, observe: Observe, columns: Sequence[str]) -> "pd.DataFrame":
        """Play the section's trials with an observer; see `watch_trials`."""
        rounds, data_dir = self.caps["rounds"], self.data_dir
        return watch_trials(cells, self.trials, observe, columns, rounds=rounds, data_dir=data_dir)


def section_of(study: str, paper: Paper) -> Mapping[str, Any]:
    """Return the section of a study in a paper; raise ConfigError if the paper has none."""
    section = paper.studies.get(study)
    if section is None:
        raise ConfigError(f"the paper has no study {study!r}; add the study or remove its panel")
    return section


def fact_table(rows: Sequence[tuple[str, str, float]], trials: int | None = None) -> "pd.DataFrame":
    """Return a table of facts from triples of name, setting and value.

    ``trials`` is the number of trials over which the facts are averaged, or None for properties of
    settings and for extremes over trials.
    """
    import pandas as pd

    table = pd.DataFrame(rows, columns=FACTS)
    return table if trials is None else table.assign(trials=trials)


def watch_trials(
    cells: Cells,
    trials: Sequence[int],
    observe: Observe,
    columns: Sequence[str],
    *,
    rounds: int | None = None,
    data_dir: str | Path | None = None,
) -> "pd.DataFrame":
    """Play trials with an observer, and return its records at about 300 rounds of each trial.

    Parameters
    ----------
    cells : sequence of Cell
    trials : sequence of int
    observe : callable
        Function that returns an observer for a trial's environment and algorithm.
    columns : sequence of str
        Columns recorded by the observer.
    rounds : int or None
        Number of rounds after which to stop a trial; None to play it to the end.

    Returns
    -------
    DataFrame
        The columns are `TRIAL_COLUMNS` and ``columns``; ``status`` says how the trial ended (see
        `optimist.experiments.loop`). A trial that ended before its first recorded round has a
        single row, for round 0, without values.
    """
    import pandas as pd

    frames, nothing = [], {"round": [0], **{name: [math.nan] for name in columns}}
    for cell, trial in product(cells, trials):
        trajectory = watch(cell, trial, observe, rounds=rounds, data_dir=data_dir)
        values = trajectory.columns or nothing
        frame = pd.DataFrame({name: values[name] for name in ("round", *columns)})
        setting, algorithm = map(str, cell.labels)
        about = {"setting": setting, "algorithm": algorithm, "trial": trial}
        frames.append(frame.assign(**about, status=trajectory.status))
    return pd.concat(frames, ignore_index=True)[[*TRIAL_COLUMNS, *columns]]


def in_turns(study: str, items: Sequence[T], turns: int) -> Iterator[tuple[int, T]]:
    """Yield (turn, item) pairs; each turn goes through all items in random order.

    In this way, a slow period of the machine affects all items equally. The first turn, -1, is a
    warm-up and does not count.
    """
    order = stream(study, "order")
    for turn in range(-1, turns):
        for i in order.permutation(len(items)):
            yield turn, items[i]


def thinned(watched: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of watched trials at the rounds selected by `kept_rounds`."""
    trials = watched.groupby(["setting", "algorithm", "trial"], sort=False)["round"]
    is_kept = trials.transform(lambda rounds: rounds.isin(kept_rounds(rounds.to_numpy())))
    return watched[is_kept.astype(bool)].reset_index(drop=True)


def recorded(watched: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of watched trials that contain values."""
    return watched[watched["round"] > 0]


def watched_notes(
    watched: "pd.DataFrame", series: str, setting: str = ""
) -> "Iterator[pd.DataFrame]":
    """Yield notes on watched trials that are missing, ended early or did not converge."""
    last = watched.drop_duplicates("trial", keep="last")
    return notes(setting, series, last)


class StudyFacts(Table):
    """Table of all facts whose names start with a study's name, with one row per subject.

    Attributes
    ----------
    prefix : str
        The name of the study.
    """

    prefix: ClassVar[str]

    def tabulate(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield a row for each subject, with its facts as columns."""
        facts = tables.frame("facts")
        facts = facts[facts["name"].astype(str).str.startswith(f"{self.prefix}_")]
        for setting, group in facts.groupby("setting", sort=False):
            names = group["name"].str.removeprefix(f"{self.prefix}_")
            yield {"setting": setting, **dict(zip(names, group["value"], strict=True))}
