"""Errors of added classes in one line: what happened, and in which line of a user's file."""

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


def line_of_user(found: TracebackType | None) -> str:
    """Return the innermost line of a traceback that a user wrote, ``mine.py, line 12``, or ""."""
    # Compiled code, and what is frozen into Python, has names that are no paths.
    files = [f for f in traceback.extract_tb(found) if Path(f.filename).is_absolute()]
    own = [f for f in files if not _OTHERS.intersection(Path(f.filename).parents)]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""


def in_one_line(error: BaseException, place: str = "") -> str:
    """Return kind and words of an error, and where it came from.

    Parameters
    ----------
    error : exception
    place : str
        Where it came from if its own traceback does not say so, as of one that was cut off.
    """
    words = " ".join(str(error).split())
    place = line_of_user(error.__traceback__) or place
    said = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"{said} ({place})" if place else said
