"""The contracts of environments: finitely many arms, or a function on a box."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from optimist.core.errors import ConfigError, whole_number

LENGTH_TOLERANCE = 1e-9

# Numbers in all arms of a round, and coordinates of one, that environments are made for at most.
MOST_NUMBERS, MOST_DIMENSIONS = 10**8, 5000


class FiniteArmEnvironment(ABC):
    """Arms, mean rewards and noise of one trial.

    Rounds are numbered from 0. The reward of a (round, arm) pair is fixed by the trial alone, so
    that all algorithms meet common random numbers.

    Attributes
    ----------
    horizon : int
    theta : array or None
        What a confidence set should hold: the true parameter (d,), or the values (K,) of a
        function at fixed arms. None where there is no such thing, or it changes with the round.
    arm_bound : float
        Largest norm that an arm may have.
    arms_are_checked : bool
        Whether the arms of all rounds were checked when it was built, so that the loop need not.

    Raises
    ------
    ConfigError
        Where a subclass gets a parameter out of range.
    """

    theta: np.ndarray | None = None
    horizon: int
    arm_bound = 1.0
    arms_are_checked = False
    maximum_is_known = True

    @abstractmethod
    def arms(self, t: int) -> np.ndarray:
        """Return the arms of round ``t``, (K, d)."""

    @abstractmethod
    def means(self, t: int) -> np.ndarray:
        """Return the mean rewards of the arms of round ``t``, (K,)."""

    @abstractmethod
    def reward(self, t: int, index: int) -> float:
        """Return the reward of arm ``index`` in round ``t``."""

    def context(self, t: int) -> dict[str, Any]:
        """Return what algorithms are told along with the reward of round ``t``, by name."""
        return {}

    def truth(self, t: int) -> np.ndarray | None:
        """Return what a confidence set should hold before round ``t``; None if there is nothing."""
        return self.theta

    @abstractmethod
    def problem(self, *args: Any, **options: Any) -> Any:
        """Return what an algorithm is told, given the setting's ``problem`` options.

        Raises
        ------
        ConfigError
            For an option out of range.
        """

    def facts(self) -> dict[str, float]:
        """Return numbers about this environment that papers report, as a dict; free to be empty."""
        return {}

    def regret(self, t: int, index: int) -> float:
        """Return the pseudo-regret of arm ``index`` in round ``t``, never negative."""
        means = self.means(t)
        return float(means.max() - means[index])


class BoxEnvironment(ABC):
    """A function on a box, and the noise of one trial.

    Rounds are numbered from 0. The noise of a round is fixed by the trial alone, and so are the
    initial points: all algorithms meet common random numbers.

    Attributes
    ----------
    horizon : int
        Number of rounds, the initial ones included.
    theta : array or None
        The true parameter, where the algorithm's model holds the function.
    low, high : (d,) arrays
        Corners of the box.
    maximum : float
        What regret is counted from: the largest value of the function, or an upper bound of it if
        that is not known: tables then count from the best value that any algorithm found in trials
        of the same ``instance``.
    maximum_is_known : bool
    instance : str
        Name of the function: where it is the same, so is the function, whatever setting and trial.

    Raises
    ------
    ConfigError
        Where a subclass gets a parameter out of range.
    """

    theta: np.ndarray | None = None
    horizon: int
    low: np.ndarray
    high: np.ndarray
    maximum: float
    maximum_is_known = True
    instance: str

    @abstractmethod
    def value(self, x: np.ndarray) -> float:
        """Return the function at ``x`` (d,), a float."""

    @abstractmethod
    def reward(self, t: int, x: np.ndarray) -> float:
        """Return what is observed at ``x`` (d,) in round ``t``, a float."""

    def truth(self, t: int) -> np.ndarray | None:
        """Return what a confidence set should hold before round ``t``; None if there is nothing."""
        return self.theta

    @abstractmethod
    def problem(self, *args: Any, **options: Any) -> Any:
        """Return the `BoxProblem` that algorithms are told, given the ``problem`` options.

        Raises
        ------
        ConfigError
            For an option out of range.
        """

    def facts(self) -> dict[str, float]:
        """Return numbers about this environment that papers report, as a dict; free to be empty."""
        return {}


def check_point(x: np.ndarray, environment: Any) -> None:
    """Raise ConfigError unless ``x`` is a point (d,) of an environment's box."""
    if x.shape != environment.low.shape:
        raise ConfigError(f"point has shape {x.shape}; allowed: {environment.low.shape}")
    if not ((x >= environment.low) & (x <= environment.high)).all():
        raise ConfigError(
            f"point {x} lies outside the box; allowed: {environment.low} to {environment.high}"
        )


def check_arms(arms: Any, bound: float = 1.0) -> None:
    """Raise ConfigError unless ``arms`` is a non-empty, finite (K, d) array, norms to ``bound``."""
    if not is_array(arms):
        raise ConfigError(f"arm set is {in_words(arms)}; allowed: {ARRAY} of shape (K, d)")
    if arms.ndim != 2 or 0 in arms.shape:
        raise ConfigError(f"arm set has shape {arms.shape}; allowed: (K, d) with K, d at least 1")
    lengths = np.sqrt(np.einsum("kd,kd->k", arms, arms))
    if not np.isfinite(lengths).all():
        raise ConfigError("arm set holds a number that is not finite")
    if lengths.max() > bound + LENGTH_TOLERANCE:
        raise ConfigError(
            f"arm {lengths.argmax()} has norm {lengths.max():.6g}; allowed: at most {bound:g}"
        )


ARRAY = "a numpy array of float64, float32 or whole numbers"
_TYPES = tuple(map(np.dtype, ("float64", "float32", "int64", "int32")))


def is_array(values: Any) -> bool:
    """Return whether values are a plain array of numbers that algorithms can compute with."""
    return type(values) is np.ndarray and values.dtype in _TYPES


def in_words(values: Any) -> str:
    """Return the type of a value, and of its entries if it is a plain array."""
    name = type(values).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    return f"an array of {values.dtype}" if type(values) is np.ndarray else f"{article} {name}"


def check_sizes(dimension: int, arms: int, least_dimension: int = 1, least_arms: int = 1) -> None:
    """Raise ConfigError unless a machine can hold the arms, and the matrices of the algorithms.

    Parameters
    ----------
    dimension : int
        d, coordinates of an arm.
    arms : int
        How many there are.
    least_dimension, least_arms : int
        The least that is allowed.
    """
    whole_number("dimension", dimension, least_dimension, MOST_DIMENSIONS)
    whole_number("arms", arms, least_arms, MOST_NUMBERS // dimension)
