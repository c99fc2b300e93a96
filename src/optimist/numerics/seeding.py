"""Named random streams: the only place that makes generators.

A stream is derived from names (paper, name of the setting, trial, purpose), never from the order of
jobs, so a result cannot depend on the files of a job, the number of cores or the executor.
"""

import hashlib

import numpy as np


def stream(*names: str | float) -> np.random.Generator:
    """Return a numpy Generator determined by ``names`` (strings or numbers) and nothing else."""
    words = np.frombuffer(_digest(names), dtype=np.uint32)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words.tolist())))


def seed(*names: str | float) -> int:
    """Return a whole number that ``names`` determine, for the generators that processes share."""
    return int.from_bytes(_digest(names)[:8], "big")


def _digest(names: tuple[str | float, ...]) -> bytes:
    key = "\x1f".join(str(name) for name in names).encode()
    return hashlib.sha256(key).digest()
