"""What a metric reads and returns: `Cells` of the aggregated tables, and a `Measurement`."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from optimist.runs.loop import COMPLETE
from optimist.statistics import Estimate

if TYPE_CHECKING:
    import pandas as pd

# Tables whose entries have keys; the others are those of studies.
READ = ("finals", "regrets", "times", "facts")
LANE_OF = {"finals": "regret lane", "regrets": "regret lane", "times": "timing lane"}


class Missing(Exception):
    """Cells, facts or columns that a check needs and the tables lack."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__("; ".join(names))


@dataclass(frozen=True)
class Measurement:
    """A measured value; ``interval`` names what ``low`` and ``high`` are (empty: there are none).

    ``trials`` is the number of trials behind it, the smaller one if cells differ. ``estimate``
    allows a test against a bound.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    trials: int | None = None
    interval: str = ""
    estimate: Estimate | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The two numbers that decide: the interval, or (value, value) if there is none."""
        return (self.low, self.high) if self.interval else (self.value, self.value)


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
    level : float
        Confidence level of every interval.

    Attributes
    ----------
    notes : list of str
        Remarks on trials that were left out or did not converge.
    rounds : list of int
        Number of rounds of each cell read.
    """

    def __init__(self, groups: Mapping[str, Mapping[Any, Any]], level: float) -> None:
        self.groups = groups
        self.level = level
        self.notes: list[str] = []
        self.rounds: list[int] = []

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

    def complete(self, table: str, column: str, *pairs: tuple[str, str]) -> "list[pd.DataFrame]":
        """Return the rows of complete trials per (setting, algorithm), ``column`` present.

        Raises Missing naming every cell without such rows.
        """
        known = self.groups[table]
        frames = [self._complete(known.get(pair), column, pair) for pair in pairs]
        absent = [
            f"{setting}/{algorithm} ({LANE_OF[table]}{why})"
            for (setting, algorithm), (frame, why) in zip(pairs, frames, strict=True)
            if frame is None
        ]
        if absent:
            raise Missing(absent)
        self.rounds += [int(frame["round"].max()) for frame, _ in frames]
        return [frame for frame, _ in frames]

    def _complete(self, rows, column, pair):
        if rows is None:
            return None, ""
        status = rows.groupby("trial")["status"].last()
        broken = status[~status.isin(COMPLETE)]
        reasons = ", ".join(f"{n} {s}" for s, n in sorted(Counter(broken).items()))
        self._note(pair, status, len(broken), f"left out ({reasons})")
        self._note(pair, status, (status == "unconverged").sum(), "unconverged")
        rows = rows[rows["status"].isin(COMPLETE)]
        if rows.empty:
            return None, f", no complete trial: {reasons}"
        if column not in rows or rows[column].isna().all():
            return None, f", no column {column}"
        return rows, ""

    def _note(self, pair, status, count, words):
        if count:
            self.notes.append(f"{'/'.join(pair)}: {count} of {len(status)} trials {words}")

    def kind(self, method: str) -> str:
        """Name the intervals of a method: ``95% t``."""
        return f"{self.level:.0%} {method}"

    def sampled(self, estimate: Estimate, trials: int) -> Measurement:
        """Return the measurement of an `Estimate` with its t interval."""
        return Measurement(*estimate.interval(self.level), trials, self.kind("t"), estimate)


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
    """What measures: a function of `Cells` and keywords, with the ``template`` of its label."""

    template: str

    def __call__(self, cells: Cells, **arguments: Any) -> Measurement: ...


def worded(template: str) -> Callable[[Any], Any]:
    """Give a metric the ``template`` of its label, which names its arguments in braces."""

    def give(function: Any) -> Any:
        function.template = template
        return function

    return give
