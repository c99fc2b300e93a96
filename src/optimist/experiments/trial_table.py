"""The table of trials, which claims, figures, the page and `compare` read.

Each paper has a table ``figures/PAPER/trials.parquet`` with one row per trial. The columns are

``lane group setting algorithm trial status turns instance``
``rounds``  the kept rounds, and at these rounds ``regret_at`` (regret lane) or ``seconds_at``,
            ``state_bytes_at``, ``selections_at``, ``agreements_at`` (timing lane)
``regret regret_half simple_regret covered seconds select_seconds state_bytes`` at the end of the
trial, and the counters of algorithms under their own names.

Rows are sorted, and each row group contains one lane of one setting, so that reading one cell
requires few bytes and changing one cell changes few bytes. The metadata contain the version of this
format, the configuration of the run, and the rounds that claims and panels declare.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from optimist.core import checksummed
from optimist.core.errors import ResultError
from optimist.core.root import how_to_restore
from optimist.experiments.cell_trials import AT, CellTrials, following, joined
from optimist.experiments.columns import values as values_of
from optimist.experiments.trials import CellKey

if TYPE_CHECKING:
    import pandas as pd

AGAIN = "delete it and make it again: optimist publish"
VERSION = 1
KEY = "optimist"
TEXTS = ("lane", "group", "setting", "algorithm", "status", "instance")
# Of the values at the end of a trial, FIRST names those whose columns come first, and REAL those
# stored as floats even if all are whole numbers.
FIRST = ("regret", "regret_half", "simple_regret", "covered", "seconds", "select_seconds")
REAL = frozenset(FIRST) - {"covered"}


class Frames(Mapping[tuple[str, str], "pd.DataFrame"]):
    """DataFrames of the cells in a lane, by setting and algorithm, constructed on demand."""

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
        """Raise ResultError unless the table has a cell's values at round ``t``."""
        self._table.check_round(self._lane, *pair, t)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return (key[1:] for key in self._table.keys if key[0] == self._lane)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class TrialTable:
    """All trials of a paper: the rows of its file, except where fresh results replace them.

    Parameters
    ----------
    path : path or None
        Path of the file; if None, the table contains only ``fresh``.
    fresh : iterable of CellTrials
        Cells that replace the same cells in the file, or follow the trials there if they begin
        after trial 0.
    planned : mapping or None
        Number of trials to include, by cell; other cells are omitted. If None, all trials of all
        cells are included.

    Attributes
    ----------
    metadata : dict
        Metadata of the file. ``configuration`` is the configuration of the run, and ``declared``
        contains the rounds at which claims and panels read values, by ``lane/setting``.

    Raises
    ------
    ResultError
        If the file is damaged, has another version, or is not a table of trials.
    """

    def __init__(
        self,
        path: str | Path | None,
        fresh: Iterable[CellTrials] = (),
        planned: Mapping[CellKey, int] | None = None,
    ) -> None:
        self.metadata: dict[str, Any] = {"declared": {}, "configuration": {}, "thinned": []}
        self._groups: dict[tuple[str, str], int] = {}
        if path is not None:
            self._file = checksummed.open_parquet(path, AGAIN)
            self.metadata = _metadata(self._file, path)
            self._groups = {tuple(key): i for i, key in enumerate(self.metadata["groups"])}
        self._path, self._planned = path, planned
        self._fresh = {cell.key: cell for cell in fresh}
        self._replaced = {key for key, cell in self._fresh.items() if cell.trial[0] == 0}
        self._read: dict[tuple[str, str], dict[str, CellTrials]] = {}
        self._counted: dict[CellKey, CellTrials | None] = {}

    @cached_property
    def keys(self) -> list[CellKey]:
        """Lane, setting and algorithm of each cell, sorted."""
        keys = set(self._fresh)
        if self._groups:
            keys |= {row[:3] for row in self._columns()}
        return sorted(keys if self._planned is None else keys & self._planned.keys())

    def cell(self, lane: str, setting: str, algorithm: str) -> CellTrials | None:
        """Return a cell's trials, or None if there are none.

        If the maximum of an instance is unknown, regret is relative to the best known value.
        """
        key = lane, setting, algorithm
        if key not in self._counted:
            cell = self.recorded(*key)
            if cell is not None and lane == "regret" and any(cell.instance):
                cell = cell.counted_from(self._least)
            self._counted[key] = cell
        return self._counted[key]

    def recorded(self, lane: str, setting: str, algorithm: str) -> CellTrials | None:
        """Return a cell's trials with regret as measured, or None if there are none."""
        key = lane, setting, algorithm
        cell = self._fresh.get(key)
        if key not in self._replaced:
            stored = self._group(lane, setting).get(algorithm)
            cell = stored if cell is None else following(stored, cell)
        if cell is None or self._planned is None:
            return cell
        number = self._planned.get(key, 0)
        return cell if len(cell) <= number else cell.take(np.arange(number)) if number else None

    def cells(self, lane: str) -> Iterator[CellTrials]:
        """Yield all cells of a lane."""
        for key in self.keys:
            if key[0] == lane and (cell := self.cell(*key)) is not None:
                yield cell

    def frames(
        self, level: float = 0.95, interval: str = "t", first: int | None = None
    ) -> dict[str, Frames]:
        """Return the tables that claims and panels read, by name.

        In the regret lane, ``finals`` contains the values at the end of each trial, ``regrets``
        the values at the kept rounds and ``curves`` the means over the trials. In the timing lane,
        ``times`` contains the values at the recorded rounds. For ``level``, ``interval`` and
        ``first``, see `CellTrials.curves`; ``first`` also limits ``finals``.
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
        """Raise ResultError unless the table has a cell's values at round ``t``."""
        key = lane, setting, algorithm
        cell = self.recorded(*key)
        if cell is None or not cell.is_thinned or key in self._replaced:
            return
        rounds = max(cell.rounds, key=len)
        is_known = t in rounds or t >= max(rounds, default=0)
        if not is_known and t not in self.metadata["declared"].get(f"{lane}/{setting}", ()):
            raise ResultError(
                f"{self._path} has no round {t} of {setting}/{algorithm}; play the cell again: "
                "snakemake --cores all --config committed=ignore, or name one of its rounds"
            )

    def best_known_of(self, keys: Iterable[CellKey]) -> dict[str, float]:
        """Return the smallest known regret on each instance that occurs in the given cells."""
        cells = (self.recorded(*key) for key in keys if key[0] == "regret")
        met = {name for cell in cells if cell is not None for name in cell.instance}
        return {name: value for name, value in sorted(self._least.items()) if name in met}

    @cached_property
    def _least(self) -> dict[str, float]:
        """The smallest regret that any algorithm reached in any round, by instance."""
        met = [
            (name, value)
            for lane, *cell, name, value in self._columns("instance", "simple_regret")
            if lane == "regret" and (lane, *cell) not in self._replaced
        ]
        for cell in (cell for cell in self._fresh.values() if cell.lane == "regret"):
            met += zip(cell.instance, cell.ends.get("simple_regret", ()), strict=False)
        values = sorted((name, float(value)) for name, value in met if name and value is not None)
        return dict(reversed(values))  # each name keeps its smallest value, which is inserted last

    def _columns(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Yield lane, setting, algorithm and the columns ``names`` for each row of the file."""
        columns = ["lane", "setting", "algorithm", *names]
        if self._groups and {*columns} <= {*self._file.schema_arrow.names}:
            rows = self._file.read(columns, use_threads=False)
            yield from zip(*(rows[name].to_pylist() for name in columns), strict=True)

    def _group(self, lane: str, setting: str) -> dict[str, CellTrials]:
        key = lane, setting
        if key not in self._groups:
            return {}
        if key not in self._read:
            rows = self._file.read_row_group(self._groups[key], use_threads=False)
            is_thinned = f"{lane}/{setting}" in self.metadata["thinned"]
            cells = (replace(cell, is_thinned=is_thinned) for cell in _cells_of(rows, self._path))
            self._read[key] = {cell.algorithm: cell for cell in cells}
        return self._read[key]


# Reading, without pyarrow's own conversions, since these import pandas.


def _metadata(file: Any, path: str | Path) -> dict[str, Any]:
    content = (file.metadata.metadata or {}).get(KEY.encode())
    metadata = json.loads(content) if content else {}
    if metadata.get("version") != VERSION:
        raise ResultError(
            f"{path} is a table of trials of version {metadata.get('version')!r}; allowed: "
            f"{VERSION}; {how_to_restore(path, AGAIN)}"
        )
    return metadata


def _cells_of(rows: pa.Table, path: Any) -> Iterator[CellTrials]:
    text = {name: rows[name].to_pylist() for name in TEXTS}
    lists = {name: _lists(rows[name]) for name in rows.column_names if _is_list(rows[name].type)}
    flat = {name: _floats(rows[name]) for name in rows.column_names if name not in text | lists}
    trial = flat.pop("trial").astype(int)
    for name, places in groupby(range(len(rows)), lambda i: text["algorithm"][i]):
        start, *more = places
        rows_of_cell = slice(start, start + 1 + len(more))
        if trial[rows_of_cell].tolist() != [*range(1 + len(more))]:
            raise ResultError(
                f"{path} does not have every trial of {text['setting'][start]}/{name} exactly "
                f"once; {how_to_restore(path, AGAIN)}"
            )
        lane = text["lane"][start]
        at = {one: lists.get(f"{one}_at", [])[rows_of_cell] for one in AT[lane]}
        yield CellTrials(
            *(lane, text["group"][start], text["setting"][start], name),
            trial[rows_of_cell],
            text["status"][rows_of_cell],
            text["instance"][rows_of_cell],
            {
                one: v[rows_of_cell]
                for one, v in flat.items()
                if not np.isnan(v[rows_of_cell]).all()
            },
            [one.astype(int) for one in lists["rounds"][rows_of_cell]],
            {one: values for one, values in at.items() if any(map(len, values))},
        )


def _is_list(kind: Any) -> bool:
    return bool(pa.types.is_list(kind))


def _floats(column: Any) -> np.ndarray:
    """Return the numbers of an Arrow column as floats, with nan in place of nulls."""
    values, present = values_of(column)
    numbers = values.astype(float)
    numbers[~present] = np.nan
    return numbers


def _lists(column: pa.ChunkedArray) -> list[np.ndarray]:
    """Return the lists of numbers in a column as arrays; a null becomes an empty array."""
    lists: list[np.ndarray] = []
    for chunk in column.chunks:
        offsets = np.frombuffer(chunk.buffers()[1], np.int32)
        values = _floats(chunk.values)
        ends = offsets[chunk.offset : chunk.offset + len(chunk) + 1]
        lists += [values[start:stop] for start, stop in pairwise(ends)]
    return lists


# Writing.


def write(
    cells: Iterable[CellTrials],
    path: str | Path,
    *,
    declared: Mapping[str, Collection[int]],
    configuration: Mapping[str, object],
) -> None:
    """Write a table of trials; equal cells give equal bytes.

    Parameters
    ----------
    cells : iterable of CellTrials
        Cells of one paper at the kept rounds, with regret as measured.
    path : str or Path
    declared : mapping
        Rounds at which claims and panels read values, by ``lane/setting``.
    configuration : mapping
        Configuration of the run.
    """
    ordered = sorted(cells, key=lambda cell: cell.key)
    groups = [(key, [*members]) for key, members in groupby(ordered, lambda cell: cell.key[:2])]
    metadata = {
        "version": VERSION,
        "configuration": dict(configuration),
        "declared": {key: sorted(rounds) for key, rounds in sorted(declared.items()) if rounds},
        "groups": [list(key) for key, _ in groups],
        "thinned": sorted({f"{cell.lane}/{cell.setting}" for cell in ordered if cell.is_thinned}),
    }
    schema = _schema(ordered)
    is_real = {f.name: pa.types.is_floating(getattr(f.type, "value_type", f.type)) for f in schema}
    place = {f.name: f"{f.name}.list.element" if _is_list(f.type) else f.name for f in schema}
    checksummed.write_table(
        [_rows(members, schema) for _, members in groups],
        path,
        {KEY: json.dumps(metadata, sort_keys=True)},
        compression="zstd",
        compression_level=19,
        use_dictionary=[place[name] for name in place if not is_real[name]],
        use_byte_stream_split=[place[name] for name in place if is_real[name]],
        store_schema=False,
        write_statistics=False,
    )


def _schema(cells: list[CellTrials]) -> pa.Schema:
    """Return the schema of a table, with numeric types that represent all values exactly."""
    texts = [(name, pa.string()) for name in TEXTS]
    fields = [*texts[:4], ("trial", pa.int32()), *texts[4:], ("rounds", pa.list_(pa.int32()))]
    for name in sorted({name for cell in cells for name in cell.at}):
        kind = pa.int64()
        if name in ("regret", "seconds"):
            values = joined([one for cell in cells for one in cell.at.get(name, ())])
            is_short = np.array_equal(values, values.astype(np.float32), equal_nan=True)
            kind = pa.float32() if is_short else pa.float64()
        fields.append((f"{name}_at", pa.list_(kind)))
    names = sorted({name for cell in cells for name in cell.ends})
    for name in (*(n for n in FIRST if n in names), *(n for n in names if n not in FIRST)):
        values = joined([cell.ends[name] for cell in cells if name in cell.ends])
        present = values[~np.isnan(values)]
        is_whole = (present == np.rint(present)).all() and (np.abs(present) < 2.0**53).all()
        fields.append((name, pa.int64() if is_whole and name not in REAL else pa.float64()))
    return pa.schema(fields)


def _rows(cells: list[CellTrials], schema: pa.Schema) -> pa.Table:
    def column(cell: CellTrials, name: str, kind: Any) -> list[Any]:
        if name in ("lane", "group", "setting", "algorithm"):
            return [getattr(cell, name)] * len(cell)
        if name in ("trial", "status", "instance", "rounds"):
            return [*getattr(cell, name)]
        if _is_list(kind):
            values = cell.at.get(name.removesuffix("_at"), [np.empty(0)] * len(cell))
            return [_listed(one, kind.value_type) for one in values]
        return _listed(cell.ends.get(name, np.full(len(cell), np.nan)), kind)

    columns = [[one for cell in cells for one in column(cell, f.name, f.type)] for f in schema]
    arrays = [pa.array(values, f.type) for values, f in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def _listed(values: np.ndarray, kind: Any) -> list[Any]:
    make = int if pa.types.is_integer(kind) else float
    return [None if value != value else make(value) for value in values.tolist()]
