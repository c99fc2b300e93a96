"""Read and write result files, each of which contains a range of trials of one cell.

A result file is a Parquet file; it is either complete or absent.

The columns are paper, setting, algorithm, trial, round, regret, seconds, status, covered,
state_bytes, and one column per diagnostic of the algorithm. In the timing lane, ``turns`` is a
string shared only by cells timed in turns by one process. The file's metadata contain the
description of the trials, the resolved cell and the provenance of the run, as JSON under the key
``optimist``.

A checksum verifies the bytes of a file, and checks verify its content: the table must contain the
expected cell and the expected trials in order, each up to its last round, with finite numbers.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from optimist.core import checksummed
from optimist.core.errors import ResultError
from optimist.core.layout import LANES, parse_result
from optimist.core.observation import is_record
from optimist.experiments.cell import Cell
from optimist.experiments.columns import array, values
from optimist.experiments.loop import COMPLETE, EARLY, Trajectory, checkpoints
from optimist.experiments.trials import Trials

KEY = b"optimist"
REQUIRED = ("paper", "setting", "algorithm", "trial", "round", "regret", "seconds", "status")
# Columns that may differ between two runs of the same cell.
VOLATILE = ("seconds", "select_seconds", "turns")
REMEDY = (
    "`optimist results --delete damaged`, with the --configfile of the run if it had one, deletes "
    "such files; then run the same command again"
)
STATUS = re.compile(rf"{'|'.join(COMPLETE + EARLY)}|non_finite(: .+)?|failed: (.|\n)*")
ROUNDING = 1e-6  # largest relative decrease allowed in a cumulative value
# Keys of the metadata; a dot separates the keys of nested mappings.
KEYS = (
    *(f"trials.{name}" for name in (*(field.name for field in fields(Trials)), "code")),
    *(f"trials.cell.{name}" for name in ("paper", "setting", "algorithm", "spec.horizon")),
    *("resolved.dataset", "observed.modules", "observed.files"),
    *(f"provenance.{name}" for name in ("commit", "dirty", "python", "packages", "machine.cpu")),
)


def to_table(cell: Cell, trajectories: Mapping[int, Trajectory], turns: str = "") -> pa.Table:
    """Convert trajectories, given by trial index, to a table with one row per recorded round.

    If one process timed several cells in turns, ``turns`` is the string from
    `optimist.experiments.interleaved_repeats.mark`.
    """
    rows: list[dict[str, object]] = []
    for trial, trajectory in trajectories.items():
        same: dict[str, object] = {"paper": cell.paper, "setting": str(cell.setting.label)}
        same |= {"algorithm": str(cell.algorithm), "trial": trial, "status": trajectory.status}
        same |= {"turns": turns} if turns else {}
        # A trial that ended before its first recorded round has a single row, without measurements.
        rows += [{**row, **same} for row in trajectory.rows or [{"round": 0}]]
    names = [*dict.fromkeys((*REQUIRED, *(name for row in rows for name in row)))]
    return pa.Table.from_arrays([array([row.get(name) for row in rows]) for name in names], names)


def write(table: pa.Table, path: str | Path, metadata: Mapping[str, object]) -> None:
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
        _check_rows(table, metadata)
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
        _check_metadata(metadata)
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


# Required content.


def _check_metadata(metadata: Any) -> None:
    """Raise ResultError unless the metadata have all keys that a result file needs.

    The caller adds the file's name to the message.
    """
    for key in KEYS:
        value = metadata
        for part in key.split("."):
            if not isinstance(value, Mapping) or part not in value:
                raise ResultError(f"its metadata have no {key}")
            value = value[part]
    if not is_record(metadata["observed"]):
        raise ResultError("its metadata have a damaged record of inputs, under the key observed")
    asked = metadata["trials"]
    rounds = asked["cell"]["spec"]["horizon"], asked["rounds"] or 1
    are_whole = all(type(one) is int for one in (asked["first"], asked["stop"], *rounds))
    is_range = are_whole and 0 <= asked["first"] < asked["stop"]
    if asked["lane"] not in LANES or not is_range or min(rounds) < 1:
        raise ResultError("its metadata describe no trials")


def _check_rows(table: pa.Table, metadata: Mapping[str, Any]) -> None:
    """Raise ResultError unless the rows match the metadata.

    The caller adds the file's name to the message.
    """
    asked = metadata["trials"]
    if not len(table):
        raise ResultError("it has no rows")
    numeric = (pa.types.is_integer, pa.types.is_floating, pa.types.is_null)
    for name in ("trial", "round", "regret", "seconds"):
        kind = table[name].type
        if not any(is_of_kind(kind) for is_of_kind in numeric):
            raise ResultError(f"its column {name} has the type {kind}; allowed: numbers")
    for name in ("paper", "setting", "algorithm"):
        names = _distinct(table[name])
        if names != [asked["cell"][name]]:
            raise ResultError(f"its rows have {name} {names!r}, not {asked['cell'][name]!r}")
    trials = values(table["trial"])[0]
    starts = np.flatnonzero(np.diff(trials, prepend=trials[0] - 1))
    expected = [*range(asked["first"], asked["stop"])]
    if trials[starts].tolist() != expected:
        raise ResultError(
            f"its trials are {_short(trials[starts].tolist())}; expected: {_short(expected)}, "
            "each once"
        )
    marks = np.array(checkpoints(asked["cell"]["spec"]["horizon"], asked["rounds"]))
    for start, stop in zip(starts, [*starts[1:], len(trials)], strict=True):
        _check_trial(table.slice(start, stop - start), marks)


def _distinct(column: Any) -> list[Any]:
    return [*dict.fromkeys(column.to_pylist())]


def _check_trial(rows: pa.Table, marks: np.ndarray) -> None:
    """Raise ResultError unless the rows of one trial are complete, ordered and finite."""
    trial, statuses = rows["trial"][0].as_py(), _distinct(rows["status"])
    if len(statuses) > 1 or not STATUS.fullmatch(str(statuses[0])):
        raise ResultError(f"trial {trial} has status {_short(statuses)}")
    rounds, is_complete = values(rows["round"])[0], statuses[0] in COMPLETE
    if rounds.tolist() == [0] and not is_complete:  # it ended before its first recorded round
        return
    expected = marks if is_complete else marks[: len(rounds)]
    if not np.array_equal(rounds, expected):
        raise ResultError(
            f"trial {trial} with status {statuses[0]} has {len(rounds)} rounds up to "
            f"{rounds[-1]}, not {len(expected)} up to {expected[-1]}"
        )
    for name in ("regret", "seconds"):
        numbers, present = values(rows[name])
        if not (present.all() and np.isfinite(numbers).all()):
            raise ResultError(f"trial {trial} has a {name} that is not finite")
        least = np.append(0.0, numbers[:-1])
        if (numbers < least - ROUNDING * np.maximum(1.0, np.abs(least))).any():
            raise ResultError(f"trial {trial} has a {name} that decreases or is negative")


def _short(values: list[Any]) -> str:
    first = ", ".join(map(repr, values[:3]))
    return f"{first}, ... ({len(values)})" if len(values) > 3 else first or "none"
