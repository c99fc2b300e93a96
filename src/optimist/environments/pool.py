"""Base class of environments whose rounds all take their arms from one pool."""

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from optimist.core.errors import ConfigError, whole_number
from optimist.environments.base import FiniteArmEnvironment, check_arms


class PoolEnvironment(FiniteArmEnvironment):
    """Base class of environments with a pool of arms whose mean rewards are constant.

    The noise of a round is the same for all arms. A subclass passes arms, means and noise to
    `fill`.
    """

    arms_are_checked = True

    def fill(
        self,
        arms: np.ndarray,
        means: np.ndarray | Callable[[], np.ndarray],
        noise: np.ndarray,
        offered: np.ndarray | None = None,
    ) -> None:
        """Set the arms, their mean rewards and the noise.

        Parameters
        ----------
        arms : (A, d) array
        means : (A,) array, or a callable that returns it
            Mean rewards. A callable is called when they are first needed; it must be picklable,
            since the environment stores it.
        noise : (T,) array
            Noise of each round.
        offered : (T, K) array of int, or None
            Indices of the arms that each round offers; None means all arms.

        Raises
        ------
        ConfigError
            If `check_arms` rejects the arms.
        """
        check_arms(arms, self.arm_bound)
        self._evaluate = means if callable(means) else partial(np.asarray, means)
        self._arms, self._offered = _frozen(arms), offered
        self._noise = np.asarray(noise).tolist()

    @cached_property
    def _means(self) -> np.ndarray:
        return _frozen(self._evaluate())

    @cached_property
    def _rounds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Each round's arms, of shape (T, K, d), and their means, of shape (T, K).

        None if every round offers all arms.
        """
        if self._offered is None:
            return None
        return _frozen(self._arms[self._offered]), _frozen(self._means[self._offered])

    @cached_property
    def _gaps(self) -> list[float]:
        return (self._means.max() - self._means).tolist()

    @cached_property
    def _best(self) -> list[float]:
        return [] if self._rounds is None else self._rounds[1].max(axis=1).tolist()

    def arms(self, t: int) -> np.ndarray:
        return self._arms if self._rounds is None else self._rounds[0][t]

    def means(self, t: int) -> np.ndarray:
        return self._means if self._rounds is None else self._rounds[1][t]

    def regret(self, t: int, index: int) -> float:
        if self._rounds is None:
            return self._gaps[index]
        return self._best[t] - float(self._rounds[1][t, index])

    def reward(self, t: int, index: int) -> float:
        means = self._means if self._rounds is None else self._rounds[1][t]
        return float(means[index]) + self._noise[t]


def _frozen(values: np.ndarray) -> np.ndarray:
    """Make an array read-only and return it; algorithms get views of it."""
    values.flags.writeable = False
    return values


def check_subset(subset: int | None, arms: int) -> None:
    """Raise ConfigError unless ``subset`` is None or a number of arms from 1 to ``arms``."""
    if subset is not None and whole_number("subset", subset) > arms:
        raise ConfigError(f"subset is {subset}; allowed: at most the number of arms, {arms}")
