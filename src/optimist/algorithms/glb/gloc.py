r"""GLOC: optimism through online-to-confidence-set conversion with an online Newton step.

Jun, Bhargava, Nowak and Willett (2017), "Scalable Generalized Linear Bandits: Online Computation
and Hashing", Algorithm 1 and Theorem 1. For $c = 1/\kappa$, the online Newton iterate
$\vartheta_t$, $z_t = X_t^\top\vartheta_t$ and $V_t = \lambda I + \sum_s X_sX_s^\top$,
$$\hat\theta_t = V_t^{-1}\sum_s z_s X_s,\qquad
  X_t = \arg\max_x\; x^\top\hat\theta_t + \sqrt{\beta_t}\,\|x\|_{V_t^{-1}},$$
$$\beta_t = 1 + \tfrac4cB_t + \tfrac{8R^2}{c^2}\log\Big(\tfrac2\delta
   \sqrt{1 + \tfrac2cB_t + \tfrac{4R^4}{c^4\delta^2}}\Big) + \lambda S^2
   - \Big(\sum_s z_s^2 - \hat\theta_t^\top\sum_s z_sX_s\Big),$$
where $B_t$ bounds the regret of the online Newton step.

Deviations: $\lambda = d$, as in Zhang et al. (2025), Appendix F.1. Poisson noise is not
sub-Gaussian; $R = \sqrt{C_\mu} = e^{S/2}$ replaces the missing constant. ``variant="public"``
follows the public code, which replaces R by S, omits the terms after the logarithm, centres the
index at $\mu(x^\top\vartheta_t)$ and always rescales the iterate to the sphere. ``inverse="pinv"``
recomputes $V_t^{-1}$ with numpy's pseudo-inverse, as Zhang et al. (2025), Appendix F.1, did.
"""

import math

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.algorithms.glb.inverses import chosen_inverse
from optimist.core.errors import one_of
from optimist.environments.problems.glb import GLBProblem
from optimist.numerics.ball import project
from optimist.numerics.linear import inverse_norms, quadratic_norms


class GLOC(GLBAlgorithm):
    """GLOC, with constant time and memory per round and a radius linear in kappa.

    Parameters
    ----------
    problem : GLBProblem
    variant : {"paper", "public"}
        The algorithm above, or the version in the public code.
    inverse : {"rank_one", "pinv"}
        Method of inversion; see `optimist.algorithms.glb.inverses`.
    """

    reference = "Jun et al. (2017), Algorithm 1 and Theorem 1"

    def __init__(
        self, problem: GLBProblem, *, variant: str = "paper", inverse: str = "rank_one"
    ) -> None:
        super().__init__(problem)
        self._inverse = chosen_inverse(inverse)
        self.variant = one_of("variant", variant, ("paper", "public"))
        d, S = problem.dimension, problem.norm_bound
        self.ridge = float(d)
        self.c = 1.0 / problem.kappa
        noise_scale = math.sqrt(problem.link.dispersion * problem.link.slope_bounds(S)[1])
        self.sub_gaussian = S if variant == "public" else noise_scale
        self.iterate = np.zeros(d)  # vartheta
        self.V = self.ridge * np.eye(d)
        self.V_inv = np.eye(d) / self.ridge
        self.xi = np.zeros(d)  # sum of z_s X_s
        self.sum_z2 = 0.0
        self.regret_bound = 2.0 * self.c * S**2 * self.ridge  # B
        self.projections = 0

    @property
    def estimate(self) -> np.ndarray:
        r"""The estimate $\hat\theta_t$, an array of shape (d,)."""
        return self.V_inv @ self.xi

    @property
    def radius(self) -> float:
        r"""The confidence radius $\sqrt{\beta_t}$, times the problem's factor."""
        c, R, B, delta = self.c, self.sub_gaussian, self.regret_bound, self.problem.delta
        # The square root of 1 + 2 B / c + 4 R^4 / (c^4 delta^2); hypot avoids underflow.
        inside = math.hypot(math.sqrt(1.0 + 2.0 * B / c), 2.0 * (R / c) ** 2 / delta)
        beta = 1.0 + 4.0 * B / c + 8.0 * (R / c) ** 2 * math.log(2.0 / delta * inside)
        if self.variant == "paper":
            fit = self.sum_z2 - float(self.estimate @ self.xi)
            beta += self.ridge * self.problem.norm_bound**2 - fit
        return self.problem.factor * math.sqrt(max(beta, 1e-12))

    def select(self, arms: np.ndarray) -> int:
        bonus = self.radius * inverse_norms(arms, self.V_inv)
        if self.variant == "public":
            return int(np.argmax(self.problem.link.mean(arms @ self.iterate) + bonus))
        return int(np.argmax(arms @ self.estimate + bonus))

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        x = arms[index]
        z = float(x @ self.iterate)
        g = self.problem.link.mean(z) - reward
        v = self.V_inv @ x
        q = float(x @ v)
        self.V += np.multiply.outer(x, x)
        self._inverse.renew(self.V_inv, self.V, v, 1.0, q)
        # For the new V, V^-1 x = v / (1 + q).
        self.regret_bound += g * g / (2.0 * self.c) * q / (1.0 + q)
        self.xi += z * x
        self.sum_z2 += z * z
        self.iterate = self._project(self.iterate - (g / self.c / (1.0 + q)) * v)

    def _project(self, point):
        S = self.problem.norm_bound
        length = math.sqrt(point @ point)
        if self.variant == "public":
            return point * (S / length) if length > 0.0 else point
        if length <= S:
            return point
        self.projections += 1
        return project(self.V, point, S)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return quadratic_norms(thetas, self.estimate, self.V) <= self.radius

    def diagnostics(self) -> dict[str, float]:
        return {"projections": self.projections}
