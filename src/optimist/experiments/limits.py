"""A limit on a job's time that ends its trials with a status, and a meter of its use.

A scheduler kills a job that exceeds its requested time, and all its results are lost. Here the
trial that exceeds the limit ends with the status ``out_of_time``, as after a numerical failure, and
its result file says so.
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
    """Within the block, raise `OutOfTimeError` after ``seconds`` of wall time; None: never.

    Only in the main thread, where Python handles signals.
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
    """Resource use within blocks that it opens.

    Attributes
    ----------
    cpu_seconds : float
        Processor time of all threads of this process and of its ended children, in seconds,
        independent of other load of the machine.
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
        """The measured use, as plain data."""
        return {"cpu_seconds": self.cpu_seconds, "peak_mb": self.peak_mb}


def _children() -> tuple[float, float]:
    """Return processor seconds of all ended children, and MiB of the largest."""
    try:
        import resource
    except ImportError:
        return 0.0, 0.0
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def forget_peak_memory() -> None:
    """Reset `peak_memory`, where Linux permits that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> float | None:
    """Return the largest resident memory of this process so far in MiB, None if unknown."""
    state = _process_state()
    return None if state is None else state["VmHWM"] / MEGABYTE


def _process_state() -> dict[str, int] | None:
    """Return the sizes in bytes that Linux reports for this process, by name; None elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    sizes = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(size) * 1024 for name, size, _ in sizes}
