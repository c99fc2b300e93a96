"""Result files: one Parquet file per chunk, complete or absent.

Columns: paper, setting, algorithm, trial, round, regret, seconds, status, covered, state_bytes, and
one column per diagnostic of the algorithm. The file's metadata holds the resolved cell and the
provenance of the run as JSON under the key ``optimist``.
"""

import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq

from optimist.errors import ResultError
from optimist.files import write_atomically

KEY = b"optimist"
REQUIRED = ("paper", "setting", "algorithm", "trial", "round", "regret", "seconds", "status")
# Columns that differ between two runs of the same cell.
VOLATILE = ("seconds", "select_seconds")


def to_table(cell, trajectories):
    """Return one tidy table from a mapping of trial index to `Trajectory`."""
    columns = {}
    rows = 0
    for trial, trajectory in trajectories.items():
        recorded = {name: list(values) for name, values in trajectory.columns.items()}
        length = len(recorded.get("round", []))
        if not length:  # a trial that ended before its first recorded round leaves one bare row
            recorded, length = {"round": [0], "regret": [None], "seconds": [None]}, 1
        recorded |= {
            "paper": [cell.paper] * length,
            "setting": [cell.setting] * length,
            "algorithm": [cell.algorithm] * length,
            "trial": [trial] * length,
            "status": [trajectory.status] * length,
        }
        for name in {**columns, **recorded}:
            past = columns.setdefault(name, [None] * rows)
            past.extend(recorded.get(name, [None] * length))
        rows += length
    order = [*REQUIRED, *(name for name in columns if name not in REQUIRED)]
    return pa.table({name: columns[name] for name in order})


def write(table, path, metadata):
    """Write a result table with ``metadata`` (a JSON-able dict)."""
    table = table.replace_schema_metadata({KEY: json.dumps(metadata, sort_keys=True).encode()})
    write_atomically(path, lambda temporary: pq.write_table(table, temporary, compression="zstd"))


def read(path):
    """Return the table of a result file; raise ResultError if it is damaged or not one."""
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise ResultError(f"result file {path} does not exist") from None
    except (pa.ArrowException, OSError) as error:
        raise ResultError(
            f"result file {path} is damaged ({error}); delete it and run the same command again"
        ) from error
    missing = [name for name in REQUIRED if name not in table.column_names]
    if missing:
        raise ResultError(f"result file {path} has no column {', '.join(missing)}")
    return table


def read_metadata(path):
    """Return the metadata of a result file as a dict."""
    metadata = read(path).schema.metadata or {}
    if KEY not in metadata:
        raise ResultError(f"result file {path} was not written by this project: no metadata")
    return json.loads(metadata[KEY])


def digest(table):
    """Return the SHA-256 of a table's content, without the columns that hold wall times."""
    stable = table.drop_columns([n for n in VOLATILE if n in table.column_names])
    sink = hashlib.sha256()
    for name in sorted(stable.column_names):
        sink.update(name.encode())
        sink.update(repr(stable[name].to_pylist()).encode())
    return sink.hexdigest()
