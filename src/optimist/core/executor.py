"""Functions that other processes call, since a class that they load may do anything.

Each process (`optimist.core.worker`) has a session of its own, an empty standard input, this
process's standard error as its output, the shared kernels (`optimist.core.blas_kernels`), and a
pipe to this process. It ends with all its children when this process ends, however that happens;
only a child that made a session of its own may be left.
"""

import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, MutableMapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe, wait
from typing import Any, TypeVar

from optimist.core import blas_kernels
from optimist.core.errors import EndedError, LateError
from optimist.core.user_errors import from_text, status_in_words

Key = TypeVar("Key")

_SECONDS = 0.2  # between two looks at processes whose own children may hold their pipes


@dataclass(frozen=True)
class Call:
    """A call of a function in another process.

    Attributes
    ----------
    function : str
        ``module:function``. Its first argument is a function that sends plain data to the caller.
    arguments : dict
        Its other arguments, by name, as plain data.
    room : str
        One process serves calls of one room only.
    seconds : float or None
        Wall time for the call, after which its process is killed.
    """

    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    room: str = ""
    seconds: float | None = None


def call(
    function: str,
    tell: Callable[[Any], None] = lambda value: None,
    seconds: float | None = None,
    **arguments: Any,
) -> Any:
    """Call one function in another process; return its result.

    Parameters
    ----------
    function : str
        See `Call`.
    tell : callable
        Called with whatever the function sends meanwhile.
    seconds : float or None
        See `Call`.
    **arguments
        Of the function.

    Raises
    ------
    EndedError
        If the process ended first, a `LateError` if its time was over; the message says how.
    Exception
        From the function; an error of a user's type keeps only its name and message.
    """
    result = None
    with closing(calls({"": Call(function, arguments, seconds=seconds)})) as messages:
        for _, word, value in messages:
            if word == "error":
                raise value
            if word == "progress":
                tell(value)
            else:
                result = value
    return result


def calls(
    waiting: MutableMapping[Key, Call],
    processes: int = 1,
    is_quiet: bool = False,
) -> Generator[tuple[Key, str, Any], None, None]:
    """Make calls in other processes; return their messages, once the first processes have started.

    Parameters
    ----------
    waiting : dict
        Calls that have not begun, by key; each is removed when it begins. A caller cancels further
        calls by deleting them.
    processes : int
        At most so many at once.
    is_quiet : bool
        Whether the output of the processes is dropped.

    Yields
    ------
    key
        Of the call.
    word : {"progress", "done", "error"}
        The last two end a call.
    value : object
        What the function sent or returned, or the exception that ended it.
    """
    messages = _messages(waiting, processes, is_quiet)
    next(messages)
    return messages


def _messages(
    waiting: MutableMapping[Key, Call], processes: int, is_quiet: bool
) -> Generator[Any, None, None]:
    """Yield None, then messages, see `calls`."""
    busy: dict[Key, _Worker] = {}
    idle: list[_Worker] = []

    def begin() -> None:
        while waiting and len(busy) < processes:
            key = next(iter(waiting))
            asked = waiting.pop(key)
            busy[key] = _worker(asked.room, idle, processes - len(busy), is_quiet)
            busy[key].send(asked)

    try:
        begin()
        yield None
        while busy:
            for key in _ready(busy):
                word, value = busy[key].receive()
                if word != "progress":
                    worker = busy.pop(key)
                    if worker.is_over:
                        worker.end()
                    else:
                        idle.append(worker)
                yield key, word, value
            begin()
    finally:
        for worker in (*busy.values(), *idle):
            worker.end()


def _worker(room: str, idle: "list[_Worker]", most: int, is_quiet: bool) -> "_Worker":
    """Return a process for a room: an idle one, or a new one in place of an idle one."""
    for worker in idle:
        if worker.room == room:
            idle.remove(worker)
            return worker
    if len(idle) == most:
        idle.pop(0).end()
    return _Worker(room, is_quiet)


def _ready(busy: "dict[Key, _Worker]") -> list[Key]:
    """Return the calls whose processes have sent something or ended; wait for some."""
    while True:
        sent = wait([worker.pipe for worker in busy.values()], _SECONDS)
        ready = [key for key, one in busy.items() if one.pipe in sent or one.is_over or one.is_late]
        if ready:
            return ready


class _Worker:
    """A process that makes calls of one room."""

    def __init__(self, room: str, is_quiet: bool) -> None:
        self.room = room
        self._deadline = math.inf
        self.pipe, other = Pipe()
        with other:
            number = other.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "optimist.core.worker", str(number)],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if is_quiet else 2,
                stderr=subprocess.DEVNULL if is_quiet else None,
                env=blas_kernels.environment(),
                start_new_session=True,
            )

    @property
    def is_over(self) -> bool:
        """Whether the process has ended; a child of it may go on, and hold its pipe."""
        return self._process.poll() is not None

    @property
    def is_late(self) -> bool:
        """Whether the time of its call is over."""
        return time.monotonic() > self._deadline

    def send(self, asked: Call) -> None:
        """Ask for a call; of a process that has ended, `receive` tells that."""
        self._deadline = math.inf if asked.seconds is None else time.monotonic() + asked.seconds
        with suppress(OSError):
            self.pipe.send((asked.function, asked.arguments))

    def receive(self) -> tuple[str, Any]:
        """Return the next message of a process that has sent one or ended."""
        try:
            if self.pipe.poll():
                word, value = pickle.loads(self.pipe.recv_bytes())
                return word, from_text(value) if word == "error" else value
        except (EOFError, OSError):
            pass
        if self.is_late:
            self.end()
            return "error", LateError("its process was killed, as its time was over")
        how = status_in_words(self.end())
        return "error", EndedError(f"its process ended with {how}")

    def end(self) -> int:
        """Kill the process and its children; return its exit status."""
        if not self.pipe.closed:
            # No other process has its number as long as one of its group lives.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.pipe.close()
        return self._process.wait()
