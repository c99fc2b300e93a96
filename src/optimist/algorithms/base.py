"""Base classes of all algorithms, and of algorithms on finite sets of arms."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np


class Algorithm(ABC):
    """Base class of all algorithms.

    A subclass

    * takes the problem, followed by keyword options, in its constructor, which validates and stores
      them, but draws nothing at random and allocates nothing that grows with the data; a randomised
      algorithm has a keyword ``rng``, which receives its own random stream;
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
        """Return whether each row of ``thetas`` lies in the current confidence set.

        Parameters
        ----------
        thetas : (n, d) array

        Returns
        -------
        (n,) array of bool
        """

    def observers(self, environment: Any) -> Sequence[Any]:
        """Return the observers of a trial that check the algorithm's theory; may be empty.

        They are used only in regret trials of published methods, because ``environment`` knows the
        truth. See `optimist.environments.observer`.
        """
        return ()

    def diagnostics(self) -> dict[str, float]:
        """Return counters that help to explain the regret curve, by name; may be empty."""
        return {}

    def is_finite(self) -> bool:
        """Return whether all attributes that are floats or arrays are finite."""
        numbers = (v for v in vars(self).values() if isinstance(v, float | np.ndarray))
        return all(np.isfinite(value).all() for value in numbers)

    def state_bytes(self) -> int:
        """Return the size in bytes of the state that is kept between rounds for decisions."""
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

        ``context`` holds further named values from the environment (see
        `FiniteArmEnvironment.context`). In place of ``args`` and ``context``, a subclass declares
        the arguments that it needs.
        """

    def prepare(self) -> None:
        """Do work that `select` would otherwise do first, such as a fit to the last reward.

        Implementing it is optional. It is called after `update` and timed as part of it.
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
