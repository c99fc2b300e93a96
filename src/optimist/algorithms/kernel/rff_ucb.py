r"""RFF-UCB: optimism on random Fourier features.

Rahimi and Recht (2007), "Random Features for Large-Scale Kernel Machines", Algorithm 1. For D
random features $\phi$ of the kernel and $V_t = \lambda I+\sum_s\phi(x_s)\phi(x_s)^\top$,
$$x_{t+1} = \arg\max_x\;\phi(x)^\top\hat\theta_t + \beta_t\|\phi(x)\|_{V_t^{-1}},\qquad
  \hat\theta_t = V_t^{-1}\sum_sy_s\phi(x_s),$$
$$\beta_t = \sqrt\lambda F+\xi\sqrt{2(\log\det(V_t/\lambda)+\log(1/\delta))} .$$

Deviations: the source treats regression only. The radius is that of GP-UCB for the approximate
kernel and ignores the approximation error.
"""

import numpy as np

from optimist.algorithms.kernel.feature_ucb import FeatureUCB
from optimist.core.errors import ConfigError, whole_number
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.features import FourierFeatures, random_features
from optimist.numerics.kernels import STATIONARY


class RFFUCB(FeatureUCB):
    """RFF-UCB, with time per round proportional to AD + D^2.

    Parameters
    ----------
    problem : KernelProblem
    features : int
        D, the number of random features, which must be even.
    rng : Generator
        Random stream that draws the frequencies in the first round.
    """

    reference = "Rahimi and Recht (2007), Algorithm 1"
    kernels = tuple(STATIONARY)

    def __init__(
        self, problem: KernelProblem, *, features: int = 100, rng: np.random.Generator
    ) -> None:
        if whole_number("features", features, least=2) % 2:
            raise ConfigError(f"features is {features}; allowed: an even number")
        self.number = features
        self.rng = rng
        self.map: FourierFeatures | None = None
        super().__init__(problem)

    def features(self, arms: np.ndarray) -> np.ndarray:
        if self.map is None:
            self.map = random_features(self.problem.kernel, arms.shape[1], self.number, self.rng)
        return self.map(arms)
