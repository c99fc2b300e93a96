"""Function calls in other processes, since a user's class that a function loads may do anything.

Each process (`optimist.core.worker`) has its own session, an empty standard input, this process's
standard error as its output, the shared kernels (`optimist.core.blas_kernels`), and a pipe to this
process. When this process ends, for whatever reason, the other process and its children end too;
only a child that started its own session may survive.
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

_SECONDS = 0.2  # between checks for ended processes, as their children may keep pipes open


@dataclass(frozen=True)
class Call:
    """A function call in another process.

    Attributes
    ----------
    function : str
        ``module:function``. Its first argument is a function that sends plain data to the caller.
    arguments : dict
        The other arguments of the function, by name, as plain data.
    room : str
        Calls share a process only if they have the same ``room``.
    seconds : float or None
        Time limit of the call (wall time), after which its process is killed.
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
    """Call a function in another process and return its result.

    Parameters
    ----------
    function : str
        See `Call`.
    tell : callable
        Called with each value that the function sends before it returns.
    seconds : float or None
        See `Call`.
    **arguments
        Arguments of the function.

    Raises
    ------
    EndedError
        If the process ended before the function returned; a `LateError` if its time limit expired.
        The message says how it ended.
    Exception
        If the function raised it; an exception of a user's type keeps only its name and message.
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
    """Make calls in other processes; start the first processes and return an iterator of messages.

    Parameters
    ----------
    waiting : dict
        Calls that have not started, by key; each is removed when it starts. The caller may delete
        calls to cancel them.
    processes : int
        Maximum number of processes at a time.
    is_quiet : bool
        Whether to discard the output of the processes.

    Yields
    ------
    key
        Key of the call.
    word : {"progress", "done", "error"}
        The last two end a call.
    value : object
        Value that the function sent or returned, or the exception that ended the call.
    """
    messages = _messages(waiting, processes, is_quiet)
    next(messages)
    return messages


def _messages(
    waiting: MutableMapping[Key, Call], processes: int, is_quiet: bool
) -> Generator[Any, None, None]:
    """Yield None after the first processes have started, then the messages; see `calls`."""
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
    """Return an idle process of a room or a new one, which may replace an idle process."""
    for worker in idle:
        if worker.room == room:
            idle.remove(worker)
            return worker
    if len(idle) == most:
        idle.pop(0).end()
    return _Worker(room, is_quiet)


def _ready(busy: "dict[Key, _Worker]") -> list[Key]:
    """Wait for processes that have sent a message, ended or run late; return their keys."""
    while True:
        sent = wait([worker.pipe for worker in busy.values()], _SECONDS)
        ready = [key for key, one in busy.items() if one.pipe in sent or one.is_over or one.is_late]
        if ready:
            return ready


class _Worker:
    """A process that makes the calls of one room."""

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
        """Whether the process has ended; its children may still run and keep its pipe open."""
        return self._process.poll() is not None

    @property
    def is_late(self) -> bool:
        """Whether the time limit of its call has expired."""
        return time.monotonic() > self._deadline

    def send(self, asked: Call) -> None:
        """Request a call; if the process has ended, `receive` will report it."""
        self._deadline = math.inf if asked.seconds is None else time.monotonic() + asked.seconds
        with suppress(OSError):
            self.pipe.send((asked.function, asked.arguments))

    def receive(self) -> tuple[str, Any]:
        """Return the next message of the process, or the error if it has ended or is late."""
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
            # No other process gets its ID as long as a process of its group is alive.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.pipe.close()
        return self._process.wait()
