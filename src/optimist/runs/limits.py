"""Limits on a job's memory and time that end its trials with a status.

A scheduler kills a job that takes more memory or time than it asked for, and with it all that the
job had found. Here the trial that goes too far ends with the status ``out_of_memory`` or
``out_of_time``, as a numerical failure does, and its result file says so.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from optimist.errors import OutOfTimeError

MEGABYTE = 2**20


@contextmanager
def limited(memory_mb: float | None = None, seconds: float | None = None) -> Iterator[None]:
    """Within the block, raise MemoryError or `OutOfTimeError` where a limit is passed.

    Parameters
    ----------
    memory_mb : float or None
        Memory of the whole process in MiB. Linux only: the kernel refuses private memory beyond
        what the process has now plus what it may still grow by.
    seconds : float or None
        Wall time from now. Only in the main thread, where Python handles signals.
    """
    with _memory(memory_mb), _time(seconds):
        yield


@contextmanager
def _memory(memory_mb: float | None) -> Iterator[None]:
    if memory_mb is not None:
        _warm_up()
    state = _process_state()
    if memory_mb is None or state is None:
        yield
        return
    import resource

    room = memory_mb * MEGABYTE - state["VmRSS"]
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    ceiling = state["VmData"] + max(0, int(room))
    if hard != resource.RLIM_INFINITY:
        ceiling = min(ceiling, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (ceiling, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@lru_cache
def _warm_up() -> None:
    """Let BLAS, of numpy and of scipy, have its buffers: it ends the process if it cannot.

    OpenBLAS takes them for products of matrices of more than 100 rows, where it has other code for
    small ones.
    """
    import numpy as np

    from optimist.numerics.compiled import blas

    square = np.ones((128, 128))
    blas.dgemm(1.0, square, square @ square)


@contextmanager
def _time(seconds: float | None) -> Iterator[None]:
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum, frame):
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


class Meter:
    """What is used within blocks that it opens.

    Attributes
    ----------
    cpu_seconds : float
        Processor time of all threads of this process and of its children that ended, in seconds:
        it does not tell what else the machine did meanwhile.
    peak_mb : float or None
        Largest resident memory of this process, or of a child, in MiB, None if unknown.
    """

    def __init__(self) -> None:
        self.cpu_seconds = 0.0
        self.peak_mb: float | None = None
        self._start = 0.0
        self._children = 0.0, 0.0

    def __enter__(self) -> Self:
        forget_peak_memory()
        self._start = time.process_time()
        self._children = _children()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        seconds, peak_of_child = _children()
        of_children = seconds - self._children[0]
        self.cpu_seconds += time.process_time() - self._start + of_children
        peak = peak_memory()
        if peak is not None:
            peak = max(peak, peak_of_child if of_children else 0.0)
        self.peak_mb = max(peak, self.peak_mb or 0.0) if peak is not None else None

    @property
    def use(self) -> dict[str, Any]:
        """What was used, as plain data."""
        return {"cpu_seconds": self.cpu_seconds, "peak_mb": self.peak_mb}


def _children() -> tuple[float, float]:
    """Return processor seconds of all children that ended, and MiB of the largest."""
    try:
        import resource
    except ImportError:
        return 0.0, 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def forget_peak_memory() -> None:
    """Let `peak_memory` count from now on, where Linux permits that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> float | None:
    """Return the largest resident memory of this process so far in MiB, None if unknown."""
    state = _process_state()
    return None if state is None else state["VmHWM"] / MEGABYTE


def _process_state() -> dict[str, int] | None:
    """Return the sizes in bytes that Linux tells of this process, by name; None elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    sizes = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(size) * 1024 for name, size, _ in sizes}
