"""Digest of the code behind what the workflow makes."""

from functools import lru_cache

from optimist.files import sha256
from optimist.root import PACKAGE
from optimist.runs import code_digest


@lru_cache
def code_of(*modules: str) -> str:
    """Return the digest of modules of this package and of all that they import."""
    return code_digest.of_modules(*sorted(set(modules)))


@lru_cache
def style() -> str:
    """Return the digest of the style sheet of figures."""
    return sha256(PACKAGE / "panels" / "optimist.mplstyle")
