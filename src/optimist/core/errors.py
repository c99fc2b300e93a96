"""Errors for users, with the fault, its place and the allowed values."""

import difflib
import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

# Error numbers of a file system that cannot take more files.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
LONGEST = 80  # letters of a text in a message
_REMEDY = "fix that and run the same command again"
# The subset for the folder of another user.
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
_ELSEWHERE = f"{_REMEDY}, or work in a copy of the folder, or one of your own (`optimist init DIR`)"


class OptimistError(Exception):
    """Base of all errors that users see as one message, without a traceback."""


class ConfigError(OptimistError):
    """A configuration value, a name or an option is wrong."""


class BrokenEnvironmentError(ConfigError):
    """An environment breaks its contract during play; the algorithm is not at fault."""


class DataError(OptimistError):
    """A data set cannot be fetched, or has the wrong content."""


class ResultError(OptimistError):
    """A result file is missing, damaged or belongs to another cell."""


class EndedError(OptimistError):
    """The process of a user's class ended before its trial did; the message says how."""


class LateError(EndedError):
    """The process of a call was killed when the time of the call was over."""


class UnreadableError(OptimistError):
    """A file cannot be read; this implies nothing about its content."""


class UnwritableError(OptimistError):
    """A file system cannot take more files."""


class OutOfTimeError(BaseException):
    """A job's time is over; not an Exception, so that solvers do not catch it."""


@contextmanager
def unwritable_named(path: str = "") -> Iterator[None]:
    """Turn errors of a full or read-only file system into `UnwritableError`.

    Parameters
    ----------
    path : str
        The file to name if the system names none.
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
    """Make a folder unless it exists; raise UnwritableError if it takes no files."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error
    if not os.access(folder, os.W_OK):
        raise not_writable(folder)


def not_writable(folder: str) -> UnwritableError:
    """Return the error for a folder that takes no files because it belongs to another user."""
    return UnwritableError(f"{folder} cannot be written to; {_ELSEWHERE}")


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the closest allowed name, or an empty string."""
    matches = difflib.get_close_matches(str(name), list(map(str, allowed)), n=1, cutoff=0.5)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def unknown_name(kind: str, name: str, allowed: Iterable[str]) -> ConfigError:
    """Return the error for a name that is not in ``allowed``, with the nearest one."""
    allowed = sorted(allowed)
    return ConfigError(
        f"unknown {kind} {name!r}{nearest(name, allowed)}; allowed: {', '.join(allowed)}"
    )


def brief(text: str) -> str:
    """Return a text in quotes; a long one is cut, and its length added."""
    if len(text) <= LONGEST:
        return repr(text)
    return f"{text[:LONGEST]!r}... ({len(text)} letters)"


def one_of(key: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Return ``value`` if it is one of ``allowed`` (true is not 1); raise ConfigError otherwise."""
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
    """Raise ConfigError unless a text is ``word``; ``otherwise`` says what else is allowed."""
    if value != word:
        raise ConfigError(
            f"{key} is {value!r}{nearest(value, [word])}; allowed: {word}, or {otherwise}"
        )


def positive(key: str, value: Any) -> float:
    """Return ``value`` as a float if it is finite and positive; raise ConfigError otherwise."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < float("inf")
    ):
        raise ConfigError(f"{key} is {value!r}; allowed: a positive number")
    return float(value)


def proportion(key: str, value: Any) -> float:
    """Return ``value`` as a float if it is between 0 and 1; raise ConfigError otherwise."""
    if not positive(key, value) < 1.0:
        raise ConfigError(f"{key} is {value!r}; allowed: a number between 0 and 1")
    return float(value)


def whole_number(key: str, value: Any, least: int = 1, most: int = 10**9) -> int:
    """Return ``value`` if it is an integer from ``least`` to ``most``, or raise ConfigError."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ConfigError(f"{key} is {value!r}; allowed: a whole number, at least {least}")
    if value > most:
        raise ConfigError(f"{key} is {value!r}; allowed: at most {most}")
    return value
