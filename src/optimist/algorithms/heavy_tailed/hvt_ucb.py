r"""Hvt-UCB: one-pass Huber regression for heavy-tailed linear bandits.

Wang, Zhang, Zhao and Zhou (2025), "Heavy-Tailed Linear Bandits: Huber Regression with One-Pass
Update", Algorithm 1. For $n_t = \|X_t\|_{V_{t-1}^{-1}}$,
$p = \frac{1-\varepsilon}{2(1+\varepsilon)}$,
$$\sigma_t = \max\Big\{\nu_t, \sigma_{\min},
     \sqrt{\tfrac{2\beta_{t-1}}{\tau_0\sqrt\alpha\,t^p}}\,n_t, 2\sqrt2\,n_t\Big\},\quad
  w_t = \tfrac{n_t}{\sqrt\alpha\sigma_t},\quad
  \tau_t = \tau_0\tfrac{\sqrt{1+w_t^2}}{w_t}t^p,$$
$$V_t = V_{t-1} + \tfrac{X_tX_t^\top}{\alpha\sigma_t^2},\qquad
  \hat\theta_{t+1} = \arg\min_{\|\theta\|\le S}\Big\|\theta - \hat\theta_t - V_t^{-1}
     \tfrac{X_t}{\sigma_t}\mathrm{clip}\Big(\tfrac{r_t-X_t^\top\hat\theta_t}{\sigma_t},
     \pm\tau_t\Big)\Big\|_{V_t},$$
$$\beta_t = 107\,\Lambda\,\tau_0\,t^p + \sqrt{\lambda(2+4S^2)},\qquad \lambda = d,\ \alpha = 4 .$$

Deviations: the floor $2\sqrt2\,n_t$ (``stability_floor``) is condition (17) in the appendix. From
the second round on, a radius as large as the theory's implies it; a smaller one does not. The
paper's Algorithm 1 lists inputs $c_0, c_1$ that it never uses. With the paper's constants, rewards
are hardly ever clipped, so the option ``tau_scale`` can rescale the threshold $\tau_t$.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.ellipsoid import EllipsoidalAlgorithm
from optimist.core.errors import one_of, positive
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics.ball import project
from optimist.numerics.robust import threshold_constant

ALPHA = 4.0
NO_THRESHOLD = 1e200


class HvtUCB(EllipsoidalAlgorithm):
    r"""Hvt-UCB, with constant time and memory per round.

    Parameters
    ----------
    problem : HeavyTailedProblem
    scale : {"round", "bound"}
        Noise scale: $\nu_t$ of each round, or its upper bound $\nu$ (Corollary 1).
    stability_floor : bool
        Whether to keep the floor $2\sqrt2\,n_t$ on $\sigma_t$.
    tau_scale : float
        Factor that multiplies $\tau_t$.
    projection : {"lazy", "always"}
        When to decompose V: only if the step leaves the ball, or in every round (for timing).
    """

    reference = "Wang et al. (2025), Algorithm 1 and Theorem 1"

    def __init__(
        self,
        problem: HeavyTailedProblem,
        *,
        scale: str = "round",
        stability_floor: bool = True,
        tau_scale: float = 1.0,
        projection: str = "lazy",
    ) -> None:
        self.uses_bound = one_of("scale", scale, ("round", "bound")) == "bound"
        has_floor = one_of("stability_floor", stability_floor, (True, False))
        self.floor = 2.0 * math.sqrt(2.0) if has_floor else 0.0
        self.lazy = one_of("projection", projection, ("lazy", "always")) == "lazy"
        ridge = float(problem.dimension)
        self.tau_0 = threshold_constant(problem, ridge, ALPHA)
        self.tau_scale = positive("tau_scale", tau_scale)
        self.sigma = self.tau = 0.0  # sigma_t and tau_t of the last round
        self.clipped = 0
        self.projections = 0
        super().__init__(problem, ridge)

    def theory_radius(self) -> float:
        start = math.sqrt(self.ridge * (2.0 + 4.0 * self.problem.norm_bound**2))
        if self.t == 0:
            return start
        return 107.0 * self.problem.log_term * self.tau_0 * self.growth() + start

    def matched_scale(self) -> float:
        return self.growth() / math.sqrt(ALPHA)

    def update(self, arms: np.ndarray, index: int, reward: float, scale: float) -> None:
        x = arms[index]
        v, square = self.image(x)
        self.t += 1
        threshold = self.tau_0 * self.growth()
        self.sigma = sigma = self._sigma(scale, math.sqrt(square), threshold)
        w2 = square / (ALPHA * sigma * sigma)
        # A zero arm carries no information. A huge threshold clips nothing and avoids 1 / 0.
        root = math.sqrt(1.0 + 1.0 / w2) if w2 else NO_THRESHOLD
        self.tau = self.tau_scale * threshold * root
        z = (reward - float(x.dot(self.theta))) / sigma
        if abs(z) > self.tau:
            self.clipped += 1
            z = math.copysign(self.tau, z)
        self.add(x, v, 1.0 / (ALPHA * sigma * sigma), square)
        # V_t^-1 x = v / (1 + w^2).
        self.theta = self._project(self.theta + (z / (sigma * (1.0 + w2))) * v)
        self.beta = self.radius()

    def _sigma(self, scale, n, threshold):
        nu = self.problem.scale_bound if self.uses_bound else scale
        curvature = math.sqrt(2.0 * self.beta / (threshold * math.sqrt(ALPHA)))
        return max(nu, self.problem.least_scale, max(curvature, self.floor) * n)

    def _project(self, theta):
        S = self.problem.norm_bound
        inside = theta.dot(theta) <= S * S
        self.projections += not inside
        return theta if inside and self.lazy else project(self.V, theta, S, shortcut=False)

    def diagnostics(self) -> dict[str, float]:
        return {"clipped": self.clipped, "projections": self.projections}
