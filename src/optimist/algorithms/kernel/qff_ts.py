r"""QFF-TS: Thompson sampling on quadrature Fourier features.

Mutny and Krause (2018), "Efficient High Dimensional Bayesian Optimization with Additivity and
Quadrature Fourier Features", Algorithm 1. For features $\phi$ from Gauss-Hermite nodes and
$V_t = \lambda I+\sum_s\phi(x_s)\phi(x_s)^\top$,
$$\theta_t \sim N(\hat\theta_t,\ \xi^2V_t^{-1}),\qquad x_{t+1} = \arg\max_x\phi(x)^\top\theta_t .$$

Deviations: the kernel has no additive structure, and the maximum is over the given arms. The number
of features is about $\bar m^d$, so only a few dimensions are feasible. The method has no
confidence set, so `contains` always returns True.
"""

import numpy as np

from optimist.algorithms.kernel.feature_ucb import FeatureUCB
from optimist.core.errors import ConfigError, only_word, whole_number
from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.observer import Observer
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.features import FourierFeatures, quadrature_features

NODES = (24, 12, 8)  # nodes per coordinate in 1, 2 and 3 dimensions


class QFFTS(FeatureUCB):
    r"""QFF-TS, with time per round proportional to $AD + D^3$, where $D = \bar m^d$.

    Parameters
    ----------
    problem : KernelProblem
    nodes : int or "default"
        $\bar m$, the number of nodes per coordinate; ``default`` is 24, 12 or 8 for d = 1, 2 or 3.
    rng : Generator
    """

    reference = "Mutny and Krause (2018), Algorithm 1"
    max_dimension = len(NODES)
    kernels = ("gaussian",)

    def __init__(
        self, problem: KernelProblem, *, nodes: int | str = "default", rng: np.random.Generator
    ) -> None:
        if problem.dimension > self.max_dimension:
            raise ConfigError(
                f"dimension is {problem.dimension}; allowed for qff_ts: at most {len(NODES)}"
            )
        if isinstance(nodes, str):
            only_word("nodes", nodes, "default", "a whole number")
            nodes = NODES[problem.dimension - 1]
        self.nodes = whole_number("nodes", nodes)
        self.rng = rng
        self.map: FourierFeatures | None = None
        super().__init__(problem)

    def features(self, arms: np.ndarray) -> np.ndarray:
        if self.map is None:
            self.map = quadrature_features(self.problem.kernel, arms.shape[1], self.nodes)
        return self.map(arms)

    def choose(self) -> int:
        # V^-1 = L L^T, so L g has covariance V^-1 for a standard normal g.
        root = np.linalg.cholesky(self.posterior.V_inv)
        noise = root @ self.rng.standard_normal(len(root))
        theta = self.posterior.theta + self.problem.deviation * noise
        return int(np.argmax(self.offered @ theta))

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return np.ones(len(thetas), dtype=bool)

    def observers(self, environment: FiniteArmEnvironment) -> list[Observer]:
        return []  # the method uses posterior draws and has no bounds to check
