"""Provenance of a result: code, package versions and machine."""

import logging
import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from optimist.core import blas_kernels
from optimist.core.root import PACKAGE, PACKAGED, project_root

logger = logging.getLogger("optimist")

_OF_HOOKS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
PACKAGES = ("optimist", "numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "snakemake")


def collect() -> dict[str, object]:
    """Return the provenance of results that this process computes, as plain data.

    ``dirty`` states whether files differ from ``commit``. For an installed package, both are None,
    and ``packages`` gives its version. If the commit of a checkout is unavailable, ``unknown``
    gives the reason.
    """
    return {
        **_code(),
        "python": platform.python_version(),
        "packages": packages(),
        "machine": {
            "cpu": cpu_name(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "kernels": blas_kernels.chosen(),
        },
        "blas_threads": blas_threads(),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def packages() -> dict[str, str | None]:
    """Return the versions of packages that may affect results; None for a missing package."""
    return {name: _version(name) for name in PACKAGES}


def blas_threads() -> int | None:
    """Return the largest number of threads that a loaded BLAS or OpenMP library would use.

    Return None if no such library is loaded.
    """
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info()), default=None)


class _NoAnswerError(Exception):
    """Raised when git is missing, fails or does not answer; the message gives the reason."""


@lru_cache
def _code() -> dict[str, object]:
    """Return the commit of this package, and whether files differ from it.

    If the commit is unknown, log the reason once.
    """
    # Changes in the workflow's own outputs (the figures, and the verdicts in the README) do not
    # count.
    paths = (":/", ":(top,exclude)figures", ":(top,exclude)README.md")
    try:
        # An installed package may be inside another repository, whose commit is irrelevant.
        if _git("ls-files", "--", "__init__.py"):
            commit = _git("rev-parse", "HEAD")
            changes = _git("status", "--porcelain", "--untracked-files=no", "--", *paths)
            return {"commit": commit, "dirty": bool(changes)}
        reason = "the surrounding repository belongs to another project"
    except _NoAnswerError as error:
        reason = str(error)
    if _is_installed():
        return {"commit": None, "dirty": None}
    logger.warning("the commit is unknown: %s", reason)
    return {"commit": None, "dirty": None, "unknown": reason}


def _is_installed() -> bool:
    return project_root() == PACKAGED


def _git(*arguments: str) -> str:
    # Git refuses to read another user's repository, whose configuration may name programs to run.
    # Here this adds no risk: the running code comes from the same repository.
    command = ["git", "-c", "safe.directory=*", "-C", str(PACKAGE), *arguments]
    # Git hooks set these variables, perhaps for another repository.
    env = {key: value for key, value in os.environ.items() if key not in _OF_HOOKS}
    env["LC_ALL"] = "C"
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=20, env=env
        )
    except OSError:
        raise _NoAnswerError("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise _NoAnswerError("git did not answer within 20 seconds") from None
    if done.returncode:
        words = done.stderr.strip().partition("\n")[0].removeprefix("fatal: ")
        raise _NoAnswerError(f"git: {words or f'exit status {done.returncode}'}")
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def cpu_name() -> str:
    """Return the processor's model name, as reported by the system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
