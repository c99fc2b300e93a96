"""What a metric reads and returns: `Cells` of the aggregated tables, and a `Measurement`."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from optimist.claims.inference import Evidence
from optimist.runs.loop import COMPLETE

if TYPE_CHECKING:
    import pandas as pd

# Tables whose entries have keys; the others are those of studies.
READ = ("finals", "regrets", "times", "facts")
LANE_OF = {"finals": "regret", "regrets": "regret", "times": "timing"}


class Missing(Exception):
    """Cells, facts or columns that a check needs and the tables lack."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__("; ".join(names))


@dataclass(frozen=True)
class Measurement:
    """What a metric measured: its evidence, and the cells that more trials of would sharpen it.

    A cell is (lane, setting, algorithm); there are none for facts and tables of studies.
    """

    evidence: Evidence
    cells: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Fact:
    """A row of the table of facts.

    ``trials`` is the number of trials that it comes from, None for a property of the setting or,
    as the note of a claim says, the worst over several watched trials.
    """

    value: float
    trials: int | None = None


class Cells:
    """What one check reads: looks up cells, notes absent ones, lengths and how trials ended.

    Parameters
    ----------
    groups : dict of dict
        For each table its entries by key, see `group`.
    keep : mapping or None
        Of some cells, by lane, setting and algorithm, the first trial that counts and the one
        before which to stop; all trials of others.

    Attributes
    ----------
    notes : list of str
        Remarks on trials that were left out or did not converge.
    rounds : list of int
        Number of rounds of each cell read.
    read : list of (str, str, str)
        Lane, setting and algorithm of each cell read.
    """

    def __init__(
        self,
        groups: Mapping[str, Mapping[Any, Any]],
        keep: Mapping[tuple[str, str, str], tuple[int, float]] | None = None,
    ) -> None:
        self.groups = groups
        self._keep = keep or {}
        self.notes: list[str] = []
        self.rounds: list[int] = []
        self.read: list[tuple[str, str, str]] = []

    def pick(self, table: str, *keys: tuple[str, ...]) -> list[Any]:
        """Return the entries of a table; raise Missing naming every absent one."""
        entries = self.groups[table]
        absent = [f"{' of '.join(key)} in {table}" for key in keys if key not in entries]
        if absent:
            raise Missing(absent)
        return [entries[key] for key in keys]

    def rows(self, study: str, **where: str) -> "pd.DataFrame":
        """Return the rows of a study's table with these values; raise Missing if there are none."""
        table = self.groups["studies"].get(study)
        if table is not None:
            for column, value in where.items():
                table = table[table[column] == value]
        if table is None or table.empty:
            raise Missing([f"{' of '.join(where.values())} in {study}"])
        return table

    def complete(
        self, table: str, column: str, *pairs: tuple[str, str], also: int = 0
    ) -> "list[pd.DataFrame]":
        """Return the rows of complete trials per (setting, algorithm), ``column`` present.

        Trials before ``also`` are among them whatever counts. Raises Missing naming every cell
        without such rows.
        """
        known = self.groups[table]
        frames = [
            self._complete(self._kept(known.get(pair), (LANE_OF[table], *pair), also), column, pair)
            for pair in pairs
        ]
        absent = [
            f"{setting}/{algorithm} ({LANE_OF[table]} lane{why})"
            for (setting, algorithm), (frame, why) in zip(pairs, frames, strict=True)
            if frame is None
        ]
        if absent:
            raise Missing(absent)
        self.rounds += [int(frame["round"].max()) for frame, _ in frames]
        self.read += [(LANE_OF[table], *pair) for pair in pairs]
        return [frame for frame, _ in frames]

    def _kept(self, rows, cell, also):
        """Return the rows of the trials that count, None if there are none."""
        if rows is None or cell not in self._keep:
            return rows
        first, stop = self._keep[cell]
        counts = (rows["trial"] >= first) & (rows["trial"] < stop)
        kept = rows[counts | (rows["trial"] < also)]
        return None if kept.empty else kept

    def _complete(self, rows, column, pair):
        if rows is None:
            return None, ""
        if not rows["status"].eq("ok").all():
            rows, reasons = self._ended(rows, pair)
            if rows.empty:
                return None, f", no complete trial: {reasons}"
        if column not in rows or rows[column].isna().all():
            return None, f", no column {column}"
        return rows, ""

    def _ended(self, rows, pair):
        """Return the rows of complete trials, and how others ended."""
        status = rows.groupby("trial")["status"].last()
        broken = status[~status.isin(COMPLETE)]
        reasons = ", ".join(f"{n} {s}" for s, n in sorted(Counter(broken).items()))
        self._note(pair, status, len(broken), f"left out ({reasons})")
        self._note(pair, status, (status == "unconverged").sum(), "unconverged")
        return rows[rows["status"].isin(COMPLETE)], reasons

    def _note(self, pair, status, count, words):
        if count:
            self.notes.append(f"{'/'.join(pair)}: {count} of {len(status)} trials {words}")

    def measured(self, evidence: Evidence) -> Measurement:
        """Return the measurement that this evidence is of the cells read so far."""
        return Measurement(evidence, tuple(dict.fromkeys(self.read)))


def group(tables: "Mapping[str, pd.DataFrame | None]") -> dict[str, dict[Any, Any]]:
    """Return the entries of the tables by key, as `Cells` wants them; absent tables are empty."""
    facts = _group(tables, "facts", ["name", "setting"])
    return {
        "finals": _group(tables, "finals", ["setting", "algorithm"]),
        "regrets": _group(tables, "regrets", ["setting", "algorithm"]),
        "times": _group(tables, "times", ["setting", "algorithm"]),
        "facts": {key: _fact(rows) for key, rows in facts.items()},
        "studies": {name: table for name, table in tables.items() if name not in READ},
    }


def _group(
    tables: "Mapping[str, pd.DataFrame | None]", name: str, keys: Sequence[str]
) -> "dict[Any, pd.DataFrame]":
    frame = tables.get(name)
    return {} if frame is None or frame.empty else dict(iter(frame.groupby(keys, sort=False)))


def _fact(rows: "pd.DataFrame") -> Fact:
    row = rows.iloc[0]
    trials = row.get("trials", math.nan)
    return Fact(float(row["value"]), None if math.isnan(trials) else int(trials))


class Metric(Protocol):
    """What measures: a function of `Cells` and keywords.

    Attributes
    ----------
    template : str
        Words of its label, with its arguments in braces.
    units : str
        What counts in it, "trials" or "turns".
    least : callable
        The fewest units with which it can decide anything, given the error allowed on each side.
    """

    template: str
    units: str
    least: Callable[[float], int]

    def __call__(self, cells: Cells, **arguments: Any) -> Measurement: ...


def worded(
    template: str, least: int | Callable[[float], int] = 1, units: str = "trials"
) -> Callable[[Any], Any]:
    """Give a metric the attributes that `Metric` lists; ``least`` may be the same at any error."""

    def give(function: Any) -> Any:
        function.least = least if callable(least) else lambda _: least
        function.template, function.units = template, units
        return function

    return give
