"""What environments with one pool share: views of it, subsets, and noise that arms share."""

from typing import Any

import numpy as np

from optimist.environments.base import FiniteArmEnvironment, check_arms
from optimist.errors import ConfigError, whole_number


class PoolEnvironment(FiniteArmEnvironment):
    """Base of the environments whose arms and mean rewards stay what they are.

    The noise of a round is the same for all arms; a subclass hands `fill` all there is to know.
    """

    def fill(
        self,
        arms: np.ndarray,
        means: np.ndarray,
        noise: np.ndarray,
        offered: np.ndarray | None = None,
    ) -> None:
        """Set the environment.

        Parameters
        ----------
        arms : (A, d) array
        means : (A,) array
            Mean rewards.
        noise : (T,) array
            What is added in each round.
        offered : (T, K) array of int, or None
            The arms on offer in each round; None for all.
        """
        check_arms(arms, self.arm_bound)
        self._arms, self._means = arms, means
        self._offered = offered
        self._gaps = (means.max() - means).tolist()
        self._best: Any = None if offered is None else means[offered].max(axis=1).tolist()
        self._noise = np.asarray(noise).tolist()
        # Algorithms get views of these; none may change the environment.
        arms.flags.writeable = False
        means.flags.writeable = False

    def arms(self, t: int) -> np.ndarray:
        return self._offer(self._arms, t)

    def means(self, t: int) -> np.ndarray:
        return self._offer(self._means, t)

    def regret(self, t: int, index: int) -> float:
        if self._offered is None:
            return self._gaps[index]
        return self._best[t] - float(self._means[self._offered[t, index]])

    def reward(self, t: int, index: int) -> float:
        place = index if self._offered is None else self._offered[t, index]
        return float(self._means[place]) + self._noise[t]

    def _offer(self, values: np.ndarray, t: int) -> np.ndarray:
        if self._offered is None:
            return values
        offered = values[self._offered[t]]
        offered.flags.writeable = False
        return offered


def check_subset(subset: int | None, arms: int) -> None:
    """Raise ConfigError unless ``subset`` is None or a number of arms from 1 to ``arms``."""
    if subset is not None and whole_number("subset", subset) > arms:
        raise ConfigError(f"subset is {subset}; allowed: at most arms, which is {arms}")
