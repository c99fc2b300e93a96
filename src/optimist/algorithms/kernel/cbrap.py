r"""CBRAP: LinUCB after a random projection to m dimensions.

Yu, Lyu and King (2017), "CBRAP: Contextual Bandits with RAndom Projection", Algorithm 1. For
a random matrix P (m, d) with independent $N(0,1/m)$ entries, $z = Px$ and
$V_t = \lambda I+\sum_sz_sz_s^\top$,
$$x_{t+1} = \arg\max_x\;z^\top\hat\theta_t+\beta_t\|z\|_{V_t^{-1}},\qquad
  \beta_t = \sqrt\lambda F+\xi\sqrt{2(\log\det(V_t/\lambda)+\log(1/\delta))} .$$

Deviations: the radius is computed as in LinUCB, but in the projected space. Like the published
algorithm, it ignores the projection error.
"""

import numpy as np

from optimist.algorithms.kernel.feature_ucb import FeatureUCB
from optimist.core.errors import whole_number
from optimist.environments.problems.kernel import KernelProblem


class CBRAP(FeatureUCB):
    """CBRAP, with time per round proportional to Am + m^2.

    Parameters
    ----------
    problem : KernelProblem
    size : int
        m, the dimension after projection.
    rng : Generator
        Random stream that draws the projection in the first round.
    """

    reference = "Yu et al. (2017), Algorithm 1"
    kernels = ("linear",)

    def __init__(self, problem: KernelProblem, *, size: int = 10, rng: np.random.Generator) -> None:
        self.size = whole_number("size", size)
        self.rng = rng
        self.projection: np.ndarray | None = None
        super().__init__(problem)

    def features(self, arms: np.ndarray) -> np.ndarray:
        if self.projection is None:
            P = self.rng.standard_normal((self.size, arms.shape[1]))
            self.projection = P / self.size**0.5
        return arms @ self.projection.T
