"""Random streams identified by names.

A stream depends only on names (of the paper, setting, trial and purpose), so results do not depend
on the executor, the number of cores, the order of jobs or the grouping of files into jobs.
"""

import hashlib

import numpy as np


def stream(*names: str | float) -> np.random.Generator:
    """Return a numpy Generator determined only by ``names`` (strings or numbers)."""
    words = np.frombuffer(_digest(names), dtype=np.uint32)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))


def seed(*names: str | float) -> int:
    """Return an integer determined only by ``names``, for seeding a process's global generators."""
    return int.from_bytes(_digest(names)[:8], "big")


def _digest(names: tuple[str | float, ...]) -> bytes:
    key = "\x1f".join(str(name) for name in names).encode()
    return hashlib.sha256(key).digest()
