r"""What OFUGLB and OFULog-r share: optimism over a level set of a likelihood.

$$X_t = \arg\max_x\max_{\theta\in\mathcal C_t}x^\top\theta,\qquad
  \mathcal C_t = \{\theta\in\Theta : \mathcal L_t(\theta)-\mathcal L_t(\hat\theta_t)
     \le \beta_t^2\}$$

The likelihood, its minimiser's domain, the radius and $\Theta$ are the subclass's.
``solver="kkt"`` solves both problems exactly (`optimist.numerics.level_set`); ``slsqp`` runs
scipy's generic solver for both, once per arm and round, as public codes do.
"""

from abc import abstractmethod

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.errors import one_of
from optimist.numerics.level_set import LevelSet, maximise_by_kkt, maximise_by_slsqp
from optimist.numerics.likelihood import minimise, minimise_by_slsqp
from optimist.numerics.optimality import SolutionMemory

# Minimiser of a likelihood, maximiser over its level set.
SOLVERS = {
    "kkt": (minimise, maximise_by_kkt),
    "slsqp": (minimise_by_slsqp, maximise_by_slsqp),
}


class LevelSetOptimism(FiniteArmAlgorithm):
    """Base of the learners that maximise over a level set; see the module's text.

    The estimate is computed when it is first needed after an update.

    Parameters
    ----------
    problem : GLBProblem
    solver : {"kkt", "slsqp"}
    history : {"raw", "aggregated"}
    prune : bool
        Skip arms whose upper bound cannot win (exact; ``kkt`` only).
    """

    def __init__(self, problem, solver, history, prune):
        super().__init__(problem)
        self.solver = one_of("solver", solver, SOLVERS)
        self.prune = one_of("prune", prune, (False, True)) and solver == "kkt"
        self.history = problem.new_history(history)
        self._estimate = np.zeros(problem.dimension)
        self._is_stale = False
        # Fixed arms start from their last solutions. For arms that are redrawn, starts from the
        # nearest direction were measured to gain nothing.
        self.memory = SolutionMemory(problem.dimension) if problem.fixed_arms else None
        self.fallbacks = 0
        self.failures = 0
        self.whole_ball = 0

    @property
    @abstractmethod
    def likelihood(self):
        """Likelihood of the current round, penalised if the method does so."""

    @property
    @abstractmethod
    def level(self):
        r"""$\beta_t^2$, times the square of the problem's radius scale."""

    @property
    @abstractmethod
    def estimate_radius(self):
        """Radius of the ball that the estimate is constrained to, or None."""

    @property
    @abstractmethod
    def set_radius(self):
        """Radius of the ball that the set is intersected with, or None."""

    @property
    def estimate(self):
        r"""$\hat\theta_t$, (d,)."""
        if self._is_stale:
            fit, _ = SOLVERS[self.solver]
            self._estimate, converged = fit(self.likelihood, self._estimate, self.estimate_radius)
            self._is_stale = False
            if not converged:
                self.status = "unconverged"
        return self._estimate

    @property
    def confidence_set(self):
        """The set of the current round, a `LevelSet`."""
        centre = self.estimate
        return LevelSet(self.likelihood, centre, self.level, self.set_radius, self.memory)

    def select(self, arms):
        confidence_set = self.confidence_set
        _, maximise = SOLVERS[self.solver]
        index = confidence_set.best_arm(arms, maximise, self.prune)
        self.fallbacks += confidence_set.fallbacks
        self.failures += confidence_set.failures
        self.whole_ball += confidence_set.reaches_tip(arms[index])
        if confidence_set.failures:
            self.status = "unconverged"
        return index

    def update(self, arms, index, reward):
        self.history.append(index, arms[index], reward)
        self._is_stale = True

    def contains(self, thetas):
        return self.confidence_set.contains(np.atleast_2d(thetas))

    def diagnostics(self):
        return {
            "fallbacks": self.fallbacks,
            "failures": self.failures,
            "whole_ball": self.whole_ball,
        }
