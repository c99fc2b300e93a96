r"""Sketch size and effective dimension of the played arms, round by round.

Calandriello et al. (2019): $d_{\rm eff} = \sum_{s\le t}\sigma_t^2(x_s)$ of the exact posterior on
the arms that the sketched method itself played; the number of inducing points should follow it, and
Theorem 4.1 bounds the regret by it.
"""

import math
from typing import Any

import numpy as np

from optimist.environments.observer import Observer
from optimist.figures.studies.sketch_observer import regret_bound
from optimist.numerics.gaussian_process import DistinctPosterior

# Columns that a method with inducing points records itself, and columns added here.
COLUMNS = ("regret", "inducing", "distinct", "dimension", "regret_share", "uniform_share")


class DimensionObserver(Observer):
    """Updates the exact posterior along with the algorithm, O(Au) a round for u distinct arms.

    Parameters
    ----------
    environment : KernelPool or another environment with a fixed set of arms
    algorithm : InducingPointUCB
    """

    def __init__(self, environment: Any, algorithm: Any) -> None:
        problem, arms, means = algorithm.problem, environment.arms(0), environment.means(0)
        self.problem = problem
        self.alpha = getattr(algorithm, "alpha", math.nan)  # from BKB's theory
        self.exact = DistinctPosterior(problem.kernel, arms, problem.ridge)
        self.prior_bound = float(problem.kernel.diagonal(arms).max())
        self.mean_gap = float(means.max() - means.mean())
        self.regret = 0.0
        self.worst = {"regret_share": 0.0, "uniform_share": 0.0}

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Update the exact posterior like the algorithm, and compare regret with its bound."""
        self.exact.observe(choice, reward)
        self.regret += regret
        volume = self.exact.effective_dimension * math.log1p(self.prior_bound * (t + 1))
        bound = regret_bound(self.problem, self.alpha, t + 1, volume)
        shares = {"regret_share": self.regret, "uniform_share": (t + 1) * self.mean_gap}
        for name, value in shares.items():
            self.worst[name] = float(np.maximum(self.worst[name], value / bound))

    def columns(self) -> dict[str, float]:
        r"""Return $d_{\rm eff}$ and the largest shares of the bound of Theorem 4.1 so far.

        regret_share is that of the regret, uniform_share that of the expected regret of uniform
        play, whose own effective dimension, and with it its bound, is larger.
        """
        return {"dimension": self.exact.effective_dimension, **self.worst}
