"""The limit on time acts inside the block and leaves nothing behind."""

import signal
import threading
import time

import numpy as np
import pytest

from optimist.core.errors import OutOfTimeError
from optimist.experiments.limits import forget_peak_memory, limited, peak_memory


def test_no_handler_for_exceptions_swallows_it():
    with pytest.raises(OutOfTimeError), limited(seconds=0.05):
        while True:
            try:
                time.sleep(1.0)
            except Exception:
                continue


def test_the_clock_is_off_afterwards():
    before = signal.getsignal(signal.SIGALRM)
    with limited(seconds=0.5):
        pass
    time.sleep(0.6)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


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
    block = np.ones(int(before + 200.0) * 2**17)
    largest = peak_memory()
    assert largest >= before + 190.0
    del block
    assert peak_memory() > largest - 1.0  # the kernel counts in lots of pages
    forget_peak_memory()
    assert peak_memory() < largest - 100.0
