"""Run foreign code in a copy of this process, so that its side effects end with the copy.

A user's class may store numbers in its module, patch numpy, start threads or draw from a shared
generator. This process never loads the class. Each copy loads it for one trial, so its side effects
reach no other trial, however many processes there are.
"""

import os
import pickle
import random
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from optimist.core import observation
from optimist.core.errors import EndedError
from optimist.core.user_errors import from_text, status_in_words, to_text

CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"  # Apple's Accelerate fails after a fork
# Seconds between checks for the end of the copy, whose children may keep the pipe open.
_SECONDS = 0.2


def isolated(function: Callable[[], Any], seed: int) -> Any:
    """Call ``function`` in a copy of this process and return its result; the copy then ends.

    Files that the copy reads are recorded as if this process had read them; see
    `optimist.core.observation`.

    On systems that cannot copy a process safely (macOS and Windows), the function runs in this
    process.

    Parameters
    ----------
    function : callable
        Its result must be picklable.
    seed : int
        Seed of the copy's global generators in ``random`` and ``numpy.random``.

    Raises
    ------
    EndedError
        If the copy ended before the function returned, through ``os._exit`` or a signal.
    Exception
        If the function raises one. An exception from a user's class is replaced by one with the
        same class name and message.
    """
    if not CAN_FORK:
        return function()
    sys.stdout.flush()
    sys.stderr.flush()
    observer = observation.active()
    parent = os.getpid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(function, seed, writing, parent, observer)
    os.close(writing)
    try:
        content, status = _received(reading, child)
    except BaseException:
        with suppress(ChildProcessError, ProcessLookupError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise
    finally:
        os.close(reading)
    if not content:
        raise EndedError(f"its process ended with {status_in_words(status)}")
    kind, value = pickle.loads(content)
    if kind == "error":
        raise from_text(value)
    answer, report = value
    if observer is not None:
        observer.add(report)
    return answer


def _answer(
    function: Callable[[], Any],
    seed: int,
    writing: int,
    parent: int,
    observer: observation.Observer | None,
) -> NoReturn:
    """Call the function, write its result or its error to the pipe, and end this process."""
    status = 1
    try:
        try:
            _end_with(parent)
            # Users' classes should not use these global generators, but some do.
            random.seed(seed)
            np.random.seed(seed % 2**32)  # noqa: NPY002
            content = pickle.dumps(("found", (function(), observer and observer.report())))
        except BaseException as error:
            content = pickle.dumps(("error", to_text(error)))
        with open(writing, "wb") as pipe:
            pipe.write(content)
        sys.stdout.flush()
        sys.stderr.flush()
        status = 0
    finally:  # the copy must not continue with the caller's code
        os._exit(status)


def _end_with(parent: int) -> None:
    """On Linux, ask the kernel to kill this process when its parent ends."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1  # PR_SET_PDEATHSIG of sys/prctl.h
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # the parent has already ended
            os._exit(1)


def _received(reading: int, child: int) -> tuple[bytes, int]:
    """Return a copy's output and its exit status, which is negative after a signal."""
    content = b""
    ended = None
    while ended is None or select.select([reading], [], [], 0.0)[0]:
        if select.select([reading], [], [], _SECONDS)[0]:
            part = os.read(reading, 2**20)
            if not part:
                break
            content += part
        else:
            ended = _status(child, os.WNOHANG)
    status = _status(child, 0) if ended is None else ended
    return content, os.waitstatus_to_exitcode(status or 0)


def _status(child: int, options: int) -> int | None:
    """Return a child's wait status: None while it runs, 0 if the system discarded the status."""
    try:
        ended, status = os.waitpid(child, options)
    except ChildProcessError:
        return 0
    return status if ended else None
