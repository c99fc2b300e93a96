"""Promises that do not hold, and two that algorithms and environments share."""

import pickle
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from optimist.contracts import faults

SAVED = "attributes that decide all later rounds, and that pickle can save"


class BrokenError(Exception):
    """A promise of a contract does not hold.

    Parameters
    ----------
    seen, allowed : str
    """

    def __init__(self, seen: str, allowed: str) -> None:
        super().__init__(f"{seen}; allowed: {allowed}")
        self.seen = seen
        self.allowed = allowed


def require(holds: object, seen: str, allowed: str) -> None:
    """Raise BrokenError unless ``holds`` is true."""
    if not holds:
        raise BrokenError(seen, allowed)


def reloaded(one: Any) -> Any:
    """Return a copy of an algorithm or an environment, saved by pickle and loaded again.

    Raises
    ------
    BrokenError
        If it cannot be saved or loaded.
    """
    try:
        return pickle.loads(pickle.dumps(one))
    except Exception as error:
        allowed = "attributes that pickle can save: no lambda, no function made in another"
        raise BrokenError(f"it cannot be saved: {faults.named(error)}", allowed) from error


@contextmanager
def untouched(user: str) -> Iterator[None]:
    """Raise BrokenError unless the generators of numpy and of Python are as before the block."""
    before = _states()
    yield
    for name, state in _states().items():
        seen = f"{user} drew from {name}, which all code of a process shares"
        require(state == before[name], seen, "the generator, or the stream, that is given")


def _states() -> dict[str, Any]:
    name, key, *rest = np.random.get_state()  # noqa: NPY002
    return {"np.random": (name, key.tolist(), *rest), "random": random.getstate()}  # type: ignore
