r"""Synthetic generalized linear bandits.

The default is the environment of Figures 1 to 3 in Zhang et al. (2025). The six values of kappa in
the paper identify it as the public environment of RS-GLinCB with its notebook's settings
(d = 5, K = 20, arms uniform in the unit ball and redrawn each round, seed 109832). Random numbers
are drawn in the same order as there, since the order determines the instance. First, d uniform
draws on [-1, 1], normalised, give the direction of $\theta_*$. Then, for each arm, d normal draws
give the direction and one uniform draw U gives the length, $U^{1/d}$.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from optimist.core.errors import ConfigError, one_of, positive, whole_number
from optimist.environments.base import FiniteArmEnvironment, check_arms, check_sizes
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.linear import norms
from optimist.numerics.links import make_link

KAPPA_CHOICES = ("parameter", "arms", "ball")


class GLMEnvironment(FiniteArmEnvironment):
    r"""Environment with arms in the unit ball and rewards from an exponential family.

    Parameters
    ----------
    horizon : int
        T, the number of rounds, known to the algorithms.
    trial : int
        Index of the trial, counted from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    link : {"logistic", "poisson", "gaussian"}
        Reward distribution.
    norm : float
        $\|\theta_*\|$, the norm of the true parameter.
    dimension : int
        d, the number of coordinates of an arm.
    arms : int
        K, the number of arms per round.
    redrawn : bool
        Whether to draw new arms in every round instead of keeping one pool.
    instance : {"shared", "per_trial"}
        Whether all trials share $\theta_*$ and the arms, or each trial has its own.
    seed : int
        Seed of $\theta_*$ and the arms; if ``instance`` is ``per_trial``, it is combined with the
        trial's index.
    longest : float or None
        Norm of the longest arm after all arms are rescaled by one factor; None means no rescaling.
    sigma : float
        Standard deviation of Gaussian rewards; ignored for other links.

    Raises
    ------
    ConfigError
        If a parameter is out of range.
    """

    theta: np.ndarray
    arms_are_checked = True

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        link: str,
        norm: float,
        dimension: int = 5,
        arms: int = 20,
        redrawn: bool = True,
        instance: str = "shared",
        seed: int = 109832,
        longest: float | None = None,
        sigma: float = 1.0,
    ) -> None:
        self.link = make_link(link, **({"sigma": sigma} if link == "gaussian" else {}))
        self.norm = positive("norm", norm)
        self.horizon = horizon
        self.redrawn = one_of("redrawn", redrawn, (True, False))
        check_sizes(dimension, arms)
        whole_number("seed", seed, least=0)
        one_of("instance", instance, ("shared", "per_trial"))
        # numpy ignores a trailing zero in a seed: without the 1, trial 0 would get the shared
        # instance.
        drawn_by = (seed,) if instance == "shared" else (seed, trial + 1)
        direction, self._arms = draw_instance(drawn_by, dimension, arms, horizon if redrawn else 1)
        if longest is not None:
            lengths = np.linalg.norm(self._arms, axis=-1)
            self._arms = self._arms * (positive("longest", longest) / lengths.max())
        check_arms(self._arms.reshape(-1, dimension))
        self.theta = self.norm * direction
        self.predictors = self._arms @ self.theta  # (T or 1, K)
        self._means = self.link.mean(self.predictors)
        # Algorithms get views of these arrays, so make them read-only.
        self._arms.flags.writeable = False
        self._means.flags.writeable = False
        everywhere = np.broadcast_to(self._means, (horizon, arms))
        self._rewards = self.link.sample(stream("rewards"), everywhere)

    def arms(self, t: int) -> np.ndarray:
        return self._arms[t if self.redrawn else 0]

    def means(self, t: int) -> np.ndarray:
        return self._means[t if self.redrawn else 0]

    def reward(self, t: int, index: int) -> float:
        return float(self._rewards[t, index])

    def kappa(self, choice: str = "parameter", norm_bound: float | None = None) -> float:
        r"""Return $\kappa$, the inverse of the smallest slope of the mean function.

        Parameters
        ----------
        choice : {"parameter", "arms", "ball"}
            Parameters and arms over which to minimise the slope. ``parameter``: $\theta_*$ and the
            arms of all rounds, as in the paper; ``arms``: the ball of radius ``norm_bound`` and
            the arms of all rounds; ``ball``: that ball and all arms of norm at most 1.
        norm_bound : float or None
            Radius of the ball; None means $\|\theta_*\|$.

        Raises
        ------
        ConfigError
            If ``choice`` is not one of these values.
        """
        one_of("kappa", choice, KAPPA_CHOICES)
        if choice == "parameter":
            return float(1.0 / self.link.slope(self.predictors).min())
        longest = np.linalg.norm(self._arms, axis=-1).max() if choice == "arms" else 1.0
        return 1.0 / self.link.slope_bounds((norm_bound or self.norm) * longest)[0]

    def facts(self) -> dict[str, float]:
        ratios = self.predictors / self.norm
        kappas = {f"kappa_{choice}": self.kappa(choice) for choice in KAPPA_CHOICES}
        means, best = self._means, self.predictors.max(axis=-1)
        return {
            **kappas,
            "kappa_star": 1.0 / float(self.link.slope(best).mean()),
            "predictor_max": ratios.max(),
            "predictor_min": ratios.min(),
            # Average regret per round if arms are chosen uniformly at random. The second entry
            # measures it from the smallest mean instead of the largest.
            "uniform_regret": (means.max(axis=-1) - means.mean(axis=-1)).mean(),
            "uniform_regret_from_smallest": (means.min(axis=-1) - means.mean(axis=-1)).mean(),
        }

    def problem(
        self,
        *,
        delta: float = 0.01,
        norm_bound: float | None = None,
        kappa: float | str = "parameter",
        reward_bound: float = 1.0,
        factor: float = 1.0,
    ) -> GLBProblem:
        r"""Return the `GLBProblem`.

        Parameters
        ----------
        delta : float
            Failure probability of the confidence sets.
        norm_bound : float or None
            S, an upper bound on $\|\theta_*\|$; None means $\|\theta_*\|$ itself.
        kappa : {"parameter", "arms", "ball"} or float
            The inverse of the smallest slope of the mean function: a number, or the name of the
            domain over which to minimise the slope (see `kappa`).
        reward_bound : float
            M, a bound on rewards, for the algorithms that need one.
        factor : float
            Factor that multiplies every confidence radius; 1 gives the theoretical radius.

        Raises
        ------
        ConfigError
            If an option is out of range, for example if ``norm_bound`` is below the true norm.
        """
        norm_bound = self.norm if norm_bound is None else positive("norm_bound", norm_bound)
        if norm_bound < self.norm:
            raise ConfigError(
                f"norm_bound is {norm_bound:g}; allowed: at least the true norm {self.norm:g}"
            )
        return GLBProblem(
            link=self.link,
            dimension=len(self.theta),
            norm_bound=norm_bound,
            kappa=(
                self.kappa(kappa, norm_bound)
                if isinstance(kappa, str)
                else positive("kappa", kappa)
            ),
            horizon=self.horizon,
            delta=delta,
            reward_bound=reward_bound,
            factor=factor,
            fixed_arms=not self.redrawn,
        )


# Large enough for all trials of a cell, since a job plays the same trials for several cells.
@lru_cache(maxsize=12)
def draw_instance(
    key: tuple[int, ...], dimension: int, arms: int, rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a unit vector of shape (d,) and arms of shape (rounds, K, d).

    The order of the draws is the same as in RS-GLinCB's public environment.

    Parameters
    ----------
    key : tuple of int
        Seed of the generator.
    dimension : int
        d, the number of coordinates of an arm.
    arms : int
        K, the number of arms per round.
    rounds : int
        Number of rounds, each with its own set of arms.
    """
    rng = np.random.default_rng(key if len(key) > 1 else key[0])
    direction = rng.uniform(-1.0, 1.0, dimension)
    direction /= np.linalg.norm(direction)
    pool, uniforms = np.empty((rounds * arms, dimension)), np.empty(rounds * arms)
    for i in range(len(pool)):
        rng.standard_normal(out=pool[i])
        uniforms[i] = rng.random()
    pool *= (uniforms ** (1.0 / dimension) / norms(pool))[:, None]
    pool.flags.writeable = False
    return direction, pool.reshape(rounds, arms, dimension)
