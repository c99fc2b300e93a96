r"""The estimators of CRTM and CRMM: least squares, or an online Newton step.

Xue, Wang, Wan, Yi and Zhang (2023), "Efficient Algorithms for Generalized Linear Bandits with
Heavy-Tailed Rewards", for the linear link. From arms $x_n$ and targets $y_n$,
$$V_{n+1} = V_n + \tfrac12x_nx_n^\top,\qquad
  \hat\theta_{n+1} = \arg\min_{\|\theta\|\le S}\|\theta - \hat\theta_n
     - V_{n+1}^{-1}x_n(y_n - x_n^\top\hat\theta_n)\|_{V_{n+1}} .$$
The estimator ``ls`` is $(I + \sum xx^\top)^{-1}\sum yx$, as in Wang et al. (2025).
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.ellipsoid import EllipsoidalAlgorithm
from optimist.core.errors import one_of
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics.linear import add_outer_to_inverse

ESTIMATORS = ("ls", "ons")


class OnlineNewton(EllipsoidalAlgorithm):
    """Base class of methods that learn from one arm and its target at a time, in O(d^2) time.

    Parameters
    ----------
    problem : HeavyTailedProblem
    estimator : {"ls", "ons"}
        Closed-form least squares, or online Newton steps.
    """

    def __init__(self, problem: HeavyTailedProblem, estimator: str) -> None:
        self.estimator = one_of("estimator", estimator, ESTIMATORS)
        if estimator == "ls":
            self.moment = np.zeros(problem.dimension)  # sum of y x
            self.gram_inv = np.eye(problem.dimension)  # inverse of I + sum of x x^T
        super().__init__(problem, ridge=1.0)

    def learn(self, x: np.ndarray, target: float, v: np.ndarray, square: float) -> None:
        r"""Update the estimate with an arm and its target.

        Parameters
        ----------
        x, v : (d,) arrays
            The arm, and $v = V_n^{-1}x$.
        target : float
            The value used in place of the reward.
        square : float
            $x^\top v$.
        """
        self.add(x, v, 0.5, square)
        if self.estimator == "ons":
            # V_{n+1}^-1 x = v / (1 + square / 2).
            gain = (target - float(x.dot(self.theta))) / (1.0 + 0.5 * square)
            self.theta = self.into_ball(self.theta + gain * v)
            return
        u = self.gram_inv @ x
        add_outer_to_inverse(self.gram_inv, u, 1.0, float(x @ u))
        self.moment += target * x
        self.theta = self.gram_inv @ self.moment


def absolute_root(problem: HeavyTailedProblem) -> float:
    r"""Return $LS + \nu$, which bounds $(\mathbb E|r|^{1+\varepsilon})^{1/(1+\varepsilon)}$."""
    return problem.arm_bound * problem.norm_bound + problem.scale_bound


def log_determinant_bound(problem: HeavyTailedProblem) -> float:
    r"""Return $d\log(1 + \frac T{2d})$, a bound on $\log\det V$ for a ridge of 1."""
    d = problem.dimension
    return d * math.log(1.0 + problem.horizon / (2.0 * d))
