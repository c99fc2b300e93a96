"""Lookup of rows and values in the aggregated tables, and values of single trials.

Trials with the same number form a unit. They share random numbers if they play in the same setting
or in settings with the same name. In settings with different names they are independent, but they
are still paired, because a test for two samples of unequal size errs too often under heavy tails.
In simulations with log-normal noise of sigma 1.5 and samples of 30 and 100 trials, such a test errs
on a given side in 6.1 % of cases instead of 2.5 %, whereas the test on pairs errs in 1.5 %.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from optimist.experiments.loop import COMPLETE

if TYPE_CHECKING:
    import pandas as pd

# Columns that number the units of a study; its table has at most one of them.
STUDIED = ("trial", "repetition")
LANE_OF = {"finals": "regret", "regrets": "regret", "times": "timing"}
# The name of uniform play among the algorithms.
UNIFORM = "uniform"


class Missing(Exception):
    """Raised when the tables lack cells, facts or columns that a check needs."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__("; ".join(names))


class Fact(NamedTuple):
    """A value from the table of facts, and the number of trials that gave it, if any did."""

    value: float
    n: int | None = None


class Cells:
    """The tables read by one check, with notes on the trials read so far.

    Parameters
    ----------
    groups : Groups
        The tables, grouped by key.
    keep : (int, int) or None
        The range of trials, turns or repetitions that count, with an exclusive end; if None, all
        count.
    spare : int
        Number of units beyond the range.

    Attributes
    ----------
    notes : list of str
        Remarks on trials that were left out or did not converge.
    rounds : list of int
        Number of rounds in each cell that was read.
    studied : list of int
        Number of trials or repetitions, counted or not, in each study that was read.
    """

    def __init__(
        self, groups: "Groups", keep: tuple[int, int] | None = None, spare: int = 0
    ) -> None:
        self.groups, self.spare = groups, spare
        self._keep = keep
        self.notes: list[str] = []
        self.rounds: list[int] = []
        self.studied: list[int] = []

    def pick(self, table: str, *keys: tuple[str, ...]) -> list[Any]:
        """Return a table's entries for the given keys.

        If any keys are absent, raise Missing, naming all of them.
        """
        entries = self.groups[table]
        absent = [f"{' of '.join(key)} in {table}" for key in keys if key not in entries]
        if absent:
            raise Missing(absent)
        return [entries[key] for key in keys]

    def rows(self, study: str, **where: str) -> "pd.DataFrame":
        """Return the counted rows of a study's table whose columns have the values in ``where``.

        Raise Missing if there are no such rows.
        """
        table = self.groups["studies"].get(study)
        if table is not None:
            for column, value in where.items():
                table = table[table[column] == value]
            unit = next((name for name in STUDIED if name in table), None)
            if unit and not table.empty:
                self.studied.append(int(table[unit].max()) + 1)
                table = _kept(table, self._keep, unit=unit)
        if table is None or table.empty:
            raise Missing([f"{' of '.join(where.values())} in {study}"])
        return table

    def complete(
        self, table: str, column: str, *pairs: tuple[str, str], also: int = 0
    ) -> "list[pd.DataFrame]":
        """Return the rows of the complete trials of each pair (setting, algorithm).

        Trials with numbers below ``also`` are included even if they lie outside the counted range.
        If any cells have no complete trials or no values of ``column``, raise Missing, naming all
        of them.
        """
        lane, frames, absent = LANE_OF[table], [], []
        for pair in pairs:
            rows, why, notes = self.groups.complete(table, pair, self._keep, also)
            self.notes += notes
            if rows is not None and (column not in rows or rows[column].isna().all()):
                rows, why = None, f", no column {column}"
            if rows is None:
                absent.append(f"{'/'.join(pair)} ({lane} lane{why})")
                continue
            self.rounds.append(int(rows["round"].max()))
            frames.append(rows)
        if absent:
            raise Missing(absent)
        return frames

    def check_rounds(
        self, settings: Iterable[str], algorithms: Iterable[str], rounds: Iterable[int]
    ) -> None:
        """Raise ResultError if the table of regrets lacks a round named by a check."""
        regrets = self.groups.get("regrets")
        from optimist.experiments.trial_table import Frames  # late, because pyarrow is slow to load

        if isinstance(regrets, Frames):
            for setting, algorithm, t in product(settings, algorithms, rounds):
                regrets.check_round(self.groups.place("regrets", (setting, algorithm)), t)


class Groups(dict[str, Mapping[Any, Any]]):
    """A mapping from table names to the tables' rows or values, grouped by key.

    An absent table has no entries. A table of cells may be a single frame, or a dict from (setting,
    algorithm) to frames. Complete trials and their numbers are cached, because many checks read the
    same cells.

    Parameters
    ----------
    tables : mapping
    uniform_names : mapping
        For each setting, a name that settings with the same uniform play share. All of them read
        the uniform play with the most trials.
    """

    def __init__(
        self, tables: Mapping[str, object], uniform_names: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.uniform_names = uniform_names
        self._uniform = cache(self._most_uniform)
        keys = {name: ["setting", "algorithm"] for name in LANE_OF} | {"facts": ["name", "setting"]}
        super().__init__({name: _group(tables.get(name), keys[name]) for name in keys})
        self["facts"] = {key: _fact(rows) for key, rows in self["facts"].items()}
        self["studies"] = {name: tables[name] for name in tables if name not in keys}
        self.complete = cache(self._complete)
        self.number = cache(self._number)

    def _number(self, lane: str, setting: str, algorithm: str) -> int:
        """Return a cell's number of trials: its largest trial number plus 1."""
        table = {"regret": "finals", "timing": "times"}[lane]
        rows = self[table].get(self.place(table, (setting, algorithm)))
        return 0 if rows is None or rows.empty else int(rows["trial"].to_numpy().max()) + 1

    def place(self, table: str, pair: tuple[str, str]) -> tuple[str, str]:
        """Return the setting and algorithm whose rows a pair reads; see ``uniform_names``."""
        if (
            pair[1] != UNIFORM
            or LANE_OF.get(table) != "regret"
            or pair[0] not in self.uniform_names
        ):
            return pair
        return self._uniform(self.uniform_names[pair[0]]) or pair

    def _most_uniform(self, name: str) -> tuple[str, str] | None:
        finals = self["finals"]
        cells = [(s, UNIFORM) for s, one in self.uniform_names.items() if one == name]
        there = [pair for pair in cells if pair in finals]
        return max(there, key=lambda pair: (len(finals[pair]), pair), default=None)

    def _complete(
        self, table: str, pair: tuple[str, str], keep: tuple[int, int] | None, also: int
    ) -> tuple[Any, str, list[str]]:
        """Return a cell's complete trials, the reason if there are none, and notes on the trials.

        The trials are a frame, or None if there are none.
        """
        rows, reasons, notes = _kept(self[table].get(self.place(table, pair)), keep, also), "", []
        if rows is None or rows.empty:
            return None, "", []
        if not (rows["status"] == "ok").all():
            status = rows.groupby("trial")["status"].last()
            broken = status[~status.isin(COMPLETE)]
            reasons = ", ".join(f"{n} {s}" for s, n in sorted(Counter(broken).items()))
            counts = {f"left out ({reasons})": len(broken)}
            counts["unconverged"] = int((status == "unconverged").sum())
            of = f"of {len(status)} trials"
            notes = [f"{'/'.join(pair)}: {n} {of} {words}" for words, n in counts.items() if n]
            rows = rows[rows["status"].isin(COMPLETE)]
        return (None, f", no complete trial: {reasons}", notes) if rows.empty else (rows, "", notes)


def _kept(rows: Any, keep: tuple[int, int] | None, also: int = 0, unit: str = "trial") -> Any:
    """Return the rows of the counted trials, or None if there are none."""
    if rows is None or keep is None:
        return rows
    trial = rows[unit].to_numpy()
    counts = (trial >= keep[0]) & (trial < keep[1]) | (trial < also)
    return rows if counts.all() else rows[counts] if counts.any() else None


def _group(table: Any, keys: Sequence[str]) -> Mapping[Any, Any]:
    if table is None or isinstance(table, Mapping):
        return table or {}
    return {} if table.empty else dict(iter(table.groupby(keys, sort=False)))


def _fact(rows: "pd.DataFrame") -> Fact:
    row = rows.iloc[0]
    trials = row.get("trials", math.nan)
    return Fact(float(row["value"]), None if math.isnan(trials) else int(trials))


# Values of single trials.


def by_split(values: "pd.Series", splits: int) -> "pd.Series":
    """Return the mean over the trials of each split; trial i plays split i modulo ``splits``."""
    values = values.dropna()
    return values.groupby(values.index % splits).mean()


def last(rows: "pd.DataFrame", column: str) -> "pd.Series":
    """Return the values of a column at the last recorded round of each trial."""
    trial = rows["trial"].to_numpy()
    if (trial[1:] > trial[:-1]).all() or len(trial) == len(np.unique(trial)):
        import pandas as pd

        return pd.Series(rows[column].to_numpy(), trial)
    return rows.sort_values("round").groupby("trial")[column].last()


def recorded(rows: "pd.DataFrame", rounds: float) -> int:
    """Return the last recorded round up to ``rounds``, or 0 if there is none."""
    early = rows["round"][rows["round"] <= rounds]
    return int(early.max()) if len(early) else 0


def common(series: "Sequence[pd.Series]") -> np.ndarray:
    """Return the values of the trials common to all series.

    The result is an array of shape (series, trials).

    Raises
    ------
    Missing
        If no trial occurs in all series.
    """
    import pandas as pd

    if all(one.index.equals(series[0].index) for one in series[1:]):
        values = np.array([one.to_numpy(float) for one in series])
        values = values[:, ~np.isnan(values).any(axis=0)]
    else:
        joined = pd.concat(series, axis=1, join="inner").sort_index().dropna()
        values = joined.to_numpy(float).T
    if not values.size:
        raise Missing(["trial that all cells completed"])
    return values
