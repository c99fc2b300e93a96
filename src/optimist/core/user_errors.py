"""Describe an error in one line, with its type, message, source line and round."""

import inspect
import pickle
import signal
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from optimist.core.errors import OptimistError
from optimist.core.root import PACKAGE
from optimist.core.source_files import is_of_user

_METHODS = {PACKAGE / "algorithms", PACKAGE / "environments"}
_PLACE = "_place_in_file_of_user"  # attribute: source line of an error that lost its traceback
ROUND = "_round_in_words"  # attribute: round of an error, as in ", in round 7"


def line_of_user(trace: TracebackType | None) -> str:
    """Return the innermost line of user code in a traceback, as in ``mine.py, line 12``, or ""."""
    return _last_line(trace, is_of_user)


def _last_line(trace: TracebackType | None, is_wanted: Callable[[str], bool]) -> str:
    """Return a traceback's innermost line in a file that ``is_wanted`` accepts, or ""."""
    # The file names of compiled code and frozen modules are not paths.
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(trace)]
    lines = [f"{p.name}, line {n}" for p, n in frames if p.is_absolute() and is_wanted(str(p))]
    return lines[-1] if lines else ""


def _of_methods(path: str) -> bool:
    return not _METHODS.isdisjoint(Path(path).parents)


def of_system(error: BaseException) -> str:
    """Describe an OSError in words; return "" for other errors and errors from users' code."""
    if not isinstance(error, OSError) or line_of_user(error.__traceback__):
        return ""
    return words_of_system(error)


def words_of_system(error: OSError) -> str:
    """Describe a system error in words, with the name of the file."""
    return f"{error.filename or 'system'}: {error.strerror or error}"


def in_one_line(error: BaseException) -> str:
    """Return an error's type, message and origin in one line."""
    words = " ".join(str(error).split())
    said = f"{type(error).__name__}: {words}" if words else type(error).__name__
    place = f" ({where})" if (where := _place(error)) else ""
    return f"{said}{place}{getattr(error, ROUND, '')}"


def _place(error: BaseException) -> str:
    """Return the innermost line of user code in an error's traceback; see `line_of_user`.

    If there is none, return the innermost line of an algorithm or environment, or "".
    """
    trace = error.__traceback__
    return getattr(error, _PLACE, "") or line_of_user(trace) or _last_line(trace, _of_methods)


def definition(cls: type) -> str:
    """Return where a class is defined, as in `` (mine.py, line 7)``, or "" if it has no file."""
    with suppress(OSError, TypeError):
        return f" ({Path(inspect.getfile(cls)).name}, line {inspect.getsourcelines(cls)[1]})"
    return ""


class _InOtherProcess(Exception):
    """Traceback from another process; a log shows it before this process's traceback."""

    def __str__(self) -> str:
        return f"in another process\n{self.args[0]}"


def to_text(error: BaseException) -> dict[str, object]:
    """Convert an error to plain data, from which `from_text` rebuilds it in another process.

    An error of this package or of the operating system keeps its type if it can be pickled.
    """
    plain: dict[str, object] = {"type": type(error).__name__, "words": "", "traceback": ""}
    plain |= {"place": _place(error), ROUND: getattr(error, ROUND, ""), "pickled": None}
    with suppress(Exception):  # a user's error may fail to format its message
        plain["words"] = str(error)
        plain["traceback"] = "".join(traceback.format_exception(error)).rstrip()
    is_ours = isinstance(error, OptimistError) and type(error).__module__.startswith("optimist.")
    if is_ours or of_system(error):
        with suppress(Exception):
            pickled = pickle.dumps(error)
            pickle.loads(pickled)
            plain["pickled"] = pickled
    return plain


def from_text(plain: Mapping[str, Any]) -> BaseException:
    """Rebuild an error from the output of `to_text`; its cause shows the original traceback."""
    if plain["pickled"] is not None:
        original: BaseException = pickle.loads(plain["pickled"])
        return original
    error: BaseException = type(plain["type"], (Exception,), {})(plain["words"])
    setattr(error, _PLACE, plain["place"])
    setattr(error, ROUND, plain[ROUND])
    error.__cause__ = _InOtherProcess(plain["traceback"])
    return error


def traceback_of(error: BaseException) -> str:
    """Return one traceback: that of an error's cause, from the process in which it was raised."""
    cause = error.__cause__ or error
    for one in (cause, cause.__cause__):
        if isinstance(one, _InOtherProcess):
            return str(one.args[0])
    return "".join(traceback.format_exception(cause)).rstrip()


def is_cut(error: BaseException) -> bool:
    """Return whether an error came from another process and lost its own traceback."""
    return hasattr(error, _PLACE)


def status_in_words(status: int) -> str:
    """Describe how a process ended; a negative status is minus the number of a signal."""
    if status >= 0:
        return f"exit status {status}, perhaps from os._exit in a class"
    names = {each.value: each.name for each in signal.Signals}  # real-time signals have none
    name = names.get(-status, str(-status))
    why = "perhaps for lack of memory" if name == "SIGKILL" else "perhaps a crash in compiled code"
    return f"signal {name}, {why}"
