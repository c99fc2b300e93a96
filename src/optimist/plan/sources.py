"""Digest of the code behind what the workflow makes."""

from functools import lru_cache

from optimist.imports import closure
from optimist.root import PACKAGE
from optimist.runs import sources


@lru_cache
def code_of(*modules: str) -> str:
    """Return the digest of modules of this package and of all that they import."""
    files = sorted(set().union(*(closure(name) for name in modules)))
    return sources.digest(tuple(files))


@lru_cache
def style() -> str:
    """Return the digest of the style sheet of figures."""
    return sources.digest((str(PACKAGE / "panels" / "optimist.mplstyle"),))
