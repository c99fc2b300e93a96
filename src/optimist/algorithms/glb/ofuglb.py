r"""OFUGLB: optimism over a likelihood-ratio confidence set.

Lee, Yun and Jun (2024), "A Unified Confidence Sequence for Generalized Linear Models, with
Applications to Bandits", Algorithm 1 and Theorem 3.1; restated by Zhang et al. (2025), eq. (44).
With $\hat\theta_t = \arg\min_{\|\theta\|\le S}\mathcal L_t(\theta)$,
$$X_t = \arg\max_x\max_{\theta\in\mathcal C_t}x^\top\theta,\qquad
  \mathcal C_t = \{\|\theta\|\le S : \mathcal L_t(\theta)-\mathcal L_t(\hat\theta_t)
     \le \beta_t^2\},$$
$$\beta_t^2 = \log\tfrac1\delta + d\log\max\{e,\ 2eSL_t/d\},$$
where $L_t$ is a Lipschitz constant of $\mathcal L_t$ on the ball.

Deviations: none in the method. ``solver="kkt"`` solves the inner problem exactly
(`optimist.numerics.level_set`); ``solver="slsqp"`` is the generic solver that published timings
rest on.
"""

import math

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.errors import one_of
from optimist.numerics.level_set import LevelSet, maximise_by_kkt, maximise_by_slsqp
from optimist.numerics.likelihood import Likelihood, minimise


class OFUGLB(FiniteArmAlgorithm):
    """Time per round proportional to t; no regularisation.

    Parameters
    ----------
    problem : GLBProblem
    solver : {"kkt", "slsqp"}
    history : {"raw", "aggregated"}
    prune : bool
        Skip arms whose upper bound cannot win (exact; ``kkt`` only).
    """

    reference = "Lee et al. (2024), Algorithm 1 and Theorem 3.1"

    def __init__(self, problem, *, solver="kkt", history="raw", prune=True):
        super().__init__(problem)
        self.solver = one_of("solver", solver, ("kkt", "slsqp"))
        self.prune = one_of("prune", prune, (False, True)) and solver == "kkt"
        self.history = problem.new_history(history)
        self.estimate = np.zeros(problem.dimension)
        # Fixed arms are solved from their last solutions.
        self.solutions = {} if problem.fixed_arms else None
        self.fallbacks = 0
        self.whole_ball = 0

    @property
    def level(self):
        r"""$\beta_t^2$, times the square of the problem's radius scale."""
        p, d = self.problem, self.problem.dimension
        L = p.link.lipschitz(p.norm_bound, self.history.plays, d, p.delta)
        growth = d * math.log(max(math.e, 2.0 * math.e * p.norm_bound * L / d))
        return p.radius_scale**2 * (math.log(1.0 / p.delta) + growth)

    @property
    def confidence_set(self):
        """The set of the current round, a `LevelSet`."""
        likelihood = Likelihood(self.problem.link, self.history)
        ball = self.problem.norm_bound
        return LevelSet(likelihood, self.estimate, self.level, ball, self.solutions)

    def select(self, arms):
        confidence_set = self.confidence_set
        maximise = maximise_by_kkt if self.solver == "kkt" else maximise_by_slsqp
        index = confidence_set.best_arm(arms, maximise, self.prune)
        self.fallbacks += confidence_set.fallbacks
        self.whole_ball += confidence_set.reaches_tip(arms[index])
        return index

    def update(self, arms, index, reward):
        self.history.append(index, arms[index], reward)
        likelihood = Likelihood(self.problem.link, self.history)
        self.estimate, converged = minimise(likelihood, self.estimate, self.problem.norm_bound)
        if not converged:
            self.status = "unconverged"

    def contains(self, thetas):
        return self.confidence_set.contains(np.atleast_2d(thetas))

    def diagnostics(self):
        return {"fallbacks": self.fallbacks, "whole_ball": self.whole_ball}
