"""Select one BLAS thread and one set of kernels, for identical results on every processor.

OpenBLAS and numpy have several versions of their inner loops, called kernels. Which version runs
depends on the processor, and the versions round differently. This module selects the version for
x86-64 processors since 2013 (x86-64-v3: AVX2 and fused multiply-add). Processors with AVX-512 lose
some speed (docs/performance.md), but results agree to the last bit everywhere.

The selection is by environment variables, which take effect when numpy is imported. Each computing
process therefore calls `fix` when it starts, and `verify` before it plays.
"""

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from optimist.core.errors import OptimistError

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
# If this environment variable is "own", OpenBLAS and numpy choose their kernels themselves.
OPT_OUT = "OPTIMIST_KERNELS"
# Environment variable with the ID of a process that has restarted itself.
_RESTARTED = "OPTIMIST_RESTARTED"
SHARED = frozenset(("avx2", "fma", "bmi2"))
# Names of processor features that numpy can disable; numpy 2.4 renamed them.
BEYOND = "X86_V4 AVX512_ICL AVX512_SPR"
BEYOND_OLDER = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
# Rows, inner dimension and columns of the matrix products that `verify` computes. In the second and
# third products, faulty Haswell kernels of OpenBLAS 0.3.34 (issues 6021 and 6026) overrun their
# buffer.
PRODUCTS = ((3, 5, 4), (40, 400, 2), (64, 800, 3), (130, 130, 130))


def fix() -> None:
    """Set the `variables` of a new process; restart it if numpy was imported without them.

    Raises
    ------
    OptimistError
        If numpy was imported without them again after the restart.
    """
    wanted = variables()
    present = {key: os.environ.get(key) for key in wanted}
    wrong = {key: value for key, value in present.items() if value != wanted[key]}
    os.environ.update(wanted)
    fix_order_of_sets()
    if not wrong or "numpy" not in sys.modules:
        return
    if os.environ.get(_RESTARTED) == str(os.getpid()):
        raise OptimistError(
            f"numpy is imported before every Python command, perhaps by a sitecustomize.py, with "
            f"the variables {wrong}; remove that import, or set {OPT_OUT}=own"
        )
    os.environ[_RESTARTED] = str(os.getpid())
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def fix_order_of_sets() -> None:
    """Fix the iteration order of sets in child processes such as jobs.

    A user's class may depend on this order.
    """
    os.environ["PYTHONHASHSEED"] = "0"


def variables() -> dict[str, str]:
    """Return the environment variables that select one thread and the shared kernels."""
    return dict.fromkeys(THREADS, "1") | kernels()


def environment() -> dict[str, str]:
    """Return the environment variables for a computing child process.

    They also fix the iteration order of sets, on which a user's class may depend.
    """
    return os.environ | variables() | {"PYTHONHASHSEED": "0"}


def is_shared() -> bool:
    """Return whether numpy and the loaded BLAS use the shared kernels and one thread."""
    if "numpy" not in sys.modules:
        return variables().items() <= os.environ.items()
    from threadpoolctl import threadpool_info

    current, shared = chosen(), kernels()
    beyond = set(current["numpy"]).intersection((BEYOND + " " + BEYOND_OLDER).split())
    expected = {shared["OPENBLAS_CORETYPE"]} if shared else set(current["blas"])
    threads = {pool["num_threads"] for pool in threadpool_info()}
    return set(current["blas"]) <= expected and not (shared and beyond) and threads <= {1}


def verify() -> None:
    """Check that this process computes correctly with the shared kernels.

    The check takes milliseconds.

    Raises
    ------
    OptimistError
        If numpy was loaded with other kernels, or if a matrix product differs from the sum of its
        terms.
    """
    if not is_shared():
        is_late = not variables().items() <= os.environ.items()
        why = "numpy was imported before optimist" if is_late else "this numpy has no other kernels"
        raise OptimistError(
            f"{why}: with the kernels {chosen()}, the last digits of results differ from the "
            f"published ones; run the command optimist by itself, or set {OPT_OUT}=own"
        )
    import numpy as np

    for rows, inner, columns in PRODUCTS:
        terms = np.arange(1.0, rows * inner + 1).reshape(rows, inner) % 7.0 - 3.0
        others = np.arange(1.0, inner * columns + 1).reshape(inner, columns) % 5.0 - 2.0
        # Floating-point sums of small whole numbers are exact in any order.
        if not np.array_equal(terms @ others, np.einsum("ik,kj->ij", terms, others)):
            raise OptimistError(
                f"numpy {np.__version__} multiplies matrices wrongly with the kernels {chosen()}; "
                "install another numpy, such as 'numpy<2.5', or set "
                f"{OPT_OUT}=own (the last digits then differ from the published ones)"
            )


def kernels() -> dict[str, str]:
    """Return the environment variables that choose the shared kernels.

    The result is empty if the processor cannot run these kernels or ``OPTIMIST_KERNELS`` is
    ``own``.
    """
    if os.environ.get(OPT_OUT) == "own" or not _shares_kernels():
        return {}
    is_older = tuple(map(int, version("numpy").split(".")[:2])) < (2, 4)
    disabled = BEYOND_OLDER if is_older else BEYOND
    return {
        "OPENBLAS_CORETYPE": "Haswell",
        # Without this variable, the Haswell kernels of OpenBLAS 0.3.34 derive the size of a buffer
        # from the processor's cache.
        "OPENBLAS_L2_SIZE": "256",
        "NPY_DISABLE_CPU_FEATURES": disabled,
    }


def _shares_kernels() -> bool:
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux: the processor's features are unknown before numpy is imported
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return set(flags.split()) >= SHARED


def chosen() -> dict[str, list[str]]:
    """Return the kernels of each loaded BLAS, and numpy's SIMD features beyond its baseline."""
    import numpy as np
    from threadpoolctl import threadpool_info

    config: Any = np.show_config(mode="dicts")
    blas = {pool["architecture"] for pool in threadpool_info() if pool.get("architecture")}
    return {"blas": sorted(blas), "numpy": list(config["SIMD Extensions"].get("found", []))}
