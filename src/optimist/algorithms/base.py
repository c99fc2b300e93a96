"""The contracts of an algorithm, and of an algorithm on finite arm sets."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np


class Algorithm(ABC):
    """An algorithm.

    A subclass

    * takes the problem, then keyword options, in its constructor; stores and validates them, draws
      nothing at random and allocates nothing that grows with the data. A randomised algorithm has
      a keyword ``rng`` and gets its own stream.
    * names its source in ``reference`` and the class of its problem in ``problem_type``;
    * implements `select` and `update`, or `suggest`, see `FiniteArmAlgorithm` and `black_box.base`;
    * sets ``status`` (see `optimist.experiments.loop`) when a computation fails, and never
    raises for
      it;
    * never changes its arguments.

    Parameters
    ----------
    problem : object
        One of `optimist.environments.problems`.

    Raises
    ------
    ConfigError
        If a subclass gets an option out of range.
    """

    reference: ClassVar[str]
    problem_type: ClassVar[type]

    status = "ok"

    def __init__(self, problem: Any) -> None:
        self.problem = problem

    @abstractmethod
    def contains(self, thetas: np.ndarray) -> np.ndarray:
        """Return if the current confidence set holds each row of ``thetas`` (n, d), as (n,)."""

    def observers(self, environment: Any) -> Sequence[Any]:
        """Return observers (`optimist.experiments.loop`) that check its theory; may be empty.

        Only the regret lane asks for them, and only for published methods: ``environment`` knows
        the truth.
        """
        return ()

    def diagnostics(self) -> dict[str, float]:
        """Return counters that explain the curve, as a dict of numbers; it may be empty."""
        return {}

    def is_finite(self) -> bool:
        """Return whether all floats and arrays among the attributes are finite."""
        numbers = (v for v in vars(self).values() if isinstance(v, float | np.ndarray))
        return all(np.isfinite(value).all() for value in numbers)

    def state_bytes(self) -> int:
        """Return the number of bytes of the state that decisions use between rounds."""
        return sum(_nbytes(value) for name, value in vars(self).items() if name != "problem")


class FiniteArmAlgorithm(Algorithm):
    """An algorithm that picks one of finitely many arms in every round.

    Only `select`, `update` and `prepare` are timed.
    """

    @abstractmethod
    def select(self, arms: np.ndarray) -> int:
        """Return the index of the arm to play among the rows of ``arms`` (K, d)."""

    @abstractmethod
    def update(
        self, arms: np.ndarray, index: int, reward: float, *args: Any, **context: Any
    ) -> None:
        """Learn from the ``reward`` of row ``index`` of ``arms`` (K, d).

        ``context`` holds further information from the environment, by name, see
        `FiniteArmEnvironment.context`; an algorithm names the arguments that it needs instead of
        ``args`` and ``context``.
        """

    def prepare(self) -> None:
        """Optional work that `select` would otherwise do first, such as a fit to the last reward.

        Called after `update` and timed as part of it.
        """


def _nbytes(value):
    if isinstance(value, dict):
        return sum(_nbytes(k) + _nbytes(v) for k, v in value.items())
    if isinstance(value, list | tuple | set):
        return sum(_nbytes(v) for v in value)
    if isinstance(value, bool | int | float):
        return np.float64().nbytes
    if isinstance(value, bytes | str):
        return len(value)
    return getattr(value, "nbytes", 0)
