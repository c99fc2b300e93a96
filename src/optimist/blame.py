"""Errors of added classes in one line: what happened, and in which line of a user's file."""

import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

from optimist.root import PACKAGE

# Folders of code that nobody who adds an algorithm has written.
_OTHERS = (PACKAGE, *map(Path, (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))))


def line_of_user(found: TracebackType | None) -> str:
    """Return the innermost line of a traceback that a user wrote, ``mine.py, line 12``, or ""."""
    frames = [f for f in traceback.extract_tb(found) if not f.filename.startswith("<frozen")]
    outside = [f for f in frames if not set(_OTHERS).intersection(Path(f.filename).parents)]
    return f"{Path(outside[-1].filename).name}, line {outside[-1].lineno}" if outside else ""


def in_one_line(error: BaseException, place: str = "") -> str:
    """Return kind and words of an error, and where it came from: in ``place`` if that is known."""
    words = " ".join(str(error).split())
    place = line_of_user(error.__traceback__) or place
    said = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"{said} ({place})" if place else said
