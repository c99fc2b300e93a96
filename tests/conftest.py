"""Settings shared by all tests: one BLAS thread, whatever the machine has."""

import os

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def pytest_configure():
    """Fix the number of threads before any test module imports numpy."""
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
