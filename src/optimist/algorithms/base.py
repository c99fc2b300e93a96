"""The contract of an algorithm, and that of one on finite arm sets."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np


class Algorithm(ABC):
    """An algorithm.

    A subclass

    * takes the problem, then keyword options, in its constructor; stores and validates them, draws
      nothing at random and allocates nothing that grows with the data. A randomised algorithm names
      a keyword ``rng`` and is handed its own stream.
    * names its source in ``reference``, the class of problem that it is made for in
      ``problem_type``;
    * implements `select` and `update`, or `suggest`, see `FiniteArmAlgorithm` and `black_box.base`;
    * sets ``status`` (see `optimist.experiments.loop`) when a computation went wrong, and never
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
        Where a subclass gets an option out of range.
    """

    reference: ClassVar[str]
    problem_type: ClassVar[type]

    status = "ok"

    def __init__(self, problem: Any) -> None:
        self.problem = problem

    @abstractmethod
    def contains(self, thetas: np.ndarray) -> np.ndarray:
        """Return for each row of ``thetas`` (n, d) if the current confidence set holds it, (n,)."""

    def observers(self, environment: Any) -> Sequence[Any]:
        """Return observers (`optimist.experiments.loop`) of what its theory says; it may be none.

        Only the regret lane asks for them, and only published methods: ``environment`` knows the
        truth.
        """
        return ()

    def diagnostics(self) -> dict[str, float]:
        """Return counters that explain the curve, as a dict of numbers; it may be empty."""
        return {}

    def is_finite(self) -> bool:
        """Return whether every float and array among the attributes is finite."""
        numbers = (v for v in vars(self).values() if isinstance(v, float | np.ndarray))
        return all(np.isfinite(value).all() for value in numbers)

    def state_bytes(self) -> int:
        """Return the number of bytes that the algorithm's decisions depend on between rounds."""
        return sum(_nbytes(value) for name, value in vars(self).items() if name != "problem")


class FiniteArmAlgorithm(Algorithm):
    """An algorithm that picks one of finitely many arms in every round.

    `select`, `update` and `prepare` are all that is timed.
    """

    @abstractmethod
    def select(self, arms: np.ndarray) -> int:
        """Return the index of the arm to play among the rows of ``arms`` (K, d)."""

    @abstractmethod
    def update(
        self, arms: np.ndarray, index: int, reward: float, *args: Any, **context: Any
    ) -> None:
        """Learn that row ``index`` of ``arms`` (K, d) paid ``reward``.

        ``context`` is what the environment tells along with it, by name, see
        `FiniteArmEnvironment.context`; an algorithm names what it needs as arguments, instead of
        ``args`` and ``context``.
        """

    def prepare(self) -> None:
        """Do what `select` would otherwise do first, such as a fit to the last reward.

        Called after `update` and timed as part of it; it may do nothing.
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
