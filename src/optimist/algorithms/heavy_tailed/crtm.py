r"""CRTM: least squares or online Newton steps on truncated rewards.

Xue, Wang, Wan, Yi and Zhang (2023), "Efficient Algorithms for Generalized Linear Bandits with
Heavy-Tailed Rewards", Algorithm 1, for the linear link. Rewards have $\mathbb E|r|^{1+\varepsilon}
\le u$; we take $u = (LS+\nu)^{1+\varepsilon}$. Let $p = \frac{1-\varepsilon}{2(1+\varepsilon)}$.
The estimators in `optimist.algorithms.heavy_tailed.online_newton` use
$$\tilde r_t = r_t\,\mathbb 1\{\|X_t\|_{V_{t+1}^{-1}}|r_t| \le \Gamma\},\qquad
  \Gamma = 2u^{\frac1{1+\varepsilon}}\sqrt{D}\,T^p\big/
     \big(\log\tfrac{4T}\delta\big)^{\frac1{1+\varepsilon}},\qquad
  D = d\log\big(1+\tfrac T{2d}\big),$$
$$X_t = \arg\max_x x^\top\hat\theta_t + \sqrt\gamma\|x\|_{V_t^{-1}},\qquad
  \gamma = 896\,u^{\frac2{1+\varepsilon}}\big(\log\tfrac{4T}\delta\big)^{\frac{2\varepsilon}
     {1+\varepsilon}}D\,T^{2p} + 48\,LS\,D + 2S^2 .$$

Deviations: for $\varepsilon < 1$, we reconstructed the powers in $\Gamma$ and $\gamma$ by
balancing the terms of the proof; the case $\varepsilon = 1$ is as published. The default estimate
is closed-form least squares on the $\tilde r_t$, as in Wang et al. (2025), Section 5;
``estimator="ons"`` is the online Newton step of Xue et al.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.online_newton import (
    OnlineNewton,
    absolute_root,
    log_determinant_bound,
)
from optimist.core.errors import positive
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem


class CRTM(OnlineNewton):
    r"""CRTM, with constant time and memory per round.

    Parameters
    ----------
    problem : HeavyTailedProblem
    estimator : {"ls", "ons"}
        Least squares, or online Newton steps, on the same targets.
    truncation_scale : float
        Factor that multiplies $\Gamma$.
    """

    reference = "Xue et al. (2023), Algorithm 1"

    def __init__(
        self, problem: HeavyTailedProblem, *, estimator: str = "ls", truncation_scale: float = 1.0
    ) -> None:
        self.root = absolute_root(problem)
        self.volume = log_determinant_bound(problem)
        self.tail = math.log(4.0 * problem.horizon / problem.delta)
        threshold = 2.0 * self.root * math.sqrt(self.volume) * problem.horizon**problem.power
        threshold /= self.tail ** (1.0 / (1.0 + problem.epsilon))
        self.threshold = positive("truncation_scale", truncation_scale) * threshold
        self.rejected = 0
        super().__init__(problem, estimator)

    def theory_radius(self) -> float:
        problem, e = self.problem, self.problem.epsilon
        noise = 896.0 * self.root**2 * self.tail ** (2.0 * e / (1.0 + e))
        noise *= problem.horizon ** (2.0 * problem.power)
        bias = 48.0 * problem.arm_bound * problem.norm_bound
        return math.sqrt((noise + bias) * self.volume + 2.0 * problem.norm_bound**2)

    def matched_scale(self) -> float:
        return self.root * self.growth() / math.sqrt(2.0)

    def update(self, arms: np.ndarray, index: int, reward: float, scale: float) -> None:
        x = arms[index]
        v, square = self.image(x)
        self.t += 1
        # In the norm of V_{t+1}^-1, ||x||^2 is square / (1 + square / 2).
        if math.sqrt(square / (1.0 + 0.5 * square)) * abs(reward) > self.threshold:
            self.rejected += 1
            reward = 0.0
        self.learn(x, reward, v, square)
        self.beta = self.radius()

    def diagnostics(self) -> dict[str, float]:
        return {"rejected": self.rejected}
