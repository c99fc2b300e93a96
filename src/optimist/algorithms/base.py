"""Base class of all algorithms, and base class of algorithms on finitely many arms."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np


class Algorithm(ABC):
    """Base class of all algorithms.

    A subclass

    * has a constructor that takes the problem, followed by keyword options; it validates and stores
      them, but draws no random numbers and allocates nothing that grows with the data; in a
      randomised algorithm, its keyword ``rng`` receives the algorithm's own random stream;
    * names its source in ``reference`` and the class of its problem in ``problem_type``;
    * implements `select` and `update`, or `suggest` (see `FiniteArmAlgorithm` and
      `black_box.base`);
    * sets ``status`` (see `optimist.experiments.loop`) when a computation fails, instead of raising
      an exception;
    * never modifies its arguments.

    Parameters
    ----------
    problem : object
        A problem from `optimist.environments.problems`.

    Raises
    ------
    ConfigError
        If an option of a subclass is out of range.
    """

    reference: ClassVar[str]
    problem_type: ClassVar[type]

    status = "ok"

    def __init__(self, problem: Any) -> None:
        self.problem = problem

    @abstractmethod
    def contains(self, thetas: np.ndarray) -> np.ndarray:
        """Return, for each row of ``thetas``, whether it lies in the current confidence set.

        Parameters
        ----------
        thetas : (n, d) array

        Returns
        -------
        (n,) array of bool
        """

    def observers(self, environment: Any) -> Sequence[Any]:
        """Return the observers that check the algorithm's theory during a trial; may be empty.

        They are used only in regret trials of published methods, because they have access to
        ``environment``, which knows the truth. See `optimist.environments.observer`.
        """
        return ()

    def diagnostics(self) -> dict[str, float]:
        """Return a dict from names to counters that help to explain the regret curve."""
        return {}

    def is_finite(self) -> bool:
        """Return whether all attributes that are floats or arrays are finite."""
        numbers = (v for v in vars(self).values() if isinstance(v, float | np.ndarray))
        return all(np.isfinite(value).all() for value in numbers)

    def state_bytes(self) -> int:
        """Return the size, in bytes, of the state kept between rounds to make decisions."""
        return sum(_nbytes(value) for name, value in vars(self).items() if name != "problem")


class FiniteArmAlgorithm(Algorithm):
    """An algorithm that picks one of finitely many arms in every round.

    Only `select`, `update` and `prepare` are timed.
    """

    @abstractmethod
    def select(self, arms: np.ndarray) -> int:
        """Choose the arm to play, and return the index of its row in ``arms`` (K, d)."""

    @abstractmethod
    def update(
        self, arms: np.ndarray, index: int, reward: float, *args: Any, **context: Any
    ) -> None:
        """Learn from the ``reward`` for playing row ``index`` of ``arms`` (K, d).

        ``context`` holds further named values from the environment (see
        `FiniteArmEnvironment.context`). A subclass replaces ``args`` and ``context`` with the
        arguments that it needs.
        """

    def prepare(self) -> None:
        """Do work that the next `select` would otherwise have to do, such as a fit to the rewards.

        Overriding this method is optional. It is called after `update` and timed as part of it.
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
