"""Function calls in other processes, since a class that they load may do anything.

Each process (`optimist.core.worker`) has a session of its own, an empty standard input, this
process's standard error as its output, the shared kernels (`optimist.core.blas_kernels`), and a
pipe to this process. It ends with all its children when this process ends, for whatever
reason; only a child with its own session may survive.
"""

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
from optimist.core.errors import EndedError
from optimist.core.user_errors import from_text, status_in_words

Key = TypeVar("Key")

_SECONDS = 0.2  # between two checks of processes whose children may hold their pipes


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
    """

    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    room: str = ""


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
        Called with each message of the function.
    seconds : float or None
        Wall time for the start of the process and the call.
    **arguments
        Arguments of the function.

    Raises
    ------
    EndedError
        If the process ended first; the message gives its status.
    TimeoutError
        If the time runs out.
    Exception
        From the function; an error of a user's type keeps only its name and message.
    """
    result = None
    with closing(calls({"": Call(function, arguments)}, seconds=seconds)) as messages:
        for _, word, value in messages:
            if word == "error":
                raise value
            if word == "progress":
                tell(value)
            else:
                result = value
    return result


def calls(
    waiting: MutableMapping[Key, Call], processes: int = 1, seconds: float | None = None
) -> Generator[tuple[Key, str, Any], None, None]:
    """Make calls in other processes, which start on demand; yield their messages.

    Parameters
    ----------
    waiting : dict
        Calls that have not begun, by key; each is removed when it begins. Deleting an entry cancels
        its call.
    processes : int
        Largest number at a time.
    seconds : float or None
        Wall time for all of them.

    Yields
    ------
    key
        Key of the call.
    word : {"progress", "done", "error"}
        The last two end a call.
    value : object
        The message or the result of the function, or the exception that ended it.

    Raises
    ------
    TimeoutError
        If the time runs out.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    busy: dict[Key, _Worker] = {}
    idle: list[_Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < processes:
                key = next(iter(waiting))
                asked = waiting.pop(key)
                busy[key] = _worker(asked.room, idle, processes - len(busy))
                busy[key].send(asked)
            for key in _ready(busy, deadline):
                word, value = busy[key].receive()
                if word != "progress":
                    worker = busy.pop(key)
                    if worker.is_over:
                        worker.end()
                    else:
                        idle.append(worker)
                yield key, word, value
    finally:
        for worker in (*busy.values(), *idle):
            worker.end()


def _worker(room: str, idle: "list[_Worker]", most: int) -> "_Worker":
    """Return a process for a room: an idle one, or a new one in place of an idle one."""
    for worker in idle:
        if worker.room == room:
            idle.remove(worker)
            return worker
    if len(idle) == most:
        idle.pop(0).end()
    return _Worker(room)


def _ready(busy: "dict[Key, _Worker]", deadline: float | None) -> list[Key]:
    """Return the calls whose processes have sent a message or ended; wait for one if necessary."""
    while True:
        left = _SECONDS if deadline is None else deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sent = wait([worker.pipe for worker in busy.values()], min(left, _SECONDS))
        found = [key for key, one in busy.items() if one.pipe in sent or one.is_over]
        if found:
            return found


class _Worker:
    """A process that makes calls of one room."""

    def __init__(self, room: str) -> None:
        self.room = room
        self.pipe, other = Pipe()
        with other:
            number = other.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "optimist.core.worker", str(number)],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=2,
                env=blas_kernels.environment(),
                start_new_session=True,
            )

    @property
    def is_over(self) -> bool:
        """Whether the process has ended; its child may survive, and hold its pipe."""
        return self._process.poll() is not None

    def send(self, asked: Call) -> None:
        """Send a call; if the process has ended, `receive` reports it."""
        with suppress(OSError):
            self.pipe.send((asked.function, asked.arguments))

    def receive(self) -> tuple[str, Any]:
        """Return the next message of a process that sent one or ended."""
        try:
            if self.pipe.poll():
                word, value = pickle.loads(self.pipe.recv_bytes())
                return word, from_text(value) if word == "error" else value
        except (EOFError, OSError):
            pass
        how = status_in_words(self.end())
        return "error", EndedError(f"its process ended with {how}")

    def end(self) -> int:
        """Kill the process and its children; return its exit status."""
        if not self.pipe.closed:
            # Its number is not reused as long as a process of its group lives.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.pipe.close()
        return self._process.wait()
