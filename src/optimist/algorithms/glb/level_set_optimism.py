r"""Base class of OFUGLB and OFULog-r: optimism over a level set of a likelihood.

$$X_t = \arg\max_x\max_{\theta\in\mathcal C_t}x^\top\theta,\qquad
  \mathcal C_t = \{\theta\in\Theta : \mathcal L_t(\theta)-\mathcal L_t(\hat\theta_t)
     \le \beta_t^2\}$$

A subclass defines the likelihood, the domain of its minimiser, the radius and $\Theta$.
``solver="kkt"`` finds the estimate and the best arm exactly (`optimist.numerics.maximisation`);
``solver="slsqp"`` uses scipy's generic solver for both and, like public code, solves one
maximisation problem per arm in every round.
"""

from abc import abstractmethod

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.core.errors import one_of
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.expansions import Expansions, SolutionMemory
from optimist.numerics.level_set import LevelSet
from optimist.numerics.likelihood import Likelihood, descend, minimise_by_slsqp
from optimist.numerics.maximisation import best_arm, maximise_by_slsqp

SOLVERS = ("kkt", "slsqp")


class LevelSetOptimism(GLBAlgorithm):
    """Base class of algorithms that are optimistic over a level set of a likelihood.

    Parameters
    ----------
    problem : GLBProblem
    solver, history, prune
        See `optimist.algorithms.glb.ofuglb.OFUGLB`.

    Notes
    -----
    The estimate is computed when it is first needed after an update. The solver remembers earlier
    solutions only to save time, so `state_bytes` does not count them.
    """

    def __init__(self, problem: GLBProblem, solver: str, history: str, prune: bool) -> None:
        super().__init__(problem)
        self.solver = one_of("solver", solver, SOLVERS)
        self.prune = one_of("prune", prune, (False, True)) and solver == "kkt"
        self.history = problem.new_history(history)
        self._estimate = Expansions(problem.link, problem.dimension, size=1)
        self._is_stale = False
        exact = self.solver == "kkt"
        self.memory = SolutionMemory(problem.link, problem.dimension) if exact else None
        self.fallbacks = 0
        self.failures = 0
        self.whole_ball = 0

    @property
    @abstractmethod
    def ridge(self) -> float:
        r"""The ridge $\lambda_t$; 0 for a method without a penalty."""

    @property
    @abstractmethod
    def level(self) -> float:
        r"""The level $\beta_t^2$, times the square of the problem's factor."""

    @property
    @abstractmethod
    def estimate_radius(self) -> float | None:
        """Radius of the ball that constrains the estimate; None if it is unconstrained."""

    @property
    @abstractmethod
    def set_radius(self) -> float | None:
        """Radius of the ball that constrains the confidence set; None if it is unconstrained."""

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood of all data so far, with the method's penalty."""
        return Likelihood(self.problem.link, self.history, self.ridge)

    @property
    def estimate(self) -> np.ndarray:
        r"""The estimate $\hat\theta_t$, an array of shape (d,)."""
        self._refresh()
        return self._estimate.points[0].copy()

    @property
    def derivatives(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Value, gradient (d,) and Hessian (d, d) of the likelihood at the estimate."""
        self._refresh()
        return self._derivatives_at_point()

    def _refresh(self):
        if self._is_stale:
            converged = self._fit_exactly() if self.solver == "kkt" else self._fit_by_slsqp()
            self._is_stale = False
            if not converged:
                self.status = "unconverged"

    def _fit_exactly(self):
        start, at_start = self._estimate.points[0].copy(), self._derivatives_at_point()
        theta, derivatives, converged = descend(
            self.likelihood, start, at_start, self.estimate_radius
        )
        self._keep(theta, derivatives)
        return converged

    def _fit_by_slsqp(self):
        likelihood = self.likelihood
        theta, converged = minimise_by_slsqp(
            likelihood, self._estimate.points[0], self.estimate_radius
        )
        self._keep(theta, likelihood.at(theta))
        return converged

    def _keep(self, theta, derivatives):
        value, gradient, hessian = derivatives
        stacked = value, gradient[None], hessian[None]
        self._estimate.put(slice(1), theta[None], stacked, self.ridge)

    def _derivatives_at_point(self):
        """Return the value, gradient and Hessian of the current likelihood at the last estimate."""
        value, gradient, hessian = self._estimate.derivatives(slice(1), self.ridge)
        return float(value[0]), gradient[0], hessian[0]

    @property
    def confidence_set(self) -> LevelSet:
        """The confidence set of the current round."""
        return LevelSet(
            self.likelihood,
            self.estimate,
            self.level,
            self.set_radius,
            self.memory,
            self.derivatives,
        )

    def select(self, arms: np.ndarray) -> int:
        confidence_set = self.confidence_set
        if self.solver == "kkt":
            index = best_arm(confidence_set, arms, self.prune)
        else:
            index = int(np.argmax(maximise_by_slsqp(confidence_set, arms)))
        self.fallbacks += confidence_set.fallbacks
        self.failures += confidence_set.failures
        self.whole_ball += confidence_set.reaches_tip(arms[index])
        if confidence_set.failures:
            self.status = "unconverged"
        return index

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        self.history.append(index, arms[index], reward)
        self._estimate.observe(arms[index], reward)
        if self.memory is not None:
            self.memory.observe(arms[index], reward)
        self._is_stale = True

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return self.confidence_set.contains(np.atleast_2d(thetas))

    def is_finite(self) -> bool:
        return super().is_finite() and bool(np.isfinite(self._estimate.points).all())

    def diagnostics(self) -> dict[str, float]:
        return {
            "fallbacks": self.fallbacks,
            "failures": self.failures,
            "whole_ball": self.whole_ball,
        }
