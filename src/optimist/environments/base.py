"""The contract of a world with finitely many arms."""

from abc import ABC, abstractmethod

import numpy as np

from optimist.errors import ConfigError

LENGTH_TOLERANCE = 1e-9


class FiniteArmEnvironment(ABC):
    """Arms, mean rewards and noise of one trial.

    Rounds are numbered from 0. The reward of a (round, arm) pair is fixed by the trial alone, so
    that every algorithm meets the same luck.

    Attributes
    ----------
    horizon : int
    theta : array or None
        What a confidence set should hold: the true parameter (d,), or the values (K,) of a
        function at fixed arms. None where there is no such thing.
    arm_bound : float
        Largest norm that an arm may have.
    """

    theta = None
    arm_bound = 1.0

    @abstractmethod
    def arms(self, t):
        """Return the arms of round ``t``, (K, d)."""

    @abstractmethod
    def means(self, t):
        """Return the mean rewards of the arms of round ``t``, (K,)."""

    @abstractmethod
    def reward(self, t, index):
        """Return the reward of arm ``index`` in round ``t``."""

    def told(self, t):
        """Return what learners are told along with the reward of round ``t``, by name."""
        return {}

    @abstractmethod
    def problem(self, **learner):
        """Return what a learner is told, given the setting's ``learner`` options."""

    def facts(self):
        """Return numbers about this world that papers report, as a dict; free to be empty."""
        return {}

    def regret(self, t, index):
        """Return the pseudo-regret of arm ``index`` in round ``t``, never negative."""
        means = self.means(t)
        return float(means.max() - means[index])


def check_arms(arms, bound=1.0):
    """Raise ConfigError unless ``arms`` is a non-empty, finite (K, d) array, norms to ``bound``."""
    if arms.ndim != 2 or 0 in arms.shape:
        raise ConfigError(f"arm set has shape {arms.shape}; allowed: (K, d) with K, d at least 1")
    lengths = np.sqrt(np.einsum("kd,kd->k", arms, arms))
    if not np.isfinite(lengths).all():
        raise ConfigError("arm set holds a number that is not finite")
    if lengths.max() > bound + LENGTH_TOLERANCE:
        raise ConfigError(
            f"arm {lengths.argmax()} has norm {lengths.max():.6g}; allowed: at most {bound:g}"
        )
