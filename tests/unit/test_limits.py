"""Limits: they act inside the block, where they are passed, and leave nothing behind."""

import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from optimist.errors import OutOfTimeError
from optimist.runs.limits import MEGABYTE, forget_peak_memory, limited, peak_memory


def test_time_that_is_over_stops_what_runs():
    start = time.monotonic()
    with pytest.raises(OutOfTimeError), limited(seconds=0.1):
        time.sleep(30.0)
    assert time.monotonic() - start < 10.0


def test_no_handler_for_exceptions_swallows_it():
    with pytest.raises(OutOfTimeError), limited(seconds=0.05):
        while True:
            try:
                time.sleep(1.0)
            except Exception:
                continue


def test_the_clock_is_off_afterwards():
    before = signal.getsignal(signal.SIGALRM)
    with limited(seconds=0.05):
        pass
    time.sleep(0.1)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_memory_beyond_the_limit_is_refused_and_below_it_given():
    limit = peak_memory() + 600.0
    with limited(memory_mb=limit):
        np.ones(200 * MEGABYTE // 8)
        with pytest.raises(MemoryError):
            np.ones(2000 * MEGABYTE // 8)
    np.zeros(2000 * MEGABYTE // 8)


LAPACK_WITHOUT_MEMORY = """
import sys
import numpy as np
from optimist.runs.limits import MEGABYTE, limited, peak_memory

matrix = np.eye(2500)
with limited(memory_mb=1e6):
    pass  # BLAS has its buffers
# Room for the answer, but not for the copy that LAPACK works on.
with limited(memory_mb=peak_memory() + 1.5 * matrix.nbytes / MEGABYTE):
    np.empty_like(matrix)
    try:
        getattr(np.linalg, sys.argv[1])(matrix)
    except MemoryError:
        print("refused")
"""


@pytest.mark.parametrize("name", ["cholesky", "inv", "eigh"])
def test_lapack_without_memory_gives_no_numbers(name):
    """In a process of its own, where no memory that was freed before can serve."""
    command = [sys.executable, "-c", LAPACK_WITHOUT_MEMORY, name]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_the_limit_of_the_process_is_what_it_was():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(ZeroDivisionError), limited(memory_mb=1000.0, seconds=100.0):
        _ = 1 / 0
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_without_limits_nothing_is_set():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limited():
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_in_another_thread_time_is_not_limited():
    done = []

    def work():
        with limited(seconds=0.01):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


def test_the_largest_memory_stays_until_it_is_forgotten():
    forget_peak_memory()
    before = peak_memory()
    block = np.ones(int(before + 200.0) * MEGABYTE // 8)
    largest = peak_memory()
    assert largest >= before + 190.0
    del block
    assert peak_memory() > largest - 1.0  # the kernel counts in lots of pages
    forget_peak_memory()
    assert peak_memory() < largest - 100.0
