r"""OFULog-r: optimism over the relaxed, convex confidence set for logistic bandits.

Abeille, Faury and Calauzenes (2021), "Instance-Wise Minimax-Optimal Algorithms for Logistic
Bandits", Algorithm 2. With $\mathcal L^\lambda_t = \mathcal L_t + \frac{\lambda_t}2\|\theta\|^2$,
$\lambda_t = d\log(1+t)$ and its unconstrained minimiser $\hat\theta_t$,
$$X_t = \arg\max_x\max_\theta\{x^\top\theta : \mathcal L^\lambda_t(\theta)
   - \mathcal L^\lambda_t(\hat\theta_t) \le \beta_t^2\}.$$
The published radius is $\beta_t = \gamma_t + \gamma_t^2/\sqrt{\lambda_t}$ with
$\gamma_t = \sqrt{\lambda_t}(S+\tfrac12) + \frac d{\sqrt{\lambda_t}}
 \log\big(\tfrac4\delta(1+\tfrac t{16d\lambda_t})\big)$.

Deviations: the default is the form that public code runs: the data-dependent
$\gamma = \min(\gamma_1, \gamma_2)$ with
$\ell = \log\frac1\delta + \frac12\log\det H_t - \frac d2\log\lambda_t
 + \log\frac{F_d(2\lambda_t)}{F_d(\lambda_t)}$ ($F_d$ the chi-square distribution function),
$\gamma_1 = \sqrt{\lambda_t}(S+\frac12) + \frac2{\sqrt{\lambda_t}}\ell$,
$\gamma_2 = \sqrt{\lambda_t}S + \ell$, $\beta = \gamma + \gamma^2/\lambda_t$, and no ball.
With the ball the level set hardly ever binds at these horizons and the rule plays the longest arm.
"""

import math

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.errors import one_of
from optimist.numerics.level_set import LevelSet, maximise_by_kkt, maximise_by_slsqp
from optimist.numerics.likelihood import Likelihood, minimise
from optimist.numerics.linear import log_determinant


class OFULogR(FiniteArmAlgorithm):
    """Time per round proportional to t; logistic rewards only.

    Parameters
    ----------
    problem : GLBProblem
    radius : {"data", "published"}
    ball : bool
        Intersect the set with the ball of radius S.
    solver : {"kkt", "slsqp"}
    history : {"raw", "aggregated"}
    """

    reference = "Abeille et al. (2021), Algorithm 2"
    links = ("logistic",)

    def __init__(self, problem, *, radius="data", ball=False, solver="kkt", history="raw"):
        super().__init__(problem)
        self.radius_form = one_of("radius", radius, ("data", "published"))
        self.ball = one_of("ball", ball, (False, True))
        self.solver = one_of("solver", solver, ("kkt", "slsqp"))
        self.history = problem.new_history(history)
        self.t = 1
        self.estimate = np.zeros(problem.dimension)
        # Fixed arms are solved from their last solutions.
        self.solutions = {} if problem.fixed_arms else None
        self.fallbacks = 0
        self.whole_ball = 0

    @property
    def likelihood(self):
        """Penalised likelihood of the current round."""
        ridge = self.problem.dimension * math.log(1.0 + self.t)
        return Likelihood(self.problem.link, self.history, ridge)

    def _published_radius(self, ridge):
        p, d = self.problem, self.problem.dimension
        tail = math.log(4.0 / p.delta * (1.0 + self.t / (16.0 * d * ridge)))
        gamma = math.sqrt(ridge) * (p.norm_bound + 0.5) + d / math.sqrt(ridge) * tail
        return gamma + gamma**2 / math.sqrt(ridge)

    def _data_dependent_radius(self, likelihood):
        from scipy.special import chdtr

        d, S, ridge = self.problem.dimension, self.problem.norm_bound, likelihood.ridge
        hessian = likelihood.at(self.estimate)[2]
        tail = math.log(1.0 / self.problem.delta)
        tail += 0.5 * log_determinant(hessian) - 0.5 * d * math.log(ridge)
        tail += math.log(chdtr(d, 2.0 * ridge) / chdtr(d, ridge))
        root = math.sqrt(ridge)
        gamma = min(root * (S + 0.5) + 2.0 / root * tail, root * S + tail)
        return gamma + gamma**2 / ridge

    @property
    def confidence_set(self):
        """The set of the current round, a `LevelSet`."""
        likelihood = self.likelihood
        if self.radius_form == "published":
            beta = self._published_radius(likelihood.ridge)
        else:
            beta = self._data_dependent_radius(likelihood)
        level = (self.problem.radius_scale * beta) ** 2
        radius = self.problem.norm_bound if self.ball else None
        return LevelSet(likelihood, self.estimate, level, radius, self.solutions)

    def select(self, arms):
        confidence_set = self.confidence_set
        if self.solver == "kkt":
            index = confidence_set.best_arm(arms, maximise_by_kkt)
        else:
            index = confidence_set.best_arm(arms, maximise_by_slsqp, prune=False)
        self.fallbacks += confidence_set.fallbacks
        self.whole_ball += confidence_set.reaches_tip(arms[index])
        return index

    def update(self, arms, index, reward):
        self.history.append(index, arms[index], reward)
        self.t += 1
        self.estimate, converged = minimise(self.likelihood, self.estimate)
        if not converged:
            self.status = "unconverged"

    def contains(self, thetas):
        return self.confidence_set.contains(np.atleast_2d(thetas))

    def diagnostics(self):
        return {"fallbacks": self.fallbacks, "whole_ball": self.whole_ball}
