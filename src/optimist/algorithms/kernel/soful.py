r"""SOFUL: LinUCB on a frequent-directions sketch of the played arms.

Kuzborskij, Cella and Cesa-Bianchi (2019), "Efficient Linear Bandits through Matrix Sketching",
Algorithm 2. The sketch $S\in\mathbb R^{m\times d}$ and its lost mass $\bar\rho$ are updated by
$$\begin{pmatrix}S\\x^\top\end{pmatrix} = U\Sigma Q^\top,\quad \rho = \Sigma_{mm}^2,$$
$$S\leftarrow\big[(\Sigma^2-\rho I)_+^{1/2}Q^\top\big]_{1:m},\quad
  \bar\rho\leftarrow\bar\rho+\rho,$$
$$\tilde V = \lambda I+S^\top S,\qquad
  x_{t+1} = \arg\max_x\;x^\top\tilde V^{-1}\sum_sy_sx_s+\tilde\beta_t\|x\|_{\tilde V^{-1}},$$
$$\tilde\beta_t = \xi\sqrt{m\log\Big(1+\frac{tL^2}{m\lambda}\Big)+2\log\tfrac1\delta
     +d\log\Big(1+\frac{\bar\rho}\lambda\Big)}\sqrt{1+\frac{\bar\rho}\lambda}
  +\sqrt\lambda F\Big(1+\frac{\bar\rho}\lambda\Big) .$$

Deviations: none with ``radius=own``; ``radius=oful`` is the radius of LinUCB, computed from the
log-determinant of the sketched matrix.
"""

import math

import numpy as np

from optimist.algorithms.kernel.kernel_ucb import KernelUCB, sub_gaussian_radius
from optimist.core.errors import one_of, whole_number
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.linear import dots


class SOFUL(KernelUCB):
    r"""SOFUL, with time per round proportional to Amd.

    Parameters
    ----------
    problem : KernelProblem
    size : int
        m, the number of rows of the sketch.
    radius : {"own", "oful"}
        $\tilde\beta_t$ as in the formula above, or the radius of LinUCB.
    """

    reference = "Kuzborskij et al. (2019), Algorithm 2"
    kernels = ("linear",)

    def __init__(self, problem: KernelProblem, *, size: int = 10, radius: str = "own") -> None:
        self.size = whole_number("size", size)
        self.radius = one_of("radius", radius, ("own", "oful"))
        self.sketch = np.zeros((0, problem.dimension))
        self.moment = np.zeros(problem.dimension)  # sum of y x
        self.lost = 0.0  # mass lost by the sketch
        self.log_det = 0.0  # log det of the sketched V / lambda
        self.arm_bound2 = 0.0  # largest squared norm of an arm so far
        super().__init__(problem)

    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        x, m = arms[index], self.size
        _, s, Q = np.linalg.svd(np.vstack([self.sketch, x]), full_matrices=False)
        dropped = float(s[m - 1]) ** 2 if len(s) >= m else 0.0
        squares = np.maximum(s[:m] ** 2 - dropped, 0.0)
        self.sketch = np.sqrt(squares)[:, None] * Q[:m]
        self.lost += dropped
        self.log_det = float(np.log1p(squares / self.problem.ridge).sum())
        self.moment += reward * x

    def predict(self, arms: np.ndarray) -> None:
        ridge, S = self.problem.ridge, self.sketch
        squares = dots(arms, arms)
        self.arm_bound2 = max(self.arm_bound2, float(squares.max()))
        # The rows of S are orthogonal, so V^-1 = (I - S^T diag(1 / (|s|^2 + lambda)) S) / lambda.
        shares = 1.0 / (dots(S, S) + ridge)
        images = arms @ S.T
        self.leverages = np.maximum(squares - (images * images) @ shares, 0.0) / ridge
        theta = (self.moment - S.T @ (shares * (S @ self.moment))) / ridge
        self.mean = arms @ theta
        self.beta = self.problem.factor * self._radius()

    def _radius(self):
        problem, m = self.problem, self.size
        if self.radius == "oful":
            return sub_gaussian_radius(problem, self.log_det)
        growth = 1.0 + self.lost / problem.ridge
        width = m * math.log1p(self.t * self.arm_bound2 / (m * problem.ridge))
        width += problem.dimension * math.log(growth) - 2.0 * math.log(problem.delta)
        bias = math.sqrt(problem.ridge) * problem.norm_bound
        return problem.deviation * math.sqrt(width * growth) + bias * growth

    def diagnostics(self) -> dict[str, float]:
        return {"lost": self.lost}
