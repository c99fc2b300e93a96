r"""TOFU: least squares on truncated products of features and rewards.

Shao, Yu, King and Lyu (2018), "Almost Optimal Algorithms for Linear Stochastic Bandits with
Heavy-Tailed Payoffs", Algorithm 2. For $V_t = I + \sum_s X_sX_s^\top$, rows $u_i$ of
$V_t^{-1/2}[X_1 \dots X_t]$ and $b = (LS+\nu)^{1+\varepsilon} \ge \mathbb E|r|^{1+\varepsilon}$,
$$\hat\theta_t = V_t^{-1/2}\Big(\sum_s u_{i,s}r_s\,\mathbb 1\{|u_{i,s}r_s| \le b_t\}\Big)_{i\le d},
  \qquad b_t = \Big(\frac b{\log(2dT/\delta)}\Big)^{\frac1{1+\varepsilon}}t^p,$$
$$\beta_t = 4\sqrt d\,b^{\frac1{1+\varepsilon}}\big(\log\tfrac{2dT}\delta\big)^{
     \frac\varepsilon{1+\varepsilon}}t^p + S .$$

Deviations: the square root of V is the symmetric one. Public code uses $\log(2T/\delta)$ and the
power 1/2, and divides the radius by 5.
"""

import math

import numpy as np

from optimist.algorithms.heavy_tailed.ellipsoid import RefittingAlgorithm
from optimist.algorithms.heavy_tailed.online_newton import absolute_root
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics.growing import GrowingTable


class TOFU(RefittingAlgorithm):
    """TOFU, with time and memory proportional to t, because every round truncates all rewards.

    Parameters
    ----------
    problem : HeavyTailedProblem
    """

    reference = "Shao et al. (2018), Algorithm 2"

    def __init__(self, problem: HeavyTailedProblem) -> None:
        self.root = absolute_root(problem)
        self.tail = math.log(2.0 * problem.dimension * problem.horizon / problem.delta)
        self.history = GrowingTable(problem.dimension + 1)  # each column is an arm and its reward
        self.truncated = 0
        super().__init__(problem, ridge=1.0)

    def theory_radius(self) -> float:
        e = self.problem.epsilon
        width = 4.0 * math.sqrt(self.problem.dimension) * self.root
        width *= self.tail ** (e / (1.0 + e)) * self.growth()
        return width + self.problem.norm_bound

    def matched_scale(self) -> float:
        return self.root * self.growth()

    def fit(self) -> None:
        w, Q = np.linalg.eigh(self.V)
        root = (Q / np.sqrt(w)) @ Q.T  # V^-1/2
        arms, rewards = self.history.values[:-1], self.history.values[-1]
        products = (root @ arms) * rewards
        threshold = self.root / self.tail ** (1.0 / (1.0 + self.problem.epsilon)) * self.growth()
        kept = np.abs(products) <= threshold
        self.truncated = int(kept.size - np.count_nonzero(kept))
        self.theta = root @ np.where(kept, products, 0.0).sum(axis=1)

    def update(self, arms: np.ndarray, index: int, reward: float, scale: float) -> None:
        x = arms[index]
        v, square = self.image(x)
        self.t += 1
        self.add(x, v, 1.0, square)
        column = self.history.new_column()
        column[:-1], column[-1] = x, reward
        self.is_stale = True
        self.beta = self.radius()

    def diagnostics(self) -> dict[str, float]:
        return {"truncated": self.truncated}
