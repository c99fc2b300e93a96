"""A trial in a copy of this process: what its class changes ends with the copy.

A class of a user may keep numbers in its module, patch numpy, or draw from a shared generator. In a
copy that is made for one trial, no other trial meets them, however many processes there are.
"""

import os
import pickle
import random
import select
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from optimist.blame import from_text, status_in_words, to_text
from optimist.errors import EndedError

CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"  # Accelerate does not survive a fork
_SECONDS = 0.2  # between two looks at a copy whose own children may hold its pipe


def isolated(function: Callable[[], Any], seed: int) -> Any:
    """Return what ``function`` returns in a copy of this process, which then ends.

    Where a system has no safe copies, macOS and Windows, the function runs here.

    Parameters
    ----------
    function : callable
        It may return what pickle can write.
    seed : int
        Of the generators that all code of a process shares, ``random`` and ``numpy.random``.

    Raises
    ------
    EndedError
        If the copy ended before the function did, by ``os._exit`` or a signal.
    Exception
        Of the function; one of a user's type comes as its name and words.
    """
    if not CAN_FORK:
        return function()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(function, seed, writing, parent)
    os.close(writing)
    try:
        content, status = _received(reading, child)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    if not content:
        raise EndedError(status_in_words(status))
    kind, value = pickle.loads(content)
    if kind == "error":
        raise from_text(value)
    return value


def _answer(function: Callable[[], Any], seed: int, writing: int, parent: int) -> NoReturn:
    """Call the function, write what it returned or raised, and end this process."""
    try:
        _end_with(parent)
        # The generators that no class should use, and some do.
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002
        content = pickle.dumps(("found", function()))
    except BaseException as error:
        content = pickle.dumps(("error", to_text(error)))
    with open(writing, "wb") as pipe:
        pipe.write(content)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _end_with(parent: int) -> None:
    """Let Linux end this process when its parent ends."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1  # PR_SET_PDEATHSIG of sys/prctl.h
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            os._exit(1)


def _received(reading: int, child: int) -> tuple[bytes, int]:
    """Return all that a copy wrote, and its exit status, negative for a signal."""
    content = b""
    ended = None
    while ended is None or select.select([reading], [], [], 0.0)[0]:
        if select.select([reading], [], [], _SECONDS)[0]:
            part = os.read(reading, 2**20)
            if not part:
                break
            content += part
        elif (found := os.waitpid(child, os.WNOHANG))[0]:
            ended = found[1]
    status = os.waitpid(child, 0)[1] if ended is None else ended
    return content, os.waitstatus_to_exitcode(status)
