"""Where a number comes from: code, versions, machine."""

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from optimist import arithmetic

PACKAGES = ("optimist", "numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "snakemake")


def collect() -> dict[str, Any]:
    """Return git commit and dirty flag, package versions, CPU and BLAS threads, as a dict.

    Both are None for a package that was installed: its version among ``packages`` says what it is.
    """
    return {
        "commit": _git("rev-parse", "HEAD"),
        "dirty": _is_dirty(),
        "python": platform.python_version(),
        "packages": packages(),
        "machine": {
            "cpu": cpu_name(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "kernels": arithmetic.chosen(),
        },
        "blas_threads": blas_threads(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def packages() -> dict[str, str | None]:
    """Return the versions of the packages that results may depend on, None where one is absent."""
    return {name: _version(name) for name in PACKAGES}


def _is_dirty() -> bool | None:
    """Return whether tracked files differ from the commit; None outside a git checkout.

    What the workflow itself writes, figures and the verdicts in the README, does not count.
    """
    paths = (":/", ":(top,exclude)figures", ":(top,exclude)README.md")
    status = _git("status", "--porcelain", "--untracked-files=no", "--", *paths)
    return None if status is None else bool(status)


def blas_threads() -> int | None:
    """Return the largest number of threads that a loaded BLAS or OpenMP library would use."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info()), default=None)


def code_of(made: Mapping[str, Any]) -> str:
    """Return which code made something, in words, from what `collect` returned then."""
    version = made["packages"].get("optimist") or "unknown"
    return f"commit {made['commit']}" if made["commit"] else f"no commit, version {version}"


@lru_cache
def _is_tracked() -> bool:
    """Return whether the git repository around this file, if any, is that of this package.

    An installed package may lie in a repository of somebody else, whose commit says nothing of it.
    """
    return _answer("ls-files", "--error-unmatch", "--", Path(__file__).name) is not None


@lru_cache
def _git(*arguments: str) -> str | None:
    """Return what git answers of this package; None if no repository holds it."""
    return _answer(*arguments) if _is_tracked() else None


def _answer(*arguments: str) -> str | None:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def cpu_name() -> str:
    """Return the processor's model name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
