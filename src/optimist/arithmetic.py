"""The same numbers on every processor: one thread for BLAS, and one set of its kernels.

OpenBLAS and numpy look at the processor and choose among several forms of their inner loops, which
round differently. x86-64 processors since 2013 (x86-64-v3: AVX2 and fused multiply-add) share one
form. To choose it costs those with AVX-512 some speed (docs/performance.md) and gives all of them
the same last bits.
"""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
SHARED = frozenset(("avx2", "fma", "bmi2"))
# What numpy may be told not to use; it changed the names with 2.4.
BEYOND = "X86_V4 AVX512_ICL AVX512_SPR"
BEYOND_OLDER = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"


def fix() -> None:
    """Fix BLAS and OpenMP to one thread, and `fix_kernels`; call before numpy is imported."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    fix_kernels()


def fix_kernels() -> None:
    """Choose the shared kernels; call before numpy is imported.

    A variable that is set stands: ``OPENBLAS_CORETYPE=Zen`` chooses those of Zen.
    """
    for name, value in kernels().items():
        os.environ.setdefault(name, value)


def kernels() -> dict[str, str]:
    """Return the environment variables that choose the shared kernels, none where they cannot."""
    if not _shares_kernels():
        return {}
    is_older = tuple(map(int, version("numpy").split(".")[:2])) < (2, 4)
    disabled = BEYOND_OLDER if is_older else BEYOND
    return {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": disabled}


def _shares_kernels() -> bool:
    if platform.machine() not in ("x86_64", "AMD64"):
        return False
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux: what the processor has is not known before numpy is imported
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return set(flags.split()) >= SHARED


def chosen() -> dict[str, list[str]]:
    """Return which kernels this process uses: those of each BLAS, and numpy's beyond its base."""
    import numpy as np
    from threadpoolctl import threadpool_info

    config: Any = np.show_config(mode="dicts")
    blas = {pool["architecture"] for pool in threadpool_info() if pool.get("architecture")}
    return {"blas": sorted(blas), "numpy": list(config["SIMD Extensions"].get("found", []))}
