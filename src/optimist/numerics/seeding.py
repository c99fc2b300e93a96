"""Random streams identified by names.

A stream depends on names (of the paper, setting, trial and purpose), never on the order of jobs.
Therefore, results cannot depend on the number of cores, on the executor or on how files are grouped
into jobs.
"""

import hashlib

import numpy as np


def stream(*names: str | float) -> np.random.Generator:
    """Return a numpy Generator determined only by ``names`` (strings or numbers)."""
    words = np.frombuffer(_digest(names), dtype=np.uint32)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))


def seed(*names: str | float) -> int:
    """Return a whole number determined only by ``names``, to seed a process's global generators."""
    return int.from_bytes(_digest(names)[:8], "big")


def _digest(names: tuple[str | float, ...]) -> bytes:
    key = "\x1f".join(str(name) for name in names).encode()
    return hashlib.sha256(key).digest()
