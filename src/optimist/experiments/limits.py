"""Limit the time of a job's trials, and measure their use of processor time and memory.

A job that exceeds its requested time is killed by the scheduler and loses all its results. To
prevent this, a trial that exceeds its limit ends early, as it would after a numerical failure; the
result file records its status, ``out_of_time``.
"""

import re
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from optimist.core.errors import OutOfTimeError


@contextmanager
def limited(seconds: float | None = None) -> Iterator[None]:
    """Raise `OutOfTimeError` in the ``with`` block after ``seconds`` of wall time.

    There is no limit if ``seconds`` is None, or outside the main thread, the only one in which
    Python handles signals.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


class Meter:
    """Meter of the processor time and memory used within ``with`` blocks.

    Attributes
    ----------
    cpu_seconds : float
        Processor time, in seconds, of all threads of this process and of its ended children. It
        does not depend on other load on the machine.
    peak_mb : float or None
        Peak resident memory, in MiB, of this process or of an ended child, whichever is larger;
        None if unknown.
    """

    def __init__(self) -> None:
        self.cpu_seconds = 0.0
        self.peak_mb: float | None = None
        self._start = 0.0, 0.0

    def __enter__(self) -> Self:
        forget_peak_memory()
        self._start = time.process_time(), _seconds_of_children()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        of_children = _seconds_of_children() - self._start[1]
        self.cpu_seconds += time.process_time() - self._start[0] + of_children
        peak = peak_memory()
        if peak is not None:
            largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            self.peak_mb = max(peak, largest if of_children else 0.0, self.peak_mb or 0.0)

    @property
    def use(self) -> dict[str, float | None]:
        """The measurements, as plain data."""
        return {"cpu_seconds": self.cpu_seconds, "peak_mb": self.peak_mb}


def _seconds_of_children() -> float:
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def forget_peak_memory() -> None:
    """Reset the value of `peak_memory` where Linux permits it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> float | None:
    """Return the peak resident memory of this process in MiB, or None if it is unknown."""
    try:
        largest = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        return None
    return int(largest[1]) / 1024 if largest else None
