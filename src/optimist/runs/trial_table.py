"""The table of trials: one row a trial, which claims, figures, the page and `compare` read.

A paper has ``figures/PAPER/trials.parquet``, and ``best_known.csv`` beside it where the maximum of
a function is unknown. A row has the columns

``lane group setting algorithm trial status turns instance``
``rounds``  the recorded rounds that are kept, and at these rounds ``regret_at`` (regret lane) or
            ``seconds_at``, ``state_bytes_at``, ``selections_at``, ``agreements_at`` (timing lane)
``regret regret_half simple_regret covered seconds select_seconds state_bytes`` at the end, and the
counters of algorithms under their own names.

Rows are sorted; a row group holds a lane of a setting, so that a reader of one cell reads little
and a changed cell changes few bytes. The metadata hold the version of this form, the configuration
of the run, and the rounds that claims and panels declare.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist import sealed
from optimist.columns import values as values_of
from optimist.errors import ResultError
from optimist.root import how_to_restore
from optimist.runs.loop import COMPLETE

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

AGAIN = "make it again: optimist publish"
VERSION = 1
KEY = "optimist"
LANES = ("regret", "timing")
# What is kept at each of some rounds, by lane.
AT = {"regret": ("regret",), "timing": ("seconds", "state_bytes", "selections", "agreements")}
TEXTS = ("lane", "group", "setting", "algorithm", "status", "instance")
# Rounds of a curve, evenly and geometrically spaced; as few recorded rounds are all kept.
EVEN, GEOMETRIC, FEW = 40, 20, 80

CellKey = tuple[str, str, str]  # lane, setting, algorithm


@dataclass(frozen=True)
class CellTrials:
    """The trials of a cell in one lane, in increasing order.

    Attributes
    ----------
    lane, group, setting, algorithm : str
    trial : (n,) int array
    status : list of n str
    instance : list of n str or None
        Name of the instance of a function whose maximum is unknown.
    ends : dict of str to (n,) float array
        Values at the end by column; nan where there is none.
    rounds : list of n int arrays
        Kept rounds of each trial.
    at : dict of str to list of n float arrays
        Values at these rounds by column, as of `AT`.
    is_thinned : bool
        Whether recorded rounds were left out.
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

    def take(self, places: np.ndarray) -> "CellTrials":
        """Return the trials at some places."""
        return replace(
            self,
            trial=self.trial[places],
            status=[self.status[i] for i in places],
            instance=[self.instance[i] for i in places],
            ends={name: values[places] for name, values in self.ends.items()},
            rounds=[self.rounds[i] for i in places],
            at={name: [values[i] for i in places] for name, values in self.at.items()},
        )

    def stored(self, declared: Collection[int] = ()) -> "CellTrials":
        """Return the trials as the table stores them: at the rounds that it keeps, in 32 bits.

        The timing lane keeps all recorded rounds, as times are interpolated between neighbours. A
        cell of few rounds keeps all digits, as differences of its early rounds cancel.
        """
        if self.lane == "timing":
            kept = self.rounds
        else:
            kept = [kept_rounds(rounds, declared) for rounds in self.rounds]
        places = [np.isin(rounds, some) for rounds, some in zip(self.rounds, kept, strict=True)]
        is_exact = self.lane == "regret" and all(len(rounds) <= FEW for rounds in self.rounds)
        at = {
            name: [
                one[where] if is_exact else one[where].astype(np.float32).astype(float)
                for one, where in zip(values, places, strict=True)
            ]
            for name, values in self.at.items()
        }
        is_thinned = self.is_thinned or not all(all(where) for where in places)
        return replace(self, rounds=kept, at=at, is_thinned=is_thinned)

    @cached_property
    def content(self) -> str:
        """Digest of all that is stored of the trials."""
        sink = hashlib.sha256(json.dumps([*self.key, self.status, self.instance]).encode())
        counts = np.array([len(rounds) for rounds in self.rounds], np.int64)
        arrays = {"trial": self.trial, "counts": counts, "rounds": _joined(self.rounds, np.int64)}
        arrays |= {f"{name}_at": _joined(values) for name, values in self.at.items()}
        for name, values in sorted({**arrays, **self.ends}.items()):
            sink.update(name.encode())
            # One kind of nan, and no negative zero.
            sink.update((np.where(np.isnan(values), np.nan, values) + 0.0).astype("<f8").tobytes())
        return sink.hexdigest()[:16]

    def counted_from(self, least: Mapping[str, float]) -> "CellTrials":
        """Return the trials with regret counted from the best known value of their instance.

        Parameters
        ----------
        least : mapping of str to float
            The smallest regret of a round on each instance.

        Raises
        ------
        ResultError
            If an instance has no best known value, although another one of the setting has.
        """
        known = [least.get(name) if name else None for name in self.instance]
        if all(value is None for value in known):
            return self
        if None in known:
            raise ResultError(
                f"no best known value of {self.instance[known.index(None)]!r}; make "
                "best_known.csv again: optimist publish"
            )
        shift = np.array(known, float)
        lasts = np.array([rounds[-1] if len(rounds) else 0 for rounds in self.rounds])
        halves = np.array(
            [max(rounds[rounds <= 0.5 * rounds[-1]], default=0) for rounds in self.rounds]
        )
        moved = {"regret": shift * lasts, "regret_half": shift * halves, "simple_regret": shift}
        ends = {name: v - moved[name] if name in moved else v for name, v in self.ends.items()}
        regret = [v - s * t for v, s, t in zip(self.at["regret"], shift, self.rounds, strict=True)]
        return replace(self, ends=ends, at={**self.at, "regret": regret})

    @cached_property
    def finals(self) -> "pd.DataFrame":
        """One row a trial: its last round, status, and values at the end."""
        import pandas as pd

        lasts = [int(rounds[-1]) if len(rounds) else 0 for rounds in self.rounds]
        about = {"setting": self.setting, "algorithm": self.algorithm, "trial": self.trial}
        about |= {"round": lasts, "status": self.status}
        return pd.DataFrame({**about, **self.ends})

    @cached_property
    def by_round(self) -> "pd.DataFrame":
        """One row a trial and kept round; in the timing lane columns that only the end has are
        missing elsewhere."""
        import pandas as pd

        counts = np.array([len(rounds) for rounds in self.rounds], int)
        lasts = np.cumsum(counts)[counts > 0] - 1
        columns: dict[str, Any] = {"setting": self.setting, "algorithm": self.algorithm}
        columns["trial"] = np.repeat(self.trial, counts)
        columns["round"] = _joined(self.rounds, int)
        columns["status"] = np.repeat(np.array(self.status, object), counts)
        for name in [*self.at] if self.lane == "regret" else {**self.at, **self.ends}:
            values = self.ends.get(name, np.full(len(counts), np.nan))
            if name == "turns":
                columns[name] = np.repeat(values, counts)
                continue
            whole = _joined(self.at[name]) if name in self.at else np.full(counts.sum(), np.nan)
            # The end has all digits; a curve is of 32 bits.
            known = ~np.isnan(values[counts > 0])
            whole[lasts[known]] = values[counts > 0][known]
            columns[name] = whole
        return pd.DataFrame(columns)

    def curves(self, level: float, interval: str, first: int | None = None) -> "pd.DataFrame":
        """Return what the complete trials have on average at each kept round.

        Parameters
        ----------
        level, interval : float, str
            Of the band, see `optimist.statistics.mean_intervals`.
        first : int or None
            Only so many trials count.

        Returns
        -------
        DataFrame
            round; mean, low and high; lower, median and upper (quartiles); trials. Of regret in the
            regret lane, of seconds in the timing lane. Empty without complete trials.
        """
        import pandas as pd

        from optimist.statistics import SUMMARIES, summaries

        rounds, values = self.complete(first)
        names = ["round", *SUMMARIES, "trials"]
        if not len(values):
            return pd.DataFrame(columns=names)
        columns = (rounds, *summaries(values, level, interval), len(values))
        return pd.DataFrame(dict(zip(names, columns, strict=True)))

    def complete(self, first: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the kept rounds of the complete trials, (m,), and their values there, (n, m).

        Regret in the regret lane and seconds in the timing lane; nan where a trial lacks a round.
        ``first`` as for `curves`.
        """
        places = [
            i
            for i, (status, trial) in enumerate(zip(self.status, self.trial, strict=True))
            if status in COMPLETE and (first is None or trial < first)
        ]
        name = AT[self.lane][0]
        counts = np.array([len(self.rounds[i]) for i in places], int)
        rounds, columns = np.unique(
            _joined([self.rounds[i] for i in places], int), return_inverse=True
        )
        whole = np.full(counts.sum(), np.nan)
        if name in self.at:
            whole = _joined([self.at[name][i] for i in places])
        if name in self.ends:  # with all digits
            ends = self.ends[name][places]
            known = (counts > 0) & ~np.isnan(ends)
            whole[np.cumsum(counts)[known] - 1] = ends[known]
        values = np.full((len(places), len(rounds)), np.nan)
        values[np.repeat(np.arange(len(places)), counts), columns] = whole
        return rounds, values


def _joined(arrays: list[np.ndarray], kind: Any = float) -> np.ndarray:
    return np.concatenate(arrays).astype(kind) if arrays else np.empty(0, kind)


def kept_rounds(recorded: np.ndarray, declared: Collection[int] = ()) -> np.ndarray:
    """Return the rounds of a curve that the table keeps, (m,), increasing.

    These are the last recorded ones up to each of some evenly and some geometrically spaced rounds
    and of those that are declared; all if they are few.
    """
    if len(recorded) <= FEW:
        return recorded
    last = float(recorded[-1])
    wanted = [np.linspace(last / EVEN, last, EVEN), np.geomspace(1.0, last, GEOMETRIC)]
    wanted.append(np.array([t for t in declared if t <= last], float))
    # A whole share of the last round may come out a rounding error short.
    places = np.searchsorted(recorded, np.concatenate(wanted) * (1.0 + 1e-12), side="right") - 1
    return np.unique(recorded[places.clip(min=0)])


def of_result(table: "pa.Table", lane: str, group: str) -> list[CellTrials]:
    """Return the trials of a result file's table by cell, with all their recorded rounds."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    keys = list(zip(columns["setting"], columns["algorithm"], columns["trial"], strict=True))
    starts = [i for i, key in enumerate(keys) if i == 0 or key != keys[i - 1]]
    found: dict[tuple[str, str], list[slice]] = {}
    for start, stop in zip(starts, [*starts[1:], len(keys)], strict=True):
        found.setdefault(keys[start][:2], []).append(slice(start, stop))
    return [_of_cell(columns, lane, group, *cell, places) for cell, places in found.items()]


def join(parts: Iterable[CellTrials]) -> list[CellTrials]:
    """Return cells whose trials come in several parts as one each, trials in increasing order."""
    found: dict[CellKey, list[CellTrials]] = {}
    for part in parts:
        found.setdefault(part.key, []).append(part)
    return [_joined_parts(own) for own in found.values()]


def _joined_parts(parts: list[CellTrials]) -> CellTrials:
    if len(parts) == 1:
        return parts[0]
    parts = sorted(parts, key=lambda part: int(part.trial[0]))
    names = dict.fromkeys(name for part in parts for name in part.ends)
    nothing = {len(part): np.full(len(part), np.nan) for part in parts}
    return replace(
        parts[0],
        trial=np.concatenate([part.trial for part in parts]),
        status=[one for part in parts for one in part.status],
        instance=[one for part in parts for one in part.instance],
        ends={
            name: np.concatenate([part.ends.get(name, nothing[len(part)]) for part in parts])
            for name in names
        },
        rounds=[one for part in parts for one in part.rounds],
        at={
            name: [one for part in parts for one in part.at[name]]
            for name in AT[parts[0].lane]
            if all(name in part.at for part in parts)
        },
    )


def _of_cell(columns, lane, group, setting, algorithm, places):
    """Return the trials of a cell, whose rows stand at some slices of the columns."""
    known = {
        name: [values[one.stop - 1] for one in places]
        for name, values in columns.items()
        if name not in ("paper", "setting", "algorithm", "trial", "round", "status", "instance")
    }
    if lane == "regret":  # jobs share the machine, so times mean nothing
        known = {k: v for k, v in known.items() if k not in ("seconds", "select_seconds")}
    rounds = [np.array(columns["round"][one]) for one in places]
    # A trial that ended before its first recorded round has a bare row of round 0.
    is_bare = [len(own) == 1 and own[0] == 0 for own in rounds]
    at = {
        name: [
            np.empty(0) if bare else _numbers(columns[name][one])
            for one, bare in zip(places, is_bare, strict=True)
        ]
        for name in AT[lane]
        if name in columns
    }
    if lane == "regret":
        known["regret_half"] = [
            _midway(columns["regret"][one], own) for one, own in zip(places, rounds, strict=True)
        ]
    return CellTrials(
        lane,
        group,
        setting,
        algorithm,
        np.array([columns["trial"][one.start] for one in places]),
        [columns["status"][one.start] for one in places],
        [columns["instance"][one.start] if "instance" in columns else None for one in places],
        {name: _numbers(values) for name, values in known.items() if _is_number(values)},
        [np.empty(0, int) if bare else own for own, bare in zip(rounds, is_bare, strict=True)],
        at,
    )


def _midway(regrets, rounds):
    """Return the regret at the last recorded round in the first half of a trial."""
    early = int(np.searchsorted(rounds, 0.5 * rounds[-1], side="right"))
    return regrets[early - 1] if early else None


def _is_number(values):
    known = [value for value in values if value is not None]
    return bool(known) and all(isinstance(value, bool | int | float) for value in known)


def _numbers(values):
    return np.array([np.nan if value is None else value for value in values], float)


class Frames(Mapping[tuple[str, str], "pd.DataFrame"]):
    """Frames of the cells of a lane by setting and algorithm, made where they are asked for."""

    def __init__(
        self, table: "TrialTable", lane: str, make: Callable[[CellTrials], "pd.DataFrame"]
    ) -> None:
        self._table, self._lane, self._make = table, lane, make
        self._made: dict[tuple[str, str], pd.DataFrame] = {}

    def __getitem__(self, pair: tuple[str, str]) -> "pd.DataFrame":
        if pair not in self._made:
            cell = self._table.cell(self._lane, *pair)
            if cell is None:
                raise KeyError(pair)
            self._made[pair] = self._make(cell)
        return self._made[pair]

    def check_round(self, pair: tuple[str, str], t: int) -> None:
        """Raise ResultError unless the table can say what a cell had at round ``t``."""
        self._table.check_round(self._lane, *pair, t)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return (key[1:] for key in self._table.keys if key[0] == self._lane)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class TrialTable:
    """All trials of a paper: the rows of its file, and result files of today's code before them.

    Parameters
    ----------
    path : path or None
        The file, or None for a table of results alone.
    fresh : iterable of CellTrials
        Cells that stand in place of those of the file.
    best_known : path or None
        Table of the smallest regret of a round on each instance of a function whose maximum is
        unknown; what fresh cells found counts too.
    planned : mapping or None
        How many trials of each cell count; other cells are not there. None for all of all.

    Attributes
    ----------
    metadata : dict
        ``version``, ``configuration`` of the run, and ``declared``: rounds by lane and setting.

    Raises
    ------
    ResultError
        If the file is damaged, of another version, or no such table.
    """

    def __init__(
        self,
        path: str | Path | None,
        fresh: Iterable[CellTrials] = (),
        best_known: str | Path | None = None,
        planned: Mapping[CellKey, int] | None = None,
    ) -> None:
        self.path, self._planned = path, planned
        self.metadata: dict[str, Any] = {"declared": {}, "configuration": {}, "thinned": []}
        self._groups: dict[tuple[str, str], int] = {}
        self._read: dict[tuple[str, str], dict[str, CellTrials]] = {}
        self._fresh: dict[CellKey, CellTrials] = {}
        self._counted: dict[CellKey, CellTrials | None] = {}
        if path is not None:
            self._file = sealed.open_parquet(path, AGAIN)
            self.metadata = _metadata(self._file, path)
            self._groups = {tuple(key): i for i, key in enumerate(self.metadata["groups"])}
        self.put(fresh)
        self._best_known = {} if best_known is None else read_best_known(best_known)

    def put(self, cells: Iterable[CellTrials]) -> None:
        """Put cells in place of those that the table has."""
        for cell in cells:
            self._fresh[cell.key] = cell
        self._counted.clear()
        for name in ("keys", "_least"):
            self.__dict__.pop(name, None)

    @cached_property
    def keys(self) -> list[CellKey]:
        """Lane, setting and algorithm of all cells, sorted."""
        known = set(self._fresh)
        if self._groups:
            columns = ["lane", "setting", "algorithm"]
            rows = self._file.read(columns, use_threads=False)
            known |= set(zip(*(rows[name].to_pylist() for name in columns), strict=True))
        return sorted(known if self._planned is None else known & self._planned.keys())

    def cell(self, lane: str, setting: str, algorithm: str) -> CellTrials | None:
        """Return the trials of a cell, None if the table has none; regret is counted from the best
        known value where the maximum is unknown."""
        key = lane, setting, algorithm
        if key not in self._counted:
            found = self.recorded(*key)
            if found is not None and lane == "regret" and any(found.instance):
                found = found.counted_from(self._least)
            self._counted[key] = found
        return self._counted[key]

    def recorded(self, lane: str, setting: str, algorithm: str) -> CellTrials | None:
        """Return the trials of a cell as they were measured, None if the table has none."""
        key = lane, setting, algorithm
        found = self._fresh.get(key) or self._group(lane, setting).get(algorithm)
        if found is None or self._planned is None:
            return found
        number = self._planned.get(key, 0)
        return found if len(found) <= number else found.take(np.arange(number)) if number else None

    def cells(self, lane: str, group: str | None = None) -> Iterator[CellTrials]:
        """Yield all cells of a lane, of one group of targets or of all."""
        for key in self.keys:
            if key[0] == lane:
                found = self.cell(*key)
                if found is not None and group in (None, found.group):
                    yield found

    def frames(
        self, level: float = 0.95, interval: str = "t", first: int | None = None
    ) -> dict[str, Frames]:
        """Return the tables that claims and panels read, by name.

        ``finals``, ``regrets`` and ``curves`` are the ends, the kept rounds and the means of the
        regret lane, ``times`` the recorded rounds of the timing lane. For ``level``, ``interval``
        and ``first`` see `CellTrials.curves`; ``first`` cuts ``finals`` too.
        """

        def finals(cell: CellTrials) -> "pd.DataFrame":
            return cell.finals if first is None else cell.finals[cell.trial < first]

        return {
            "finals": Frames(self, "regret", finals),
            "regrets": Frames(self, "regret", lambda cell: cell.by_round),
            "times": Frames(self, "timing", lambda cell: cell.by_round),
            "curves": Frames(self, "regret", lambda cell: cell.curves(level, interval, first)),
        }

    def check_round(self, lane: str, setting: str, algorithm: str, t: int) -> None:
        """Raise ResultError unless the table can say what a cell had at round ``t``."""
        key = lane, setting, algorithm
        found = self.recorded(*key)
        if found is None or not found.is_thinned or key in self._fresh:
            return
        declared = self.metadata["declared"].get(f"{lane}/{setting}", ())
        rounds = max(found.rounds, key=len)
        if t not in rounds and t not in declared and t < rounds[-1]:
            raise ResultError(
                f"{self.path} has not round {t} of {setting}/{algorithm}; play it again: snakemake "
                f"--cores all --config committed=ignore, or name one of its rounds"
            )

    def best_known_of(self, keys: Iterable[CellKey]) -> dict[str, float]:
        """Return the best known values of the instances that some cells met."""
        met: set[str | None] = set()
        for key in keys:
            found = self.recorded(*key)
            met |= set(found.instance) if found is not None and found.lane == "regret" else set()
        return {name: value for name, value in sorted(self._least.items()) if name in met}

    @cached_property
    def _least(self) -> dict[str, float]:
        """The smallest regret of a round on each instance."""
        return least_regrets(self._fresh.values(), self._best_known)

    def _group(self, lane: str, setting: str) -> dict[str, CellTrials]:
        key = lane, setting
        if key not in self._groups:
            return {}
        if key not in self._read:
            rows = self._file.read_row_group(self._groups[key], use_threads=False)
            is_thinned = f"{lane}/{setting}" in self.metadata["thinned"]
            self._read[key] = {
                cell.algorithm: replace(cell, is_thinned=is_thinned)
                for cell in _cells_of(rows, self.path)
            }
        return self._read[key]


def least_regrets(
    cells: Iterable[CellTrials], known: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the smallest regret of a round on each instance, in some cells and as known before."""
    least = dict(known or {})
    for cell in cells:
        for name, value in zip(cell.instance, cell.ends.get("simple_regret", ()), strict=False):
            if name and value == value:
                least[name] = min(least.get(name, value), float(value))
    return least


def read_best_known(path: str | Path) -> dict[str, float]:
    """Return the table of best known values, none if there is no such file."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()[1:]
    except FileNotFoundError:
        return {}
    try:
        return {name: float(value) for name, value in (line.rsplit(",", 1) for line in lines)}
    except ValueError:
        raise ResultError(
            f"{path} is not a table of best known values; {how_to_restore(path, AGAIN)}"
        ) from None


def write_best_known(least: Mapping[str, float], path: str | Path) -> None:
    """Write the table of best known values: ``instance`` and ``least_regret``."""
    from optimist.files import write_text

    rows = (f"{name},{float(value)!r}\n" for name, value in sorted(least.items()))
    write_text("instance,least_regret\n" + "".join(rows), path)


def _metadata(file: Any, path: str | Path) -> dict[str, Any]:
    found = (file.metadata.metadata or {}).get(KEY.encode())
    metadata = json.loads(found) if found else {}
    if metadata.get("version") != VERSION:
        raise ResultError(
            f"{path} is a table of trials of version {metadata.get('version')!r}; allowed: "
            f"{VERSION}; {how_to_restore(path, AGAIN)}"
        )
    return metadata


# Reading: without pandas, which pyarrow imports for conversions of its own.


def read_results(
    groups: Mapping[str, str], declared: Mapping[str, Collection[int]]
) -> list[CellTrials]:
    """Return the trials of some result files by cell, as the table stores them.

    Parameters
    ----------
    groups : mapping of str to str
        The group of each file's cell, by path.
    declared : mapping
        Rounds that claims and panels read, by ``lane/setting``.

    Raises
    ------
    ResultError
        If a file is no whole result.
    """
    from optimist.runs import results

    found: list[CellTrials] = []
    for path, group in groups.items():
        lane = results.read_metadata(path)["trials"]["lane"]
        found += of_result(results.read(path), lane, group)
    return [cell.stored(declared.get(f"{cell.lane}/{cell.setting}", ())) for cell in join(found)]


def _cells_of(rows: "pa.Table", path: str | Path | None) -> Iterator[CellTrials]:
    """Yield the cells of a row group."""
    text = {name: rows[name].to_pylist() for name in TEXTS}
    flat = {
        name: _floats(rows[name])
        for name in rows.column_names
        if name not in text and not (name == "rounds" or name.endswith("_at"))
    }
    trial = flat.pop("trial").astype(int)
    rounds = [one.astype(int) for one in _lists(rows["rounds"])]
    lane = text["lane"][0]
    at = {
        name: _lists(rows[f"{name}_at"]) for name in AT[lane] if f"{name}_at" in rows.column_names
    }
    names = np.array(text["algorithm"], object)
    starts = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist()]
    is_known = {name: np.logical_or.reduceat(~np.isnan(v), starts) for name, v in flat.items()}
    for i, (start, stop) in enumerate(zip(starts, [*starts[1:], len(names)], strict=True)):
        own = slice(start, stop)
        if not np.array_equal(trial[own], np.arange(stop - start)):
            raise ResultError(
                f"{path} has not every trial of {text['setting'][start]}/{names[start]} once; "
                f"{how_to_restore(path or '', AGAIN)}"
            )
        yield CellTrials(
            lane,
            text["group"][start],
            text["setting"][start],
            str(names[start]),
            trial[own],
            text["status"][own],
            text["instance"][own],
            {name: v[own] for name, v in flat.items() if is_known[name][i]},
            rounds[own],
            {name: v[own] for name, v in at.items() if any(len(one) for one in v[own])},
        )


def _floats(column: Any) -> np.ndarray:
    """Return the numbers of an Arrow column as floats, nan where there are none."""
    found, present = values_of(column)
    numbers = found.astype(float)
    numbers[~present] = np.nan
    return numbers


def _lists(column: "pa.ChunkedArray") -> list[np.ndarray]:
    """Return lists of numbers as arrays, empty ones where there is none."""
    found: list[np.ndarray] = []
    for chunk in column.chunks:
        offsets = np.frombuffer(chunk.buffers()[1], np.int32)
        values = _floats(chunk.values)
        ends = offsets[chunk.offset : chunk.offset + len(chunk) + 1]
        found += [values[start:stop] for start, stop in pairwise(ends)]
    return found


# Writing.


def write(
    cells: Iterable[CellTrials],
    path: str | Path,
    *,
    declared: Mapping[str, Collection[int]],
    configuration: Mapping[str, Any],
) -> None:
    """Write a table of trials; the same cells give the same bytes.

    Parameters
    ----------
    cells : iterable of CellTrials
        Of one paper, as measured, with the rounds that are to be kept.
    path : str or Path
    declared : mapping
        Rounds that claims and panels read, by ``lane/setting``.
    configuration : mapping
        The configuration of the run.
    """
    import pyarrow as pa

    ordered = sorted(cells, key=lambda cell: cell.key)
    names = sorted({name for cell in ordered for name in cell.ends})
    first = ("regret", "regret_half", "simple_regret", "covered", "seconds", "select_seconds")
    names = [*(n for n in first if n in names), *(n for n in names if n not in first)]
    whole = {name for name in names if _is_whole(ordered, name)}
    groups: dict[tuple[str, str], list[CellTrials]] = {}
    for cell in ordered:
        groups.setdefault(cell.key[:2], []).append(cell)
    metadata = {
        "version": VERSION,
        "configuration": dict(configuration),
        "declared": {key: sorted(rounds) for key, rounds in sorted(declared.items()) if rounds},
        "groups": [list(key) for key in groups],
        "thinned": sorted({f"{cell.lane}/{cell.setting}" for cell in ordered if cell.is_thinned}),
    }
    fields = [pa.field(name, pa.string()) for name in ("lane", "group", "setting", "algorithm")]
    fields += [pa.field("trial", pa.int32()), pa.field("status", pa.string())]
    fields += [pa.field("instance", pa.string()), pa.field("rounds", pa.list_(pa.int32()))]
    for name in sorted({name for cell in ordered for name in cell.at}):
        kind = pa.int64()
        if name in ("regret", "seconds"):
            kind = pa.float32() if _is_short(ordered, name) else pa.float64()
        fields.append(pa.field(f"{name}_at", pa.list_(kind)))
    fields += [pa.field(name, pa.int64() if name in whole else pa.float64()) for name in names]
    schema = pa.schema(fields)
    real = [
        f"{f.name}.list.element"
        for f in fields
        if pa.types.is_list(f.type) and pa.types.is_floating(f.type.value_type)
    ]
    real += [f.name for f in fields if pa.types.is_floating(f.type)]
    others = [f"{f.name}.list.element" if pa.types.is_list(f.type) else f.name for f in fields]
    sealed.write_table(
        [_rows(own, schema) for own in groups.values()],
        path,
        {KEY: json.dumps(metadata, sort_keys=True)},
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in others if name not in real],
        use_byte_stream_split=real,
        store_schema=False,
        write_statistics=False,
    )


def _is_short(cells: list[CellTrials], name: str) -> bool:
    """Return whether all values of a curve have 32 bits."""
    values = _joined([one for cell in cells for one in cell.at.get(name, ())])
    return np.array_equal(values, values.astype(np.float32), equal_nan=True)


def _is_whole(cells: list[CellTrials], name: str) -> bool:
    """Return whether a column has whole numbers only."""
    if name in ("regret", "regret_half", "simple_regret", "seconds", "select_seconds"):
        return False
    values = np.concatenate([cell.ends[name] for cell in cells if name in cell.ends])
    known = values[~np.isnan(values)]
    return bool((known == np.rint(known)).all() and (np.abs(known) < 2.0**53).all())


def _rows(cells: list[CellTrials], schema: "pa.Schema") -> "pa.Table":
    """Return the rows of some cells as an Arrow table."""
    import pyarrow as pa

    def column(name: str, kind: Any) -> list[Any]:
        found: list[Any] = []
        for cell in cells:
            count = len(cell)
            if name in ("lane", "group", "setting", "algorithm"):
                found += [getattr(cell, name)] * count
            elif name in ("trial", "status", "instance"):
                found += list(getattr(cell, name))
            elif name == "rounds":
                found += [rounds.tolist() for rounds in cell.rounds]
            elif name.endswith("_at"):
                values = cell.at.get(name.removesuffix("_at"), [np.empty(0)] * count)
                found += [_listed(one, kind.value_type) for one in values]
            else:
                found += _listed(cell.ends.get(name, np.full(count, np.nan)), kind)
        return found

    return pa.table([pa.array(column(f.name, f.type), f.type) for f in schema], schema=schema)


def _listed(values: np.ndarray, kind: Any) -> list[Any]:
    import pyarrow as pa

    make = int if pa.types.is_integer(kind) else float
    return [None if value != value else make(value) for value in values.tolist()]
