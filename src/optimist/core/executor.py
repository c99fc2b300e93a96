"""Call functions in worker processes, so that users' classes are never loaded in this one.

A user's class may do anything, so it must not run here.

Each worker (`optimist.core.worker`) has its own session, an empty standard input and a pipe to this
process. It uses the shared kernels (`optimist.core.blas_kernels`). This process copies the output
of workers to its standard error, so that a child that outlives them does not keep a pipe of the
caller open. When this process ends, for whatever reason, the workers and their children end too;
only a child that started its own session may survive.
"""

import math
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Pipe, wait
from typing import Any, TypeVar

from optimist.core import blas_kernels
from optimist.core.errors import EndedError, LateError
from optimist.core.user_errors import from_text, status_in_words

Key = TypeVar("Key")

# Seconds between checks for ended processes. A pipe alone does not show the end of a process while
# one of its children keeps the pipe open.
_SECONDS = 0.2
# Bytes that a pipe holds at most: output that it may still hold when its writers have ended.
_HELD = 2**16


@contextmanager
def relayed() -> Iterator[int]:
    """Yield a file descriptor whose content is copied to standard error.

    The block ends when all output of its own processes is copied. If a child of a class outlives it
    and keeps the descriptor open, the child's later output is still copied.
    """
    reading, writing = os.pipe()
    is_over, is_copied = threading.Event(), threading.Event()

    def copy() -> None:
        owed = _HELD
        while True:
            was_over = is_over.is_set()
            if wait([reading], _SECONDS):
                part = os.read(reading, _HELD)
                if not part:
                    break
                _write_error(part)
                owed -= len(part) * was_over
            elif was_over:  # a child holds the pipe
                owed = 0
            if owed <= 0:
                is_copied.set()
        os.close(reading)
        is_copied.set()

    threading.Thread(target=copy, daemon=True).start()
    try:
        yield writing
    finally:
        os.close(writing)
        is_over.set()
        is_copied.wait()


def _write_error(part: bytes) -> None:
    """Write to standard error; discard the text if it is closed or full."""
    while part:
        try:
            part = part[os.write(2, part) :]
        except BlockingIOError:  # another program may have made it non-blocking
            select.select([], [2], [])
        except OSError:
            return


@dataclass(frozen=True)
class Call:
    """Function call in another process.

    Attributes
    ----------
    function : str
        Name as ``module:function``. The function's first argument is a callback that sends plain
        data to the caller.
    arguments : dict
        Its other arguments, by name, as plain data.
    room : str
        Name of a group of calls; only calls with the same ``room`` may share a process.
    seconds : float or None
        Time limit of the call in seconds of wall time; when it expires, the process is killed. None
        means no limit.
    """

    function: str
    arguments: Mapping[str, object] = field(default_factory=dict)
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
        If the process ended before the function returned; the message says how. The error is a
        `LateError` if the time limit of the call expired.
    Exception
        If the function raised an exception. An exception from a user's class is replaced by one
        with the same class name and message.
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
    """Make calls in other processes and return an iterator over their messages.

    The first processes start before the iterator is returned.

    Parameters
    ----------
    waiting : dict
        Calls that have not started, by key; each is removed when it starts. The caller may delete
        calls to cancel them.
    processes : int
        Maximum number of simultaneous processes.
    is_quiet : bool
        Whether to discard the processes' output.

    Yields
    ------
    key
        Key of the call.
    word : {"progress", "done", "error"}
        Kind of message; "done" and "error" end a call.
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
            busy[key] = _worker(asked.room, idle, processes - len(busy), stream)
            busy[key].send(asked)

    with relayed() as output:
        stream = subprocess.DEVNULL if is_quiet else output
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


def _worker(room: str, idle: "list[_Worker]", most: int, stream: int) -> "_Worker":
    """Return an idle process of ``room``, or a new process.

    If a new process is needed and ``most`` processes are idle, end one of them first.
    """
    for worker in idle:
        if worker.room == room:
            idle.remove(worker)
            return worker
    if len(idle) == most:
        idle.pop(0).end()
    return _Worker(room, stream)


def _ready(busy: "dict[Key, _Worker]") -> list[Key]:
    """Wait until processes send a message, end or exceed their time limit; return their keys."""
    while True:
        sent = wait([worker.pipe for worker in busy.values()], _SECONDS)
        ready = [key for key, one in busy.items() if one.pipe in sent or one.is_over or one.is_late]
        if ready:
            return ready


class _Worker:
    """Process that executes the calls of one room; see `Call`."""

    def __init__(self, room: str, stream: int) -> None:
        self.room = room
        self._deadline = math.inf
        self.pipe, other = Pipe()
        with other:
            number = other.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "optimist.core.worker", str(number)],
                pass_fds=[number],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env=blas_kernels.environment(),
                start_new_session=True,
            )

    @property
    def is_over(self) -> bool:
        """Whether the process has ended; its children may still run and keep its pipe open."""
        return self._process.poll() is not None

    @property
    def is_late(self) -> bool:
        """Whether the time limit of the current call has expired."""
        return time.monotonic() > self._deadline

    def send(self, asked: Call) -> None:
        """Send a call to the process; if it has ended, `receive` will say so."""
        self._deadline = math.inf if asked.seconds is None else time.monotonic() + asked.seconds
        with suppress(OSError):
            self.pipe.send((asked.function, asked.arguments))

    def receive(self) -> tuple[str, Any]:
        """Return the next message of the process, or an error if it has ended or is late."""
        try:
            if self.pipe.poll():
                word, value = pickle.loads(self.pipe.recv_bytes())
                return word, from_text(value) if word == "error" else value
        except (EOFError, OSError):
            pass
        if self.is_late:
            self.end()
            return "error", LateError("its process was killed because its time limit expired")
        how = status_in_words(self.end())
        return "error", EndedError(f"its process ended with {how}")

    def end(self) -> int:
        """Kill the process and its children; return its exit status."""
        if not self.pipe.closed:
            # The system does not reuse a group's ID while one of its processes is alive.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self.pipe.close()
        return self._process.wait()
