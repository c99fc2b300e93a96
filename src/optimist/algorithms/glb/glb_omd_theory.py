r"""What the theorems of Zhang et al. (2025) say of a trial of GLB-OMD, beside what happened in it.

Theorem 1 bounds $\|\theta_t-\theta_*\|_{H_t}$ by $\beta_t$ in all rounds at once. The proof of
Theorem 2 (Appendix B, equations 28 to 35) ends, with all constants, in
$$\mathrm{Reg}_T \le 2\gamma_2 + 2R\gamma_1^2
   + 2\gamma_1\sqrt{R^2\gamma_1^2 + 2R\gamma_2 + T/\kappa_*},\qquad
  \tfrac T{\kappa_*} = \sum_{t\le T}\mu'(x_{t,*}^\top\theta_*),$$
$$\gamma_1 = 2\beta_T\sqrt{\tfrac{2d(1+C_\mu)}g\log\Big(1+\tfrac{TC_\mu}{gd\lambda}\Big)},\qquad
  \gamma_2 = \tfrac{8\kappa dRC_\mu\beta_{T+1}^2}g\log\Big(1+\tfrac T{g\kappa d\lambda}\Big),$$
with $\kappa = 1/c_\mu$, the inverse of the smallest slope on $[-S, S]$.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.experiments.loop import Observer
from optimist.numerics.linear import quadratic_norms

if TYPE_CHECKING:
    from optimist.algorithms.glb.glb_omd import GLBOMD


class Theorems(Observer):
    """Distances and regret so far as shares of what the theorems allow, the largest of all rounds.

    Parameters
    ----------
    theta : (d,) array
        The true parameter.
    algorithm : GLBOMD
    """

    def __init__(self, theta: np.ndarray, algorithm: "GLBOMD") -> None:
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


def regret_bound(algorithm: "GLBOMD", rounds: int, slopes: float) -> float:
    r"""Return the bound on the regret of ``rounds`` rounds that ends the proof of Theorem 2.

    Parameters
    ----------
    algorithm : GLBOMD
    rounds : int
        T.
    slopes : float
        $T/\kappa_*$, the sum of the slopes of the mean at the best arms.
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
