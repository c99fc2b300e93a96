"""The generators that all code of a process shares, which nothing here may draw from."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from optimist.checks.base import require


@contextmanager
def untouched(who: str) -> Iterator[None]:
    """Raise BrokenError unless the generators of numpy and of Python are as before the block."""
    before = _states()
    yield
    for name, state in _states().items():
        seen = f"{who} drew from {name}, which all code of a process shares"
        require(state == before[name], seen, "the generator, or the stream, that is given")


def _states() -> dict[str, Any]:
    name, key, *rest = np.random.get_state()  # noqa: NPY002
    return {"np.random": (name, key.tolist(), *rest), "random": random.getstate()}  # type: ignore
