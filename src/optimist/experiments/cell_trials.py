"""Trials of one cell in one lane, read from result files and thinned for the table of trials."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.core.errors import ResultError
from optimist.core.files import fingerprint
from optimist.core.layout import parse_result
from optimist.experiments import results
from optimist.experiments.loop import COMPLETE
from optimist.experiments.trials import CellKey

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Columns kept at several rounds of a trial, by lane.
AT = {"regret": ("regret",), "timing": ("seconds", "state_bytes", "selections", "agreements")}
# Columns of result files that are not values at the end of a trial.
ABOUT = ("paper", "setting", "algorithm", "trial", "round", "status", "instance")
# The table keeps all rounds of a curve with at most FEW rounds; otherwise, EVEN evenly spaced and
# GEOMETRIC geometrically spaced ones.
EVEN, GEOMETRIC, FEW = 40, 20, 80


@dataclass(frozen=True)
class CellTrials:
    """Trials of a cell in one lane, in increasing order.

    Attributes
    ----------
    lane, group, setting, algorithm : str
    trial : (n,) int array
    status : list of n str
    instance : list of n str or None
        Name of the instance, for functions with an unknown maximum.
    ends : dict of str to (n,) float array
        Values at the end of each trial, by column; nan if missing.
    rounds : list of n int arrays
        Kept rounds of each trial.
    at : dict of str to list of n float arrays
        Values at the kept rounds, by column of `AT`.
    is_thinned : bool
        Whether some recorded rounds were omitted.
    """

    lane: str
    group: str
    setting: str
    algorithm: str
    trial: np.ndarray
    status: list[str]
    instance: list[str | None]
    ends: dict[str, np.ndarray]
    rounds: list[np.ndarray]
    at: dict[str, list[np.ndarray]]
    is_thinned: bool = False

    @property
    def key(self) -> CellKey:
        """Lane, setting and algorithm."""
        return self.lane, self.setting, self.algorithm

    def __len__(self) -> int:
        return len(self.trial)

    @property
    def _counts(self) -> np.ndarray:
        return np.array([len(rounds) for rounds in self.rounds], int)

    def take(self, places: np.ndarray) -> "CellTrials":
        """Return the trials at the given indices."""
        return replace(
            self,
            trial=self.trial[places],
            status=[self.status[i] for i in places],
            instance=[self.instance[i] for i in places],
            ends={name: values[places] for name, values in self.ends.items()},
            rounds=[self.rounds[i] for i in places],
            at={name: [values[i] for i in places] for name, values in self.at.items()},
        )

    def at_rounds(self, kept: list[np.ndarray]) -> "CellTrials":
        """Return the trials with only the rounds in ``kept``, which has one array per trial."""
        places = [np.isin(rounds, some) for rounds, some in zip(self.rounds, kept, strict=True)]
        at = {
            name: [one[where] for one, where in zip(values, places, strict=True)]
            for name, values in self.at.items()
        }
        rounds = [one[where] for one, where in zip(self.rounds, places, strict=True)]
        is_thinned = self.is_thinned or not all(all(where) for where in places)
        return replace(self, rounds=rounds, at=at, is_thinned=is_thinned)

    def stored(self, declared: Collection[int] = ()) -> "CellTrials":
        """Return the trials as the table stores them, at the kept rounds.

        Regret and seconds at these rounds are rounded to 32 bits; counters keep all digits. The
        timing lane keeps all recorded rounds, since times are interpolated between neighbouring
        rounds. In the regret lane, a cell with few rounds keeps all digits, since rounding errors
        could exceed the differences between early rounds.
        """
        kept = self
        if self.lane == "regret":
            if (self._counts <= FEW).all():
                return self
            kept = self.at_rounds([kept_rounds(rounds, declared) for rounds in self.rounds])
        return replace(kept, at=_short(kept.at, AT[self.lane][0]))

    @cached_property
    def content(self) -> str:
        """Digest of the stored trials, without empty columns."""
        sink = hashlib.sha256(json.dumps([*self.key, self.status, self.instance]).encode())
        arrays = {"trial": self.trial, "counts": self._counts, "rounds": joined(self.rounds, int)}
        arrays |= {f"{name}_at": joined(v) for name, v in self.at.items() if any(map(len, v))}
        arrays |= {name: v for name, v in self.ends.items() if not np.isnan(v).all()}
        for name, values in sorted(arrays.items()):
            sink.update(name.encode())
            # Use a single representation of nan, and no negative zero.
            sink.update((np.where(np.isnan(values), np.nan, values) + 0.0).astype("<f8").tobytes())
        return sink.hexdigest()[:16]

    def counted_from(self, least: Mapping[str, float]) -> "CellTrials":
        """Return the trials with regret relative to the best known value on their instance.

        A trial that ended before its first round has neither an instance nor a regret.

        Parameters
        ----------
        least : mapping of str to float
            Smallest regret of any round on each instance.
        """
        shift = np.array([least[name] if name else 0.0 for name in self.instance])
        lasts = np.array([rounds[-1] if len(rounds) else 0 for rounds in self.rounds])
        halves = np.array(
            [max(rounds[rounds <= 0.5 * rounds[-1:]], default=0) for rounds in self.rounds]
        )
        moved = {"regret": shift * lasts, "regret_half": shift * halves, "simple_regret": shift}
        ends = {name: v - moved[name] if name in moved else v for name, v in self.ends.items()}
        regret = [v - s * t for v, s, t in zip(self.at["regret"], shift, self.rounds, strict=True)]
        return replace(self, ends=ends, at={"regret": regret})

    @cached_property
    def finals(self) -> "pd.DataFrame":
        """DataFrame with one row per trial: its last round, status and values at its end."""
        import pandas as pd

        lasts = [int(rounds[-1]) if len(rounds) else 0 for rounds in self.rounds]
        about = {"setting": self.setting, "algorithm": self.algorithm, "trial": self.trial}
        about |= {"round": lasts, "status": self.status}
        return pd.DataFrame({**about, **self.ends})

    @cached_property
    def by_round(self) -> "pd.DataFrame":
        """DataFrame with one row per trial and kept round.

        In the timing lane, values known only at the end of a trial are missing at other rounds.
        """
        import pandas as pd

        columns: dict[str, object] = {"setting": self.setting, "algorithm": self.algorithm}
        columns["trial"] = np.repeat(self.trial, self._counts)
        columns["round"] = joined(self.rounds, int)
        columns["status"] = np.repeat(np.array(self.status, object), self._counts)
        names = self.at if self.lane == "regret" else {**self.at, **self.ends}
        return pd.DataFrame({**columns, **{name: self._flat(name) for name in names}})

    def _flat(self, name: str) -> np.ndarray:
        """Return the values of a column at all kept rounds, trial by trial.

        The value at the end of each trial is not rounded.
        """
        counts = self._counts
        values = joined(self.at[name]) if name in self.at else np.full(counts.sum(), np.nan)
        ends = self.ends.get(name, np.full(len(self), np.nan))
        if name == "turns":  # this value identifies the race and is the same at every round
            return np.repeat(ends, counts)
        has_end = (counts > 0) & ~np.isnan(ends)
        values[np.cumsum(counts)[has_end] - 1] = ends[has_end]
        return values

    def curves(self, level: float, interval: str, first: int | None = None) -> "pd.DataFrame":
        """Return means and quartiles over the complete trials at each kept round.

        Parameters
        ----------
        level, interval : float, str
            Level and method of the band; see `optimist.numerics.statistics.mean_intervals`.
        first : int or None
            Include only trials 0, ..., first - 1; None for all trials.

        Returns
        -------
        DataFrame
            The columns are round; mean; low and high, the ends of the band; lower, median and
            upper, the quartiles; and trials, the number of trials. The values are regret in the
            regret lane and seconds in the timing lane. There are no rows if no trial is complete.
        """
        import pandas as pd

        from optimist.numerics.statistics import SUMMARIES, summaries

        rounds, values = self.complete(first)
        names = ["round", *SUMMARIES, "trials"]
        if not len(values):
            return pd.DataFrame(columns=names)
        columns = (rounds, *summaries(values, level, interval), len(values))
        return pd.DataFrame(dict(zip(names, columns, strict=True)))

    def complete(self, first: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the kept rounds of the complete trials and the values at these rounds.

        The arrays have shapes (m,) and (n, m) for m rounds and n complete trials.
        The values are regret in the regret lane and seconds in the timing lane; they are nan where
        a trial lacks a round. ``first`` is as in `curves`.
        """
        counts = np.isin(self.status, COMPLETE) & (first is None or self.trial < first)
        cell = self.take(np.flatnonzero(counts))
        rounds, columns = np.unique(joined(cell.rounds, int), return_inverse=True)
        values = np.full((len(cell), len(rounds)), np.nan)
        values[np.repeat(np.arange(len(cell)), cell._counts), columns] = cell._flat(
            AT[self.lane][0]
        )
        return rounds, values


def joined(arrays: list[np.ndarray], kind: Any = float) -> np.ndarray:
    """Concatenate arrays; return an empty array if there are none."""
    return np.concatenate(arrays).astype(kind) if arrays else np.empty(0, kind)


def kept_rounds(recorded: np.ndarray, declared: Collection[int] = ()) -> np.ndarray:
    """Return the rounds of a curve kept in the table, as an increasing array of shape (m,).

    For each evenly spaced, geometrically spaced or declared round, the table keeps the last
    recorded round that does not exceed it. If a curve has few recorded rounds, the table keeps
    all of them.
    """
    if len(recorded) <= FEW:
        return recorded
    last = float(recorded[-1])
    wanted = [np.linspace(last / EVEN, last, EVEN), np.geomspace(1.0, last, GEOMETRIC)]
    wanted.append(np.array([t for t in declared if t <= last], float))
    # Exact fractions of the last round may be rounded down slightly.
    places = np.searchsorted(recorded, np.concatenate(wanted) * (1.0 + 1e-12), side="right") - 1
    return np.unique(recorded[places.clip(min=0)])


# From result files.


def read_results(
    groups: Mapping[str, str], declared: Mapping[str, Collection[int]]
) -> list[CellTrials]:
    """Read the trials in result files and return one `CellTrials` per cell.

    Parameters
    ----------
    groups : mapping of str to str
        Maps the path of each file to the group of its cell.
    declared : mapping
        See `read_cell`.
    """
    of_cell: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for path in groups:
        place = parse_result(path)
        assert place is not None  # the layout made these paths, so they can be parsed
        of_cell[place.lane, place.setting, place.algorithm].append(path)
    return [read_cell(paths, groups[paths[0]], declared)[0] for paths in of_cell.values()]


def read_cell(
    paths: Sequence[str], group: str, declared: Mapping[str, Collection[int]]
) -> tuple[CellTrials, list[dict[str, Any]]]:
    """Read a cell's result files; return the trials as the table stores them, and the metadata.

    Parameters
    ----------
    paths : sequence of str
    group : str
    declared : mapping
        Rounds at which claims and panels read values, by ``lane/setting``.

    Raises
    ------
    ResultError
        If a file is not a complete result file.
    """
    tables, metadata = zip(*map(results.read_whole, paths), strict=True)
    lane, setting = metadata[0]["trials"]["lane"], metadata[0]["trials"]["cell"]["setting"]
    cell = join([of_result(table, lane, group) for table in tables])
    return cell.stored(declared.get(f"{lane}/{setting}", ())), [*metadata]


def of_result(table: "pa.Table", lane: str, group: str) -> CellTrials:
    """Return the trials in a result file's table, with all recorded rounds."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    trial = np.array(columns["trial"])
    starts = np.flatnonzero(np.diff(trial, prepend=trial[0] - 1)).tolist()
    places = [slice(*ends) for ends in zip(starts, [*starts[1:], len(trial)], strict=True)]
    rounds = [np.array(columns["round"][one]) for one in places]
    # A trial that ended before its first recorded round has a single row, for round 0.
    is_bare = [one.tolist() == [0] for one in rounds]
    last = {
        name: [values[one.stop - 1] for one in places]
        for name, values in columns.items()
        # Jobs of the regret lane share the machine, so their times are meaningless.
        if name not in (*ABOUT, *(("seconds", "select_seconds") if lane == "regret" else ()))
    }
    if lane == "regret":
        last["regret_half"] = [
            _midway(columns["regret"][one], marks)
            for one, marks in zip(places, rounds, strict=True)
        ]
    # Values at the end of a trial are floats, so each string becomes a number that a float
    # represents exactly: the first 12 hexadecimal digits of its hash.
    if "turns" in columns:
        marks = (fingerprint({"turns": columns["turns"][i]}) for i in starts)
        last["turns"] = [int(mark[:12], 16) for mark in marks]
    nothing = [None] * len(trial)
    return CellTrials(
        lane,
        group,
        columns["setting"][0],
        columns["algorithm"][0],
        trial[starts],
        [columns["status"][i] for i in starts],
        [columns.get("instance", nothing)[i] for i in starts],
        {name: _numbers(values) for name, values in last.items() if _is_number(values)},
        [np.empty(0, int) if bare else one for one, bare in zip(rounds, is_bare, strict=True)],
        {
            name: [
                np.empty(0) if bare else _numbers(columns[name][one])
                for one, bare in zip(places, is_bare, strict=True)
            ]
            for name in AT[lane]
            if name in columns
        },
    )


def _midway(regrets: Sequence[float], rounds: np.ndarray) -> float | None:
    """Return the regret at the last round recorded in a trial's first half, if any."""
    early = int(np.searchsorted(rounds, 0.5 * rounds[-1], side="right"))
    return regrets[early - 1] if early else None


def _is_number(values: Sequence[Any]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, bool | int | float) for value in present)


def _numbers(values: Sequence[Any]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], float)


def join(parts: Sequence[CellTrials]) -> CellTrials:
    """Join parts of a cell into one `CellTrials`, with trials in increasing order."""
    parts = sorted(parts, key=lambda part: int(part.trial[0]))
    names = dict.fromkeys(name for part in parts for name in part.ends)
    return replace(
        parts[0],
        trial=np.concatenate([part.trial for part in parts]),
        status=[one for part in parts for one in part.status],
        instance=[one for part in parts for one in part.instance],
        ends={
            name: joined([part.ends.get(name, np.full(len(part), np.nan)) for part in parts])
            for name in names
        },
        rounds=[one for part in parts for one in part.rounds],
        at={
            name: [one for part in parts for one in part.at.get(name, [np.empty(0)] * len(part))]
            for name in dict.fromkeys(name for part in parts for name in part.at)
        },
    )


def following(stored: CellTrials | None, more: CellTrials) -> CellTrials:
    """Return a cell's stored trials up to the first of ``more``, followed by ``more``.

    A curve keeps the rounds that both have, and the last round of each trial. Raise ResultError if
    trials between them are missing.
    """
    first, there = int(more.trial[0]), 0 if stored is None else len(stored)
    if stored is None or there < first:
        raise ResultError(
            f"the trials of {more.setting}/{more.algorithm} from {there} to {first - 1} are "
            "missing; publish a run of the whole cell: snakemake --cores all"
        )
    earlier = stored.take(np.arange(first))
    if earlier.is_thinned and not more.is_thinned:
        more = replace(more, at=_short(more.at, AT[more.lane][0]))
    if earlier.is_thinned or more.is_thinned:
        both = np.intersect1d(joined(earlier.rounds, int), joined(more.rounds, int))
        earlier, more = (
            part.at_rounds([np.union1d(both, rounds[-1:]) for rounds in part.rounds])
            for part in (earlier, more)
        )
    is_thinned = stored.is_thinned or more.is_thinned
    return replace(join([earlier, more]), is_thinned=is_thinned)


def _short(at: Mapping[str, list[np.ndarray]], name: str) -> dict[str, list[np.ndarray]]:
    """Return the values at kept rounds, with one column rounded to 32 bits."""
    return {**at, name: [one.astype(np.float32).astype(float) for one in at.get(name, [])]}
