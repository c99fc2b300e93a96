"""A limit on a job's time that ends its trials with a status, and a meter of what it uses.

A scheduler kills a job that takes more time than it asked for, and with it all that the job had
found. Here the trial that goes too far ends with the status ``out_of_time``, as a numerical failure
does, and its result file says so.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from optimist.core.errors import OutOfTimeError

MEGABYTE = 2**20


@contextmanager
def limited(seconds: float | None = None) -> Iterator[None]:
    """Within the block, raise `OutOfTimeError` after ``seconds`` of wall time, None for ever.

    Only in the main thread, where Python handles signals.
    """
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
