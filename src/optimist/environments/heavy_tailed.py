r"""Linear bandits with heavy-tailed noise, as in the experiments of Wang et al. (2025).

The coordinates of K arms are uniform on [-1, 1]; then all arms are divided by the largest norm, or
each arm by its own norm. $\theta_*$ is drawn in the same way and has norm 1. The reward of arm x in
round t is
$$r_t = x^\top\theta_* + a\,a_t\,(Y_t - \mu),$$
where $Y_t$ follows the noise law and $\mu$ is its mean or median; the scales are $a_t = 10^{U_t}$
with $U_t$ uniform on [0, ``decades``]. The noise of a round is the same for all arms and
algorithms. Algorithms get $\nu_t = \nu\,a\,a_t$ together with the reward of round t; they know a
bound on all $\nu_t$ in advance.
"""

import math
from collections.abc import Callable

import numpy as np

from optimist.core.errors import ConfigError, not_negative, one_of, positive, whole_number
from optimist.environments.base import check_sizes
from optimist.environments.pool import PoolEnvironment, check_subset
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem, moment_order
from optimist.numerics import seeding
from optimist.numerics.linear import norms
from optimist.numerics.noise import CENTRES, make_law


class HeavyTailedEnvironment(PoolEnvironment):
    r"""Environment with arms in the unit ball and linear rewards with heavy-tailed noise.

    Parameters
    ----------
    horizon : int
        T, the number of rounds, known to the algorithms.
    trial : int
        Index of the trial, counted from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    law : {"normal", "student_t", "pareto", "lomax", "fisk"}
        Law of the noise; see `optimist.numerics.noise`.
    shape : float or None
        Degrees of freedom or tail index of the law; None for the normal law.
    epsilon : float
        $\varepsilon$, above 0 and at most 1; the moment in ``nu`` has order $1+\varepsilon$.
    nu : "exact" or float
        $\nu$, such that $\nu^{1+\varepsilon}$ is the moment of order $1+\varepsilon$ of the
        unscaled noise. With ``exact``, algorithms get its exact value; otherwise, they get the
        given number, such as one from a paper.
    decades : float
        Number of decades over which the scales of the noise vary; 0 means constant scales.
    amplitude : float
        a, a factor applied to all noise; 0 means no noise.
    centre : {"mean", "median"}
        Whether to subtract the mean or the median of the law from the noise.
    dimension : int
        d, the number of coordinates of an arm.
    arms : int
        K, the total number of arms.
    arm_norm : {"max", "each"}
        Whether all arms are divided by the largest norm, or each arm by its own norm.
    subset : int or None
        Number of randomly drawn arms that each round offers; None means all arms.
    instance : {"per_trial", "shared"}
        Whether each trial has its own arms and $\theta_*$, or all trials share them.
    seed : int
        Seed of the shared instance, which is the same for all laws; ignored if ``instance`` is
        ``per_trial``.

    Raises
    ------
    ConfigError
        If a parameter is out of range.
    """

    theta: np.ndarray

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        law: str,
        epsilon: float,
        shape: float | None = None,
        nu: float | str = "exact",
        decades: float = 0.0,
        amplitude: float = 1.0,
        centre: str = "mean",
        dimension: int = 2,
        arms: int = 50,
        arm_norm: str = "max",
        subset: int | None = None,
        instance: str = "per_trial",
        seed: int = 0,
    ) -> None:
        self.horizon = horizon
        self.law = make_law(law, shape)
        self.order, self.epsilon = moment_order(epsilon), float(epsilon)
        if not self.order < self.law.tail:
            raise ConfigError(
                f"epsilon is {epsilon!r}; allowed for {law} noise of shape {shape!r}: "
                f"below {self.law.tail - 1.0:g}, so that the moment exists"
            )
        one_of("centre", centre, CENTRES)
        self.nu = self.law.root(self.order) if nu == "exact" else positive("nu", nu)
        self.decades = not_negative("decades", decades, most=100.0)
        self.amplitude = not_negative("amplitude", amplitude, most=1e100)
        check_sizes(dimension, arms)
        one_of("arm_norm", arm_norm, ("max", "each"))
        check_subset(subset, arms)
        whole_number("seed", seed, least=0)
        is_own = one_of("instance", instance, ("per_trial", "shared")) == "per_trial"
        drawn_by = stream("instance") if is_own else seeding.stream("heavy_tailed", seed)
        pool, self.theta = _instance(drawn_by, dimension, arms, arm_norm)
        offered = None
        if subset is not None:
            orders = stream("subsets").permuted(np.tile(np.arange(arms), (horizon, 1)), axis=1)
            offered = orders[:, :subset]
        scales = self.amplitude * 10.0 ** (self.decades * stream("scales").random(horizon))
        self._scales = (self.nu * scales).tolist()
        noise = scales * self.law.noise(stream("noise"), horizon, centre)
        self.fill(pool, pool @ self.theta, noise, offered)

    def context(self, t: int) -> dict[str, object]:
        return {"scale": self._scales[t]}

    def facts(self) -> dict[str, float]:
        law = self.law
        facts = {
            "epsilon": self.epsilon,
            "nu_exact": law.root(self.order),
            "moment": law.moment(self.order),
            "nu_told": self.nu,
            "absolute_moment": law.moment(1.0),
            "mean_minus_median": law.mean - law.median,
        }
        return {name: float(value) for name, value in facts.items()}

    def problem(
        self,
        *,
        delta: float | None = None,
        radius: str = "theory",
        factor: float = 1.0,
        relax_sigma_bounds: bool | None = None,
    ) -> HeavyTailedProblem:
        r"""Return the `HeavyTailedProblem`.

        Parameters
        ----------
        delta : float or None
            Failure probability; None means $1/(8T)$.
        radius : {"theory", "shrunk", "matched"}
            Confidence radius. ``theory``: the radius from each algorithm's theorem; ``shrunk``:
            that radius times ``factor``; ``matched``: a radius that gives all algorithms the same
            width on the same data, times ``factor``. See
            `optimist.algorithms.heavy_tailed.ellipsoid`.
        factor : float
            Factor that multiplies the radius; it must be 1 if ``radius`` is ``theory``.
        relax_sigma_bounds : bool or None
            Whether HEAVY-OFUL's lower bounds on $\sigma_t$ shrink with its radius; None means only
            if ``radius`` is ``matched``.

        Raises
        ------
        ConfigError
            If an option is out of range.
        """
        largest = self.amplitude * 10.0**self.decades
        return HeavyTailedProblem(
            dimension=len(self.theta),
            horizon=self.horizon,
            epsilon=self.epsilon,
            scale_bound=self.nu * largest,
            delta=delta,
            deviation=math.sqrt(self.law.variance) * largest if largest else 0.0,
            radius=radius,
            factor=factor,
            relax_sigma_bounds=relax_sigma_bounds,
            fixed_arms=self._offered is None,
        )


def _instance(rng, dimension, arms, arm_norm):
    """Draw arms of shape (K, d), and a parameter of shape (d,) and norm 1."""
    pool = rng.uniform(-1.0, 1.0, (arms, dimension))
    lengths = norms(pool)
    theta = rng.uniform(-1.0, 1.0, dimension)
    scaled = pool / (lengths.max() if arm_norm == "max" else lengths[:, None])
    return scaled, theta / math.sqrt(theta @ theta)
