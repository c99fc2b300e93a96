r"""MENU: the median of many ridge regressions.

Shao, Yu, King and Lyu (2018), "Almost Optimal Algorithms for Linear Stochastic Bandits with
Heavy-Tailed Payoffs", Algorithm 1. In each epoch, an optimistic arm $x_n$ is played k times in a
row. The j-th reward of the epoch is added to the j-th of k ridge regressions, and the most central
estimate is used,
$$\hat\theta_{n,j} = V_n^{-1}\sum_{i\le n}y_{i,j}x_i,\qquad
  V_n = I + \sum_{i\le n}x_ix_i^\top,\qquad k = \lceil 24\log\tfrac{eT}\delta\rceil,$$
$$\hat\theta_n = \hat\theta_{n,j^*},\quad
  j^* = \arg\min_j \operatorname{median}_{s\ne j}\|\hat\theta_{n,j}-\hat\theta_{n,s}\|_{V_n},\qquad
  \beta_n = 3\big((9d\,\nu^{1+\varepsilon})^{\frac1{1+\varepsilon}}n^p + S\big).$$

Deviations: if the last epoch is shorter, it ends without an update. If the epoch's arm is absent
from a varying arm set, the nearest arm replaces it, as in CRMM. Public code divides the
radius by 50.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.epochs import EpochAlgorithm
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics.linear import norms


class MENU(EpochAlgorithm):
    """MENU, which updates its k regressions once per epoch.

    Parameters
    ----------
    problem : HeavyTailedProblem
    """

    reference = "Shao et al. (2018), Algorithm 1"

    def __init__(self, problem: HeavyTailedProblem) -> None:
        k = math.ceil(24.0 * (1.0 + math.log(problem.horizon / problem.delta)))
        # One row per regression once the first epoch has ended.
        self.moments = np.zeros((0, problem.dimension))
        super().__init__(problem, length=k, ridge=1.0)

    def theory_radius(self) -> float:
        problem = self.problem
        scale = (9.0 * problem.dimension) ** (1.0 / (1.0 + problem.epsilon)) * problem.scale_bound
        return 3.0 * (scale * self.growth() + problem.norm_bound)

    def growth(self) -> float:
        r"""Return $n^p$ after n epochs, or 1 before the end of the first epoch."""
        return max(self.updates, 1) ** self.power

    def matched_scale(self) -> float:
        # Each regression uses one reward per epoch, so its noise scale is that of a single reward.
        return self.problem.scale_bound * self.growth()

    def learn_epoch(self, x: np.ndarray, rewards: np.ndarray) -> None:
        if len(rewards) < self.length:
            return
        v, square = self.image(x)
        self.add(x, v, 1.0, square)
        old = self.moments if len(self.moments) else 0.0
        self.moments = old + np.multiply.outer(rewards, x)
        estimates = self.moments @ self.V_inv
        # If V = L L^T, distances between estimates in the norm of V are Euclidean distances between
        # the rows of ``estimates @ L``.
        points = estimates @ np.linalg.cholesky(self.V)
        gaps = points[:, None] - points
        distances = np.sort(norms(gaps), axis=1)[:, 1:]  # drop each estimate's distance to itself
        self.theta = estimates[np.argmin(np.median(distances, axis=1))]
