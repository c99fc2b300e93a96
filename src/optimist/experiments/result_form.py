"""Required content of a result file: metadata of one form, and rows that match them.

A seal confirms the bytes. These checks confirm that a table is the expected one: of this cell and
these trials, each up to its last round, in order, with finite numbers.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from optimist.core.errors import ResultError
from optimist.core.layout import LANES
from optimist.experiments.columns import values
from optimist.experiments.loop import COMPLETE, EARLY, checkpoints

STATUS = re.compile(rf"{'|'.join(COMPLETE + EARLY)}|non_finite|timeout|failed: (.|\n)*")
ROUNDING = 1e-6  # relative decrease that a cumulative regret may have
_TEXTS = ("paper", "setting", "algorithm", "status")
_COUNTS, _NUMBERS = ("trial", "round"), ("regret", "seconds")
_NOTHING = type(None)
# Types by key; a nested mapping describes a mapping.
FORM: dict[str, Any] = {
    "trials": {
        "lane": str,
        "cell": {"paper": str, "setting": str, "algorithm": str, "spec": {"horizon": int}},
        "first": int,
        "stop": int,
        "rounds": (int, _NOTHING),
        "probe": (dict, _NOTHING),
        "time_limit": (int, float, _NOTHING),
        "group": str,
        "race": str,
        "rivals": str,
        "code": str,
    },
    "resolved": {"dataset": (str, _NOTHING)},
    "observed": {"modules": dict, "files": dict},
    "provenance": {
        "commit": (str, _NOTHING),
        "dirty": (bool, _NOTHING),
        "python": str,
        "packages": dict,
        "machine": {"cpu": str},
    },
}


def check_metadata(metadata: Any) -> None:
    """Raise ResultError, without a path, unless metadata have the form of a result's."""
    for fault in _faults(metadata, FORM, ""):
        raise ResultError(f"its metadata have {fault}")
    for kind, digests in metadata["observed"].items():
        for name, digest in digests.items():
            if not isinstance(digest, str):
                raise ResultError(f"its metadata have observed.{kind}.{name} {digest!r}")
    asked = metadata["trials"]
    is_range = 0 <= asked["first"] < asked["stop"]
    rounds = asked["cell"]["spec"]["horizon"], asked["rounds"] or 1
    if asked["lane"] not in LANES or not is_range or min(rounds) < 1:
        raise ResultError("its metadata describe no trials")


def _faults(value: Any, form: Any, place: str) -> Iterator[str]:
    if not isinstance(form, Mapping):
        kinds = form if isinstance(form, tuple) else (form,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            yield f"{place} {value!r}"
    elif not isinstance(value, Mapping):
        yield f"{place or 'the value'} {value!r}"
    else:
        for key, below in form.items():
            name = f"{place}.{key}" if place else key
            if key not in value:
                yield f"no {name}"
            else:
                yield from _faults(value[key], below, name)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def check_rows(table: pa.Table, metadata: Mapping[str, Any]) -> None:
    """Raise ResultError, without a path, unless the metadata describe the rows."""
    asked = metadata["trials"]
    _check_types(table)
    for name in ("paper", "setting", "algorithm"):
        found = _distinct(table[name])
        if found != [asked["cell"][name]]:
            raise ResultError(f"it has rows of {name} {found!r}, not {asked['cell'][name]!r}")
    trials = values(table["trial"])[0]
    starts = np.flatnonzero(np.diff(trials, prepend=trials[0] - 1))
    expected = [*range(asked["first"], asked["stop"])]
    if trials[starts].tolist() != expected:
        raise ResultError(
            f"it has trials {_short(trials[starts].tolist())}, not {_short(expected)}, each once"
        )
    marks = np.array(checkpoints(asked["cell"]["spec"]["horizon"], asked["rounds"]))
    for start, stop in zip(starts, [*starts[1:], len(trials)], strict=True):
        _check_trial(table.slice(start, stop - start), marks)


def _distinct(column: Any) -> list[Any]:
    """Return the distinct values of a column of texts, in order."""
    return [*dict.fromkeys(column.to_pylist())]


def _check_types(table: pa.Table) -> None:
    kinds = (
        (_TEXTS, _is_text, "texts"),
        (_COUNTS, pa.types.is_integer, "whole numbers"),
        (_NUMBERS, lambda kind: pa.types.is_floating(kind) or pa.types.is_null(kind), "numbers"),
    )
    for names, is_kind, words in kinds:
        for name in names:
            column = table[name]
            if not is_kind(column.type) or (words != "numbers" and column.null_count):
                raise ResultError(f"its column {name} is {column.type}; allowed: {words}")
    if not len(table):
        raise ResultError("it has no rows")


def _check_trial(rows: pa.Table, marks: np.ndarray) -> None:
    """Raise ResultError unless the rows of one trial are complete, ordered and finite."""
    trial, statuses = rows["trial"][0].as_py(), _distinct(rows["status"])
    if len(statuses) > 1 or not STATUS.fullmatch(statuses[0]):
        raise ResultError(f"trial {trial} has status {_short(statuses)}")
    rounds, is_complete = values(rows["round"])[0], statuses[0] in COMPLETE
    if rounds.tolist() == [0] and not is_complete:  # it ended before its first recorded round
        return
    expected = marks if is_complete else marks[: len(rounds)]
    if not np.array_equal(rounds, expected):
        raise ResultError(
            f"trial {trial}, {statuses[0]}, has {len(rounds)} rounds up to {rounds[-1]}, not "
            f"{len(expected)} up to {expected[-1]}"
        )
    for name in _NUMBERS:
        numbers, present = values(rows[name])
        if not (present.all() and np.isfinite(numbers).all()):
            raise ResultError(f"trial {trial} has a {name} that is not finite")
        least = np.append(0.0, numbers[:-1])
        if (numbers < least - ROUNDING * np.maximum(1.0, np.abs(least))).any():
            raise ResultError(f"trial {trial} has a {name} that decreases or is negative")


def _short(found: list[Any]) -> str:
    shown = ", ".join(map(repr, found[:3]))
    return f"{shown}, ... ({len(found)})" if len(found) > 3 else shown or "none"
