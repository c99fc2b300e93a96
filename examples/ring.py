r"""Arms on a circle whose best one turns: the class of `new_setting.py`.

K arms of norm 1 stand evenly around the origin of the plane. In round t the first stands at the
angle $t\omega$; a reward is 1 or 0, with mean
$$\mu(x) = \frac1{1+\exp(-x^\top\theta_*)}.$$
"""

from collections.abc import Callable

import numpy as np

from optimist.core.errors import positive
from optimist.environments.base import FiniteArmEnvironment, check_sizes
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.links import make_link


class Ring(FiniteArmEnvironment):
    r"""A new direction of $\theta_*$ in every trial.

    Parameters
    ----------
    horizon : int
        T, the number of rounds, which algorithms are told.
    trial : int
        Number of the trial, from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator of this setting and trial.
    norm : float
        Norm of $\theta_*$, positive.
    arms : int
        K, arms per round.
    speed : float
        $\omega$, in radians per round.

    Raises
    ------
    ConfigError
        For a value out of range.
    """

    theta: np.ndarray

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        norm: float = 3.0,
        arms: int = 12,
        speed: float = 0.1,
    ) -> None:
        check_sizes(2, arms)
        self.horizon = horizon
        self.link = make_link("logistic")
        angle = stream("instance").uniform(0.0, 2.0 * np.pi)
        self.theta = positive("norm", norm) * np.array([np.cos(angle), np.sin(angle)])
        self._angles = 2.0 * np.pi * np.arange(arms) / arms
        self._speed = float(speed)
        # One number for each round and arm, whatever is played: trials are paired.
        self._draws = stream("rewards").random((horizon, arms))

    def arms(self, t: int) -> np.ndarray:
        """Return the arms of round ``t``, (K, d)."""
        angles = self._angles + t * self._speed
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def means(self, t: int) -> np.ndarray:
        """Return the mean rewards of the arms of round ``t``, (K,)."""
        return self.link.mean(self.arms(t) @ self.theta)

    def reward(self, t: int, index: int) -> float:
        """Return the reward of arm ``index`` in round ``t``."""
        return float(self._draws[t, index] < self.means(t)[index])

    def problem(self, *, delta: float = 0.05) -> GLBProblem:
        """Return what an algorithm is told.

        Parameters
        ----------
        delta : float
            Failure probability of the confidence sets.
        """
        norm = float(np.sqrt(self.theta @ self.theta))
        return GLBProblem(
            link=self.link,
            dimension=2,
            norm_bound=norm,
            kappa=1.0 / self.link.slope_bounds(norm)[0],
            horizon=self.horizon,
            delta=delta,
        )
