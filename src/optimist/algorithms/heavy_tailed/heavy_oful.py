r"""HEAVY-OFUL: adaptive Huber regression over all data.

Huang, Zhong, Wang and Yang (2023), "Tackling Heavy-Tailed Rewards in Reinforcement Learning with
Function Approximation", Algorithm 1. For $n_t = \|X_t\|_{H_{t-1}^{-1}}$,
$p = \frac{1-\varepsilon}{2(1+\varepsilon)}$ and the Huber loss $f_\tau$,
$$\sigma_t = \max\Big\{\nu_t, \sigma_{\min}, \tfrac{n_t}{c_0},
     \tfrac{\sqrt{LS}}{(2\kappa c_1)^{1/4}}\sqrt{n_t}\Big\},\quad w_t = \tfrac{n_t}{\sigma_t},\quad
  \tau_t = \tau_0\tfrac{\sqrt{1+w_t^2}}{w_t}t^p,\quad
  H_t = H_{t-1} + \tfrac{X_tX_t^\top}{\sigma_t^2},$$
$$\hat\theta_t = \arg\min_{\|\theta\|\le S}\; \tfrac\lambda2\|\theta\|^2
   + \sum_{s\le t} f_{\tau_s}\Big(\tfrac{r_s - X_s^\top\theta}{\sigma_s}\Big),\qquad
  \beta_t = 3\sqrt\lambda S
    + 24\,t^p\sqrt{2\kappa}\,(\log 3T)^p\Lambda^{\varepsilon/(1+\varepsilon)},$$
$$c_0 = \frac1{\sqrt{23\Lambda}},\qquad
  c_1 = \frac{(\log 3T)^{(1-\varepsilon)/(1+\varepsilon)}}{48\,\Lambda^{2/(1+\varepsilon)}},\qquad
  \lambda = d/S^2 .$$

Deviations: the factor 1/2 of the ridge penalty is included everywhere; the paper omits it in one
place. If the radius is smaller than the theory's, the last two lower bounds on $\sigma_t$ do
not shrink with it unless the problem's option ``relax_sigma_bounds`` multiplies them by
$\sqrt{\beta_{t-1}/\beta^{theory}_{t-1}}$.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.ellipsoid import RefittingAlgorithm
from optimist.core.errors import one_of, positive
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics.huber import SOLVERS, HuberRegression
from optimist.numerics.robust import log_volume, threshold_constant


class HeavyOFUL(RefittingAlgorithm):
    r"""HEAVY-OFUL, with time per round and memory proportional to t.

    Parameters
    ----------
    problem : HeavyTailedProblem
    solver : {"newton", "gd_warm", "gd_cold", "irls", "slsqp_loop"}
        See `optimist.numerics.huber`. ``newton`` is exact; the gradient methods stop at an accuracy
        of $1/\sqrt T$, as published; ``slsqp_loop`` is the solver used in public code.
    tau_scale : float
        Factor that multiplies $\tau_t$.

    Notes
    -----
    The number of clipped rewards is based on the residuals from the most recent fit.
    """

    reference = "Huang et al. (2023), Algorithm 1 and Theorem 3"

    def __init__(
        self, problem: HeavyTailedProblem, *, solver: str = "newton", tau_scale: float = 1.0
    ) -> None:
        self.solver = one_of("solver", solver, SOLVERS)
        ridge = problem.dimension / problem.norm_bound**2
        e, log_term = problem.epsilon, problem.log_term
        self.kappa = log_volume(problem, ridge)
        self.tau_0 = threshold_constant(problem, ridge)
        self.tau_scale = positive("tau_scale", tau_scale)
        logs = math.log(3.0 * problem.horizon)
        c_1 = logs ** ((1.0 - e) / (1.0 + e)) / (48.0 * log_term ** (2.0 / (1.0 + e)))
        size = problem.arm_bound * problem.norm_bound
        # sigma_t is at least steep * n_t and at least flat * sqrt(n_t).
        self.steep = math.sqrt(23.0 * log_term)  # 1 / c_0
        self.flat = math.sqrt(size) / (2.0 * self.kappa * c_1) ** 0.25
        # The theory's radius is theory_start + t^p * theory_width.
        self.theory_start = 3.0 * math.sqrt(ridge) * problem.norm_bound
        self.theory_width = 24.0 * math.sqrt(2.0 * self.kappa) * logs**problem.power
        self.theory_width *= log_term ** (e / (1.0 + e))
        self.regression = HuberRegression(problem.dimension, ridge, problem.norm_bound)
        super().__init__(problem, ridge)

    def theory_radius(self) -> float:
        if self.t == 0:
            return self.theory_start
        return self.theory_start + self.growth() * self.theory_width

    def matched_scale(self) -> float:
        return self.growth()

    def fit(self) -> None:
        accuracy = 1.0 / math.sqrt(self.problem.horizon)
        self.theta, converged = SOLVERS[self.solver](self.regression, self.theta, accuracy)
        if not converged:
            self.status = "unconverged"

    def update(self, arms: np.ndarray, index: int, reward: float, scale: float) -> None:
        x = arms[index]
        v, square = self.image(x)
        sigma = self._sigma(scale, math.sqrt(square))
        self.t += 1
        w2 = square / (sigma * sigma)
        tau = math.inf
        if w2:
            tau = self.tau_scale * self.tau_0 * math.sqrt(1.0 + 1.0 / w2) * self.growth()
        self.add(x, v, 1.0 / (sigma * sigma), square)
        self.regression.append(x / sigma, reward / sigma, tau)
        self.is_stale = True
        self.beta = self.radius()

    def _sigma(self, scale, n):
        least = max(self.steep * n, self.flat * math.sqrt(n))
        if self.problem.relax_sigma_bounds:
            least *= math.sqrt(self.beta / self.theory_radius())
        return max(scale, self.problem.least_scale, least)

    def diagnostics(self) -> dict[str, float]:
        return {"clipped": len(self.regression.clipped(self.theta)[0])}
