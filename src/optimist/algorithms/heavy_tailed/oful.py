r"""OFUL: optimism with ridge regression, for noise with light tails.

Abbasi-Yadkori, Pal and Szepesvari (2011), "Improved Algorithms for Linear Stochastic Bandits",
Theorem 2. For $V_t = \lambda I + \sum_s X_sX_s^\top$ and $\hat\theta_t = V_t^{-1}\sum_s r_sX_s$,
$$X_t = \arg\max_x\; x^\top\hat\theta_{t-1} + \beta_{t-1}\|x\|_{V_{t-1}^{-1}},\qquad
  \beta_t = R\sqrt{2\log\frac{\det(V_t)^{1/2}}{\delta\,\det(\lambda I)^{1/2}}} + \sqrt\lambda S.$$

Deviations: heavy-tailed noise has no sub-Gaussian scale R. Wang et al. (2025) compare with OFUL but
do not state which R they used; the option ``R`` offers three values. The ridge is $\lambda = 1$.
``weighted=True`` is our own control: every observation is divided by its own scale $\nu_t$, which
makes R = 1.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.ellipsoid import EllipsoidalAlgorithm
from optimist.core.errors import ConfigError, one_of
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem


class OFUL(EllipsoidalAlgorithm):
    r"""OFUL, with constant time and memory per round.

    Parameters
    ----------
    problem : HeavyTailedProblem
    R : {"nu", "unit", "sd"}
        Sub-Gaussian scale: the $\nu$ used by other methods (or its bound if it varies), 1, or the
        noise's standard deviation, which must be finite.
    weighted : bool
        Whether to weight rounds by $1/\nu_t^2$.
    """

    reference = "Abbasi-Yadkori et al. (2011), Theorem 2"

    def __init__(
        self, problem: HeavyTailedProblem, *, R: str = "nu", weighted: bool = False
    ) -> None:
        one_of("R", R, ("nu", "unit", "sd"))
        self.weighted = one_of("weighted", weighted, (False, True))
        if R == "sd" and not math.isfinite(problem.deviation):
            raise ConfigError("R is 'sd'; allowed if the noise has infinite variance: nu, unit")
        scales = {"nu": problem.scale_bound, "unit": 1.0, "sd": problem.deviation}
        self.R = 1.0 if self.weighted else scales[R]
        self.half_log_det = 0.0  # half of log det(V / lambda)
        self.moment = np.zeros(problem.dimension)  # weighted sum of r x
        super().__init__(problem, ridge=1.0)

    def theory_radius(self) -> float:
        width = math.sqrt(2.0 * (self.half_log_det - math.log(self.problem.delta)))
        return self.R * width + math.sqrt(self.ridge) * self.problem.norm_bound

    def matched_scale(self) -> float:
        return self.R

    def update(self, arms: np.ndarray, index: int, reward: float, scale: float) -> None:
        x = arms[index]
        weight = max(scale, self.problem.least_scale) ** -2 if self.weighted else 1.0
        v, square = self.image(x)
        self.t += 1
        self.half_log_det += 0.5 * math.log1p(weight * square)
        self.add(x, v, weight, square)
        self.moment += (weight * reward) * x
        self.theta = self.V_inv.dot(self.moment)
        self.beta = self.radius()
