"""What a class raised, in one line: which error, in which of its methods, round and line."""

import inspect
import traceback
from pathlib import Path
from types import FrameType

from optimist.algorithms.base import Algorithm

_HERE = Path(__file__).parent
# Files that play, in which a local variable t is the round.
_PLAYERS = (str(_HERE), str(_HERE.parent / "runs" / "loop.py"))
LONGEST = 240  # letters


def describe(error: BaseException, cls: type) -> str:
    """Return what was raised by a class, or by what it called, in one line."""
    frames = list(traceback.walk_tb(error.__traceback__))
    parts = [_method(frames, cls), _round(frames, cls), _line(frames, cls)]
    return ", ".join([f"raised {named(error)}", *filter(None, parts)])


def named(error: BaseException) -> str:
    """Return the type of an error and its message, in one line."""
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(text: str) -> str:
    """Return a text without breaks, and not too long."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _method(frames: list[tuple[FrameType, int]], cls: type) -> str:
    """Return in which method of the class the way to the error began."""
    own = [f for f, _ in frames if f.f_code.co_filename == source(cls)]
    inherited = [f for f, _ in frames if isinstance(f.f_locals.get("self"), cls)]
    found = (own or inherited)[:1]
    return f"in {found[0].f_code.co_name}" if found else ""


def _round(frames: list[tuple[FrameType, int]], cls: type) -> str:
    """Return the round, as who wrote the class counts: environments get t, from 0."""
    playing = [f for f, _ in frames if f.f_code.co_filename.startswith(_PLAYERS)]
    rounds = [f.f_locals["t"] for f in playing if isinstance(f.f_locals.get("t"), int)]
    if not rounds:
        return ""
    return f"round {rounds[-1] + 1}" if issubclass(cls, Algorithm) else f"t = {rounds[-1]}"


def _line(frames: list[tuple[FrameType, int]], cls: type) -> str:
    """Return the last line of the class's file on the way to the error, or the last of all."""
    places = [(f.f_code.co_filename, line) for f, line in frames]
    own = [place for place in places if place[0] == source(cls)]
    found = (own or places)[-1:]
    return f"{Path(found[0][0]).name} line {found[0][1]}" if found else ""


def source(cls: type) -> str | None:
    """Return the path of the file that defines a class, None if there is none."""
    try:
        return inspect.getsourcefile(cls)
    except (OSError, TypeError):
        return None
