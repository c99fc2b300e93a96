"""Base classes of environments with finitely many arms and of environments on a box."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from optimist.core.errors import ConfigError, whole_number

LENGTH_TOLERANCE = 1e-9

# Limits on the entries in a round's array of arms and on the coordinates of an arm.
MOST_NUMBERS, MOST_DIMENSIONS = 10**8, 5000


class Environment(ABC):
    """Base class of environments.

    An environment knows the truth and describes the problem to algorithms.
    """

    theta: np.ndarray | None = None
    horizon: int
    maximum_is_known = True

    def truth(self, t: int) -> np.ndarray | None:
        """Return the truth that the confidence set should contain before round ``t``, or None."""
        return self.theta

    @abstractmethod
    def problem(self, *args: Any, **options: Any) -> Any:
        """Construct the problem that algorithms see.

        The options come from the setting's key ``problem``.

        Raises
        ------
        ConfigError
            If an option is out of range.
        """

    def facts(self) -> dict[str, float]:
        """Return the numbers that papers report about this environment, by name."""
        return {}


class FiniteArmEnvironment(Environment):
    """Base class of environments with finitely many arms; each instance serves one trial.

    Rounds are numbered from 0. The reward of a (round, arm) pair depends only on the trial, so
    all algorithms see common random numbers.

    Attributes
    ----------
    horizon : int
    theta : array or None
        The truth that a confidence set should contain: the true parameter, of shape (d,), or the
        values of a function at fixed arms, of shape (K,). None if there is no truth, or if the
        truth changes from round to round.
    arm_bound : float
        Largest allowed norm of an arm.
    arms_are_checked : bool
        Whether the arms of all rounds were checked at construction; if so, the loop does not check
        them again.

    Raises
    ------
    ConfigError
        If a parameter of a subclass is out of range.
    """

    arm_bound = 1.0
    arms_are_checked = False

    @abstractmethod
    def arms(self, t: int) -> np.ndarray:
        """Return the arms of round ``t``, of shape (K, d)."""

    @abstractmethod
    def means(self, t: int) -> np.ndarray:
        """Return the mean rewards of the arms in round ``t``, of shape (K,)."""

    @abstractmethod
    def reward(self, t: int, index: int) -> float:
        """Return the reward of arm ``index`` in round ``t``."""

    def context(self, t: int) -> dict[str, object]:
        """Return a dict of the information that comes with the reward of round ``t``."""
        return {}

    def regret(self, t: int, index: int) -> float:
        """Return the nonnegative pseudo-regret of arm ``index`` in round ``t``."""
        means = self.means(t)
        return float(means.max() - means[index])


class BoxEnvironment(Environment):
    """Base class of environments with a function on a box; each instance serves one trial.

    Rounds are numbered from 0. The noise of a round and the initial points depend only on the
    trial, so all algorithms see common random numbers.

    Attributes
    ----------
    horizon : int
        Number of rounds, including the initial ones.
    theta : array or None
        The true parameter if the algorithm's model contains the function, otherwise None.
    low, high : (d,) arrays
        Corners of the box.
    maximum : float
        Reference value for the regret: the largest value of the function or, if
        ``maximum_is_known`` is False, an upper bound on it.
    maximum_is_known : bool
        If False, tables measure regret from the best value found in any trial of the same
        ``instance``.
    instance : str
        Name of the function; settings or trials that share the name share the function.

    Raises
    ------
    ConfigError
        If a parameter of a subclass is out of range.
    """

    low: np.ndarray
    high: np.ndarray
    maximum: float
    instance: str

    @abstractmethod
    def value(self, x: np.ndarray) -> float:
        """Return the value of the function at the point ``x``, of shape (d,)."""

    @abstractmethod
    def reward(self, t: int, x: np.ndarray) -> float:
        """Return the noisy observation at the point ``x``, of shape (d,), in round ``t``."""


def check_point(x: np.ndarray, environment: Any) -> None:
    """Raise ConfigError unless ``x`` is a point of shape (d,) in the environment's box."""
    if x.shape != environment.low.shape:
        raise ConfigError(f"point has shape {x.shape}; allowed: {environment.low.shape}")
    if not ((x >= environment.low) & (x <= environment.high)).all():
        raise ConfigError(
            f"point {x} lies outside the box; allowed: {environment.low} to {environment.high}"
        )


def check_arms(arms: Any, bound: float = 1.0) -> None:
    """Raise ConfigError unless ``arms`` is a valid array of arms.

    It must be a nonempty array of shape (K, d) with finite entries and row norms of at most
    ``bound``.
    """
    if not is_array(arms):
        raise ConfigError(f"arm set is {in_words(arms)}; allowed: {ARRAY} of shape (K, d)")
    if arms.ndim != 2 or 0 in arms.shape:
        raise ConfigError(f"arm set has shape {arms.shape}; allowed: (K, d) with K, d at least 1")
    lengths = np.sqrt(np.einsum("kd,kd->k", arms, arms))
    if not np.isfinite(lengths).all():
        raise ConfigError("arm set contains a number that is not finite")
    if lengths.max() > bound + LENGTH_TOLERANCE:
        raise ConfigError(
            f"arm {lengths.argmax()} has norm {lengths.max():.6g}; allowed: at most {bound:g}"
        )


ARRAY = "a numpy array of float64, float32 or whole numbers"
_TYPES = tuple(map(np.dtype, ("float64", "float32", "int64", "int32")))


def is_array(values: Any) -> bool:
    """Return whether ``values`` is a numpy array with a dtype that algorithms accept."""
    return type(values) is np.ndarray and values.dtype in _TYPES


def in_words(values: Any) -> str:
    """Describe the type of a value in words; for a numpy array, give its dtype."""
    name = type(values).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    return f"an array of {values.dtype}" if type(values) is np.ndarray else f"{article} {name}"


def check_sizes(dimension: int, arms: int, least_dimension: int = 1, least_arms: int = 1) -> None:
    """Raise ConfigError unless the arms and the algorithms' matrices fit into memory.

    Parameters
    ----------
    dimension : int
        d, the number of coordinates of an arm.
    arms : int
        Number of arms.
    least_dimension, least_arms : int
        Smallest allowed values of ``dimension`` and ``arms``.
    """
    whole_number("dimension", dimension, least_dimension, MOST_DIMENSIONS)
    whole_number("arms", arms, least_arms, MOST_NUMBERS // dimension)
