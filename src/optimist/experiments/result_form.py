"""Required content of a result file: complete metadata, and rows that match them.

A checksum verifies the bytes of a file. The checks here verify its content: the table must contain
the expected cell and the expected trials in order, each up to its last round, with finite numbers.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa

from optimist.core.errors import ResultError
from optimist.core.layout import LANES
from optimist.core.observation import is_record
from optimist.experiments.columns import values
from optimist.experiments.loop import COMPLETE, EARLY, checkpoints
from optimist.experiments.trials import Trials

STATUS = re.compile(rf"{'|'.join(COMPLETE + EARLY)}|non_finite(: .+)?|failed: (.|\n)*")
ROUNDING = 1e-6  # largest relative decrease allowed in a cumulative value
# Keys of the metadata; a dot separates the keys of nested mappings.
KEYS = (
    *(f"trials.{name}" for name in (*(field.name for field in fields(Trials)), "code")),
    *(f"trials.cell.{name}" for name in ("paper", "setting", "algorithm", "spec.horizon")),
    *("resolved.dataset", "observed.modules", "observed.files"),
    *(f"provenance.{name}" for name in ("commit", "dirty", "python", "packages", "machine.cpu")),
)


def check_metadata(metadata: Any) -> None:
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


def check_rows(table: pa.Table, metadata: Mapping[str, Any]) -> None:
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
