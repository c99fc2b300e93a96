"""Base classes for all algorithms and for those on finitely many arms."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np


class Algorithm(ABC):
    """Base class of all algorithms.

    A subclass

    * has a constructor that takes the problem and keyword options, checks the options and stores
      them, but neither draws random numbers nor allocates memory that grows with the data;
    * takes its own random stream as the keyword argument ``rng`` if it is randomised;
    * names its source in ``reference`` and its class of problems in ``problem_type``;
    * implements `select` and `update` (see `FiniteArmAlgorithm`), or `suggest` (see
      `black_box.base`);
    * sets ``status`` (see `optimist.experiments.loop`) instead of raising an exception when a
      computation fails;
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
        """Return the observers that check the algorithm's theory during a trial, if any.

        The observers can read the true parameters from ``environment``, so they run only for the
        algorithms of this package, and only in regret trials. See `optimist.environments.observer`.
        """
        return ()

    def diagnostics(self) -> dict[str, float]:
        """Return named counters that help to explain the regret curve."""
        return {}

    def is_finite(self) -> bool:
        """Return whether all float and array attributes are finite."""
        return not self.not_finite()

    def not_finite(self) -> list[str]:
        """Return the names of the float and array attributes that are not finite."""
        numbers = {k: v for k, v in vars(self).items() if isinstance(v, float | np.ndarray)}
        return [name for name, value in numbers.items() if not np.isfinite(value).all()]

    def state_bytes(self) -> int:
        """Return the size, in bytes, of the state kept between rounds."""
        return sum(_nbytes(value) for name, value in vars(self).items() if name != "problem")


class FiniteArmAlgorithm(Algorithm):
    """Base class of algorithms that play one of finitely many arms in every round.

    Only `select`, `update` and `prepare` are timed.
    """

    @abstractmethod
    def select(self, arms: np.ndarray) -> int:
        """Return the index of the row of ``arms`` (K, d) to play."""

    @abstractmethod
    def update(
        self, arms: np.ndarray, index: int, reward: float, *args: Any, **context: Any
    ) -> None:
        """Learn from the ``reward`` of the arm in row ``index`` of ``arms`` (K, d).

        ``context`` holds further named values from the environment (see
        `FiniteArmEnvironment.context`). A subclass replaces ``args`` and ``context`` with the
        arguments it needs.
        """

    def prepare(self) -> None:
        """Prepare the next call of `select`, for example by fitting a model to the rewards.

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
