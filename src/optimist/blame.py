"""Errors of added classes in one line: what happened, and in which line of a user's file."""

import logging
import site
import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

from optimist.root import PACKAGE

# Folders of code that nobody who adds an algorithm has written.
_PATHS = ("stdlib", "platstdlib", "purelib", "platlib")
_OTHERS = {
    PACKAGE,
    *(Path(sysconfig.get_path(name)) for name in _PATHS),
    *map(Path, (*site.getsitepackages(), site.getusersitepackages())),
}
SCRIPTS = ".snakemake"  # the workflow's scripts are copied there


def line_of_user(found: TracebackType | None) -> str:
    """Return the innermost line of a traceback that a user wrote, ``mine.py, line 12``, or ""."""
    # Compiled code, and what is frozen into Python, has names that are no paths.
    files = [f for f in traceback.extract_tb(found) if Path(f.filename).is_absolute()]
    own = [f for f in files if not _OTHERS.intersection(Path(f.filename).parents)]
    own = [f for f in own if SCRIPTS not in Path(f.filename).parts]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""


def of_system(error: BaseException) -> str:
    """Return what the system has against a file, in words, or "" if a user's line raised it."""
    if not isinstance(error, OSError) or line_of_user(error.__traceback__):
        return ""
    return f"{error.filename or 'system'}: {error.strerror or error}"


def in_one_line(error: BaseException, place: str = "") -> str:
    """Return kind and words of an error, and where it came from.

    Parameters
    ----------
    error : exception
    place : str
        Where it came from, for one whose own traceback was cut off.
    """
    words = " ".join(str(error).split())
    place = place or line_of_user(error.__traceback__)
    said = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"{said} ({place})" if place else said


class Places(logging.Handler):
    """Knows where the last error that was logged came from, in a file of the user."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._error: BaseException | None = None
        self._place = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Look at the traceback of an error."""
        if record.exc_info:
            _, self._error, found = record.exc_info
            self._place = line_of_user(found)

    def has(self, error: BaseException) -> bool:
        """Return whether an error was the last one that was logged with its traceback."""
        return self._error is error

    def of(self, error: BaseException) -> str:
        """Return where such an error came from, ``mine.py, line 12``, or ""."""
        return self._place if self.has(error) else ""
