"""Read and write result files, each of which contains a range of trials of one cell.

A result file is a Parquet file; it is either complete or absent.

The columns are paper, setting, algorithm, trial, round, regret, seconds, status, covered,
state_bytes, and one column per diagnostic of the algorithm. In the timing lane, ``turns`` is a
string shared only by cells timed in turns by one process. The file's metadata contain the
description of the trials, the resolved cell and the provenance of the run, as JSON under the key
``optimist``.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from optimist.core import checksummed
from optimist.core.errors import ResultError
from optimist.core.layout import parse_result
from optimist.experiments.cell import Cell
from optimist.experiments.columns import array
from optimist.experiments.loop import Trajectory
from optimist.experiments.result_form import check_metadata, check_rows
from optimist.experiments.trials import Trials

KEY = b"optimist"
REQUIRED = ("paper", "setting", "algorithm", "trial", "round", "regret", "seconds", "status")
# Columns that may differ between two runs of the same cell.
VOLATILE = ("seconds", "select_seconds", "turns")
REMEDY = (
    "`optimist results --delete damaged`, with the --configfile of the run if it had one, deletes "
    "such files; then run the same command again"
)


def to_table(cell: Cell, trajectories: Mapping[int, Trajectory], turns: str = "") -> pa.Table:
    """Convert trajectories, given by trial index, to a table with one row per recorded round.

    If one process timed several cells in turns, ``turns`` is the string from
    `optimist.experiments.interleaved_repeats.mark`.
    """
    rows: list[dict[str, Any]] = []
    for trial, trajectory in trajectories.items():
        same: dict[str, Any] = {"paper": cell.paper, "setting": str(cell.setting.label)}
        same |= {"algorithm": str(cell.algorithm), "trial": trial, "status": trajectory.status}
        same |= {"turns": turns} if turns else {}
        # A trial that ended before its first recorded round has a single row, without measurements.
        rows += [{**row, **same} for row in trajectory.rows or [{"round": 0}]]
    names = [*dict.fromkeys((*REQUIRED, *(name for row in rows for name in row)))]
    return pa.Table.from_arrays([array([row.get(name) for row in rows]) for name in names], names)


def write(table: pa.Table, path: str | Path, metadata: Mapping[str, Any]) -> None:
    """Write a result table; ``metadata`` must be representable in JSON."""
    table = table.replace_schema_metadata({KEY: json.dumps(metadata, sort_keys=True).encode()})
    checksummed.write_table(table, path, compression="zstd")


def read(path: str | Path) -> pa.Table:
    """Read the table of a result file.

    Raises
    ------
    ResultError
        If the file is missing, is damaged according to its digest, is not a result file, or has
        rows that do not match its metadata or its path; the message gives the remedy.
    UnreadableError
        If the system denies access to the file.
    """
    return read_whole(path)[0]


def read_whole(path: str | Path) -> tuple[pa.Table, dict[str, Any]]:
    """Read and check the rows and metadata of a result file; raise the same errors as `read`."""
    file = checksummed.open_parquet(path, REMEDY)
    present = file.schema_arrow.names
    missing = [name for name in REQUIRED if name not in present]
    if missing:
        raise ResultError(
            f"{path} is not a result file: it has no column {', '.join(missing)}; {REMEDY}"
        )
    # Older versions of pyarrow abort a process that ends while pyarrow starts threads.
    table, metadata = file.read(use_threads=False), _metadata(file, path)
    with _named(path):
        check_rows(table, metadata)
    return table, metadata


def read_metadata(path: str | Path) -> dict[str, Any]:
    """Read and check the metadata of a result file; raise the same errors as `read`."""
    return _metadata(checksummed.open_parquet(path, REMEDY), path)


def _metadata(file: Any, path: str | Path) -> dict[str, Any]:
    """Check and return the metadata of an open file."""
    entries = file.schema_arrow.metadata or {}
    if KEY not in entries:
        raise ResultError(f"{path} is not a result file: it has no metadata; {REMEDY}")
    with _named(path):
        try:
            metadata: dict[str, Any] = json.loads(entries[KEY])
        except ValueError as error:
            raise ResultError(f"its metadata are not JSON ({error})") from None
        check_metadata(metadata)
        place = parse_result(Path(path).absolute())
        stated = Trials.restore(metadata["trials"]).place(metadata.get("name", ""))
        if place not in (None, stated):
            raise ResultError(f"it is the result of {stated.path}")
    return metadata


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Add the path of a file and the remedy to the message of a `ResultError`."""
    try:
        yield
    except ResultError as error:
        raise ResultError(f"{path} is not as expected: {error}; {REMEDY}") from None


def digest(table: pa.Table) -> str:
    """Return the SHA-256 of a table's content, without the `VOLATILE` columns."""
    sink = hashlib.sha256()
    for name in sorted(set(table.column_names).difference(VOLATILE)):
        sink.update(name.encode())
        sink.update(repr(table[name].to_pylist()).encode())
    return sink.hexdigest()
