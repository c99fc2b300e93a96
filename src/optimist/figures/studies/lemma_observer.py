r"""Checks of Hvt-UCB's analysis of its estimate and its regret, round by round.

Wang et al. (2025): Lemma 1 says $\|\hat\theta_{t+1}-\theta_*\|_{V_t} \le \beta_t$ for all t; its
proof rests on $|X_t^\top(\hat\theta_t-\theta_*)|/\sigma_t \le \tau_t/2$. The proof of Theorem 1
(Appendix C.1, before constants are dropped) bounds the regret by
$$4\beta_T\Big(\sqrt{2\kappa}\sqrt{\textstyle\sum_{t\le T}(\nu_t^2+\sigma_{\min}^2)}
    + \frac{cL\kappa}{\sqrt\lambda}\Big),\qquad
  c = \frac{\sqrt{\lambda(2+4S^2)}}{\tau_0} + 107\Lambda,$$
and Corollary 1 is that with $\nu$ for $\nu_t$. It is computed in every round, with the sum and
the radius of then; no regret of t rounds exceeds 2LSt.

Deviations: by the definition of $w_t$ the second term needs 4c for c. The bound is taken as
printed, the smaller one.
"""

import math
from typing import Any

import numpy as np

from optimist.algorithms.heavy_tailed.hvt_ucb import ALPHA
from optimist.environments.observer import Observer
from optimist.numerics.linear import quadratic_norms
from optimist.numerics.robust import log_volume

COLUMNS = ("distance", "largest", "bounded", "regret_share", "void")


class LemmaObserver(Observer):
    """Watches the estimate of Hvt-UCB in one trial.

    Parameters
    ----------
    environment : HeavyTailed
    algorithm : HvtUCB
    """

    def __init__(self, environment: Any, algorithm: Any) -> None:
        self._theta = environment.theta
        self._algorithm = algorithm
        self._environment = environment
        self._estimate = algorithm.estimate
        self._rounds = self._bounded = 0
        self._distance = self._largest = 0.0
        self._squares = self._regret = self._regret_share = 0.0
        self._void = math.inf

    def before(self, t: int) -> None:
        """Keep the estimate that the choice depends on."""
        self._estimate = self._algorithm.estimate

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        """Compare both estimates, before and after the update, with the truth."""
        assert arms is not None
        algorithm = self._algorithm
        error = abs(float(arms[choice] @ (self._estimate - self._theta)))
        self._bounded += error / algorithm.sigma <= 0.5 * algorithm.tau
        move = quadratic_norms(self._theta, algorithm.estimate, algorithm.V)[0]
        self._distance = float(move) / algorithm.beta
        self._largest = max(self._largest, self._distance)
        self._rounds = t + 1
        self._regret += regret
        self._compare_regret(self._environment.context(t)["scale"])

    def _compare_regret(self, scale):
        """Compare the regret so far, and the largest possible one, with the bound of the proof."""
        problem = self._algorithm.problem
        nu = problem.scale_bound if self._algorithm.uses_bound else scale
        self._squares += nu * nu + problem.least_scale**2
        bound = regret_bound(self._algorithm, self._squares)
        self._regret_share = max(self._regret_share, self._regret / bound)
        worst = 2.0 * problem.arm_bound * problem.norm_bound * self._rounds
        self._void = min(self._void, bound / worst)

    def columns(self) -> dict[str, float]:
        """Return the quantities that the analysis bounds.

        distance: from the estimate to the truth in the norm of V, as a share of the radius;
        largest: the largest distance so far; bounded: the share of rounds so far in which the error
        in the direction of the played arm was at most half of the threshold; regret_share: the
        largest regret so far over the bound of its round; void: the smallest bound so far over the
        largest regret possible in as many rounds, above 1 if no run can break it.
        """
        return {
            "distance": self._distance,
            "largest": self._largest,
            "bounded": self._bounded / self._rounds,
            "regret_share": self._regret_share,
            "void": self._void,
        }


def regret_bound(algorithm: Any, squares: float) -> float:
    r"""Return the bound of the proof of Theorem 1 after the rounds that an algorithm has seen.

    Parameters
    ----------
    algorithm : HvtUCB
    squares : float
        $\sum_t(\nu_t^2+\sigma_{\min}^2)$.
    """
    problem, ridge = algorithm.problem, algorithm.ridge
    kappa = log_volume(problem, ridge, ALPHA)
    start = math.sqrt(ridge * (2.0 + 4.0 * problem.norm_bound**2))
    c = start / algorithm.tau_0 + 107.0 * problem.log_term
    steep = c * problem.arm_bound * kappa / math.sqrt(ridge)
    return 4.0 * algorithm.beta * (math.sqrt(2.0 * kappa * squares) + steep)
