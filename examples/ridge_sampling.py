r"""Posterior sampling on a ridge regression of the rewards: the class of `new_algorithm.py`.

$$\tilde\theta_t \sim \mathcal N(\hat\theta_t, v^2H_t^{-1}),\quad
  X_t = \arg\max_x x^\top\tilde\theta_t,\qquad
  \hat\theta_t = H_t^{-1}\sum_{s<t}r_sX_s,\quad H_t = I + \sum_{s<t}X_sX_s^\top.$$

Deviations from Agrawal and Goyal (2013): v is an option, not their bound. The mean reward is taken
to be linear in the arm, whatever the link is.
"""

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.core.errors import positive
from optimist.environments.problems.glb import GLBProblem


class RidgeSampling(GLBAlgorithm):
    """Time per round proportional to d^3.

    Parameters
    ----------
    problem : GLBProblem
    rng : Generator
        The algorithm's own stream.
    v : float
        Width of the posterior, positive.
    """

    reference = "Agrawal and Goyal (2013), Algorithm 1"

    def __init__(self, problem: GLBProblem, *, rng: np.random.Generator, v: float = 0.3) -> None:
        super().__init__(problem)
        self.rng = rng
        self.v = positive("v", v)
        self.H = np.eye(problem.dimension)
        self.total = np.zeros(problem.dimension)  # sum of r x

    def select(self, arms: np.ndarray) -> int:
        try:
            factor = np.linalg.cholesky(self.H)
            estimate = np.linalg.solve(self.H, self.total)
            noise = np.linalg.solve(factor.T, self.rng.standard_normal(len(estimate)))
        except np.linalg.LinAlgError:
            self.status = "failed: H is not positive definite"
            return 0
        return int((arms @ (estimate + self.v * noise)).argmax())

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        x = arms[index]
        self.H += np.outer(x, x)
        self.total += reward * x

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        # It has no confidence set; everybody knows the ball.
        return np.linalg.norm(thetas, axis=1) <= self.problem.norm_bound
