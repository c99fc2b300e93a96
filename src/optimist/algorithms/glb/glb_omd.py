r"""GLB-OMD: optimism with a one-pass online mirror descent estimator.

Zhang, Xu, Zhao and Sugiyama (2025), "Generalized Linear Bandits: Almost Optimal Regret with
One-Pass Update", Algorithm 1, equations (3) and (42).

For $\eta = 1 + RS$, $\tilde H_t = H_t + \eta\nabla^2\ell_t(\theta_t)$ and the radius S of the ball,
$$\theta_{t+1} = \arg\min_{\|\theta\|\le S}
   \|\theta - (\theta_t - \eta\tilde H_t^{-1}\nabla\ell_t(\theta_t))\|_{\tilde H_t},\qquad
  H_{t+1} = H_t + \nabla^2\ell_t(\theta_{t+1}),$$
$$X_t = \arg\max_x\; x^\top\theta_t + \beta_t\|x\|_{H_t^{-1}},\quad
  \beta_t^2 = 4\lambda S^2 + 2\eta\ln\tfrac1\delta
   + 6d\eta^2\ln\!\Big(2 + \tfrac{2C_\mu t}{\lambda g}\Big).$$

Deviations from the paper: none in the method. ``regularisation="practical"`` is the paper's own
departure from its theory ($\lambda = d$, Appendix F.1). The constant 6 is from the appendix; the
lemma in the main text has 3. The inverses of $H_t$ and $\tilde H_t$ are updated by the
Sherman-Morrison formula, as Appendix D describes; ``inverse="pinv"`` recomputes both in every round
with numpy's pseudo-inverse, as in the paper's experiments (Appendix F.1). The results of the two
methods differ only by rounding.

Theorem 1 bounds $\|\theta_t-\theta_*\|_{H_t}$ by $\beta_t$ in all rounds simultaneously. The proof
of Theorem 2 (Appendix B, equations 28 to 35) gives, with all constants,
$$\mathrm{Reg}_T \le 2\gamma_2 + 2R\gamma_1^2
   + 2\gamma_1\sqrt{R^2\gamma_1^2 + 2R\gamma_2 + T/\kappa_*},\qquad
  \tfrac T{\kappa_*} = \sum_{t\le T}\mu'(x_{t,*}^\top\theta_*),$$
$$\gamma_1 = 2\beta_T\sqrt{\tfrac{2d(1+C_\mu)}g\log\Big(1+\tfrac{TC_\mu}{gd\lambda}\Big)},\qquad
  \gamma_2 = \tfrac{8\kappa dRC_\mu\beta_{T+1}^2}g\log\Big(1+\tfrac T{g\kappa d\lambda}\Big),$$
with $\kappa = 1/c_\mu$, the inverse of the smallest slope on $[-S, S]$. `Theorems` records
the largest share of each bound that a trial reaches.
"""

import math
from typing import Any

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.algorithms.glb.inverses import chosen_inverse
from optimist.core.errors import one_of
from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.observer import Observer
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.ball import project
from optimist.numerics.linear import inverse_norms, quadratic_norms


class GLBOMD(GLBAlgorithm):
    r"""GLB-OMD, with constant time and memory per round for every link.

    Parameters
    ----------
    problem : GLBProblem
    regularisation : {"practical", "theory"}
        $\lambda = d$, or $2\max\{7d\eta R^2, \max\{3\eta RS, 1\}C_\mu/g\}$ (Theorem 1).
    inverse : {"rank_one", "pinv"}
        Method of inversion; see `optimist.algorithms.glb.inverses`.
    """

    reference = "Zhang et al. (2025), Algorithm 1 and Theorem 1"

    def __init__(
        self,
        problem: GLBProblem,
        *,
        regularisation: str = "practical",
        inverse: str = "rank_one",
    ) -> None:
        super().__init__(problem)
        self._inverse = chosen_inverse(inverse)
        one_of("regularisation", regularisation, ("practical", "theory"))
        d, S, R = problem.dimension, problem.norm_bound, problem.link.self_concordance
        g = problem.link.dispersion
        C = problem.link.slope_bounds(S)[1]
        self.eta = 1.0 + R * S
        if regularisation == "practical":
            self.ridge = float(d)
        else:
            curvature = max(3.0 * self.eta * R * S, 1.0) * C / g
            self.ridge = 2.0 * max(7.0 * d * self.eta * R**2, curvature)
        self._radius_constant = 4.0 * self.ridge * S**2 + 2.0 * self.eta * math.log(
            1.0 / problem.delta
        )
        self._growth_factor = 6.0 * d * self.eta**2
        self._radius_rate = 2.0 * C / (self.ridge * g)
        self.t = 1
        self.theta = np.zeros(d)
        self.H = self.ridge * np.eye(d)
        self.H_inv = np.eye(d) / self.ridge
        self.projections = 0

    @property
    def radius(self) -> float:
        r"""The confidence radius $\beta_t$, times the problem's factor."""
        return self.radius_at(self.t)

    def radius_at(self, t: int) -> float:
        r"""Return $\beta_t$ in round ``t``, times the problem's factor."""
        growth = self._growth_factor * math.log(2.0 + self._radius_rate * t)
        return self.problem.factor * math.sqrt(self._radius_constant + growth)

    def select(self, arms: np.ndarray) -> int:
        index = arms @ self.theta + self.radius * inverse_norms(arms, self.H_inv)
        return int(index.argmax())

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        link, x = self.problem.link, arms[index]
        g = link.dispersion
        v = self.H_inv @ x
        q = float(x @ v)
        z = float(x @ self.theta)
        alpha = self.eta * link.slope(z) / g
        residual = self.eta * (link.mean(z) - reward) / g
        # `solve` multiplies by the inverse of H~ = H + alpha x x^T.
        zeta = self.theta - self._inverse.solve(residual, self.H, x, v, alpha, q)
        self.theta = self._project(zeta, alpha, x)
        b = link.slope(float(x @ self.theta)) / g
        self.H += b * np.multiply.outer(x, x)
        self._inverse.renew(self.H_inv, self.H, v, b, q)
        self.t += 1

    def _project(self, zeta, alpha, x):
        S = self.problem.norm_bound
        if zeta @ zeta <= S * S:
            return zeta
        self.projections += 1
        return project(self.H + alpha * np.multiply.outer(x, x), zeta, S)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return quadratic_norms(thetas, self.theta, self.H) <= self.radius

    def observers(self, environment: FiniteArmEnvironment) -> list[Observer]:
        return [] if environment.theta is None else [Theorems(environment.theta, self)]

    def diagnostics(self) -> dict[str, float]:
        return {"projections": self.projections}


class Theorems(Observer):
    """Observer that records how close a trial comes to the bounds of Theorems 1 and 2.

    It records the largest ratio of the estimation error to the confidence radius, and the largest
    ratio of the regret to its bound.

    Parameters
    ----------
    theta : (d,) array
        The true parameter.
    algorithm : GLBOMD
    """

    def __init__(self, theta: np.ndarray, algorithm: GLBOMD) -> None:
        self._theta = theta
        self._algorithm = algorithm
        self._rounds = 0
        self._regret = 0.0
        self._slopes = 0.0  # T / kappa_*
        self._distance = 0.0
        self._share = 0.0

    def before(self, t: int) -> None:
        algorithm = self._algorithm
        distance = quadratic_norms(self._theta[None], algorithm.theta, algorithm.H)
        self._distance = max(self._distance, float(distance[0]) / algorithm.radius)

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        if arms is not None:
            best = float((arms @ self._theta).max())
            self._slopes += self._algorithm.problem.link.slope(best)
        self._rounds = t + 1
        self._regret += regret

    def columns(self) -> dict[str, Any]:
        bound = regret_bound(self._algorithm, self._rounds, self._slopes)
        self._share = max(self._share, self._regret / bound)
        return {"distance_over_radius": self._distance, "regret_over_bound": self._share}


def regret_bound(algorithm: GLBOMD, rounds: int, slopes: float) -> float:
    r"""Return the regret bound after ``rounds`` rounds, from the proof of Theorem 2.

    Parameters
    ----------
    algorithm : GLBOMD
    rounds : int
        T, the number of rounds.
    slopes : float
        $T/\kappa_*$, the mean function's slope at the best arm, summed over the rounds.
    """
    problem = algorithm.problem
    d, link = problem.dimension, problem.link
    R, g = link.self_concordance, link.dispersion
    c, C = link.slope_bounds(problem.norm_bound)
    ridge = algorithm.ridge
    spread = 2.0 * d * (1.0 + C) / g * math.log1p(rounds * C / (g * d * ridge))
    gamma_1 = 2.0 * algorithm.radius_at(rounds) * math.sqrt(spread)
    gamma_2 = 8.0 * d * R * C / (c * g) * algorithm.radius_at(rounds + 1) ** 2
    gamma_2 *= math.log1p(rounds * c / (g * d * ridge))
    inside = (R * gamma_1) ** 2 + 2.0 * R * gamma_2 + slopes
    return 2.0 * gamma_2 + 2.0 * R * gamma_1**2 + 2.0 * gamma_1 * math.sqrt(inside)
