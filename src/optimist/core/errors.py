"""Errors shown to users; each message states the fault, its location and the allowed values."""

import difflib
import errno
import math
import os
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

# Error numbers of a file system that is full or does not permit writing.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
LONGEST = 80  # maximum number of characters quoted in a message
_REMEDY = "fix that and run the same command again"
# Error numbers that may indicate another user's folder.
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_ELSEWHERE = f"{_REMEDY}, or work in a copy of the folder or in a new one (`optimist init DIR`)"


class OptimistError(Exception):
    """Base class of errors shown to users as a message without a traceback."""


class ConfigError(OptimistError):
    """Raised when a configuration value, a name or an option is wrong."""


class BrokenPackageError(ConfigError):
    """Raised when an installed package offers a class, but its module cannot be loaded."""


class BrokenEnvironmentError(ConfigError):
    """Raised when an environment, not the algorithm, breaks its contract during a trial."""


class DataError(OptimistError):
    """Raised when a data set cannot be fetched or has the wrong content."""


class ResultError(OptimistError):
    """Raised when a result file is missing, is damaged or belongs to another cell."""


class EndedError(OptimistError):
    """Raised when a process that runs a user's class ends before it returns a result.

    The message says how the process ended.
    """


class LateError(EndedError):
    """Raised when a process is killed because a call exceeded its time limit."""


class UnreadableError(OptimistError):
    """Raised when a file cannot be read; its content may still be intact."""


class UnwritableError(OptimistError):
    """Raised when a file or a folder cannot be written to."""


class OutOfTimeError(BaseException):
    """Raised when a job's time limit expires.

    It does not derive from Exception, so that solvers do not catch it.
    """


@contextmanager
def unwritable_named(path: str = "") -> Iterator[None]:
    """Convert an OSError to `UnwritableError` if a file system is full or forbids writing.

    Parameters
    ----------
    path : str
        File to name in the message if the OSError names none.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise _unwritable(error.filename or path, error) from error


def _unwritable(path: str, error: OSError) -> UnwritableError:
    fault = os.strerror(error.errno) if error.errno else str(error)
    remedy = _ELSEWHERE if error.errno in _CLOSED else _REMEDY
    return UnwritableError(f"{path}: {fault}; {remedy}")


def check_writable(folder: str) -> None:
    """Create a folder unless it exists; raise UnwritableError if it is not writable."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error
    if not os.access(folder, os.W_OK):
        raise not_writable(folder)


def not_writable(folder: str) -> UnwritableError:
    """Return the error for a folder that this user may not write to."""
    return UnwritableError(f"{folder} cannot be written to; {_ELSEWHERE}")


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the closest allowed name, or an empty string."""
    matches = difflib.get_close_matches(str(name), list(map(str, allowed)), n=1, cutoff=0.5)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def unknown_name(kind: str, name: str, allowed: Iterable[str]) -> ConfigError:
    """Return the error for a name not in ``allowed``; it suggests the nearest allowed name."""
    allowed = sorted(allowed)
    return ConfigError(
        f"unknown {kind} {name!r}{nearest(name, allowed)}; allowed: {', '.join(allowed)}"
    )


def known_name(kind: str, name: str, allowed: Collection[str]) -> str:
    """Return ``name`` if it is in ``allowed``; raise the error of `unknown_name` otherwise."""
    if name not in allowed:
        raise unknown_name(kind, name, allowed)
    return name


def brief(text: str) -> str:
    """Quote a text; if it is long, truncate it and add its length."""
    if len(text) <= LONGEST:
        return repr(text)
    return f"{text[:LONGEST]!r}... ({len(text)} characters)"


def one_of(key: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Return ``value`` if ``allowed`` contains it with the same type; else raise ConfigError."""
    allowed = list(allowed)
    if not any(type(value) is type(a) and value == a for a in allowed):
        names = [_in_label(a) for a in allowed]
        raise ConfigError(f"{key} is {value!r}{nearest(value, names)}; allowed: {', '.join(names)}")
    return value


def _in_label(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def only_word(key: str, value: str, word: str, otherwise: str) -> None:
    """Raise ConfigError unless ``value`` is ``word``.

    The message ends with ``otherwise``, a description of the other allowed values.
    """
    if value != word:
        raise ConfigError(
            f"{key} is {value!r}{nearest(value, [word])}; allowed: {word}, or {otherwise}"
        )


def positive(key: str, value: Any) -> float:
    """Return ``value`` as a float if it is finite and positive; raise ConfigError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ConfigError(f"{key} is {value!r}; allowed: a positive number")
    return float(value)


def not_negative(key: str, value: Any, most: float = sys.float_info.max) -> float:
    """Return ``value`` as a float if it is in [0, ``most``]; raise ConfigError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        limit = "" if most == sys.float_info.max else f", at most {most:g}"
        raise ConfigError(f"{key} is {value!r}; allowed: a number, at least 0{limit}")
    return float(value)


def proportion(key: str, value: Any) -> float:
    """Return ``value`` as a float if it is in (0, 1); raise ConfigError otherwise."""
    if not positive(key, value) < 1.0:
        raise ConfigError(f"{key} is {value!r}; allowed: a number between 0 and 1")
    return float(value)


def whole_number(key: str, value: Any, least: int = 1, most: int = 10**9) -> int:
    """Return ``value`` if it is an int from ``least`` to ``most``; raise ConfigError otherwise."""
    if isinstance(value, int | float) and value > most:
        raise ConfigError(f"{key} is {value!r}; allowed: a whole number from {least} to {most}")
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{key} is {value!r}; allowed: a whole number, at least {least}")
    return value
