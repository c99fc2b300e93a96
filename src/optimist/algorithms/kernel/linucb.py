r"""LinUCB (OFUL) for the linear kernel, computed in the space of the arms.

Abbasi-Yadkori, Pal and Szepesvari (2011), "Improved Algorithms for Linear Stochastic Bandits",
Theorem 2. For $V_t = \lambda I+\sum_sx_sx_s^\top$,
$$x_{t+1} = \arg\max_x\;x^\top\hat\theta_t+\beta_t\|x\|_{V_t^{-1}},\qquad
  \beta_t = \sqrt\lambda F+\xi\sqrt{\log\det(V_t/\lambda)+2\log(1/\delta)} .$$

Deviations: none with ``radius=ay``. ``radius=logdet`` is the looser radius
$\sqrt\lambda F+\xi\sqrt{2(\log\det(V_t/\lambda)+\log(1/\delta))}$ that Calandriello et al. (2019)
use for GP-UCB; it makes this method equivalent to GP-UCB with the linear kernel. All experiments
use it, so the two methods differ only in how they compute the index.
"""

import numpy as np

from optimist.algorithms.kernel.feature_ucb import FeatureUCB
from optimist.algorithms.kernel.kernel_ucb import sub_gaussian_radius
from optimist.core.errors import one_of
from optimist.environments.problems.kernel import KernelProblem


def theorem_radius(problem: KernelProblem, log_det: float) -> float:
    r"""Return $\beta_t$ from the theorem, given the log-determinant of $V_t/\lambda$."""
    return sub_gaussian_radius(problem, 0.5 * log_det)


RADII = {"ay": theorem_radius, "logdet": sub_gaussian_radius}


class LinUCB(FeatureUCB):
    r"""LinUCB, with time per round proportional to Ad + d^2.

    Parameters
    ----------
    problem : KernelProblem
    radius : {"ay", "logdet"}
        $\beta_t$ as above, or as in GP-UCB.
    """

    reference = "Abbasi-Yadkori et al. (2011), Theorem 2"
    kernels = ("linear",)

    def __init__(self, problem: KernelProblem, *, radius: str = "ay") -> None:
        super().__init__(problem)
        self._radius = RADII[one_of("radius", radius, RADII)]

    def confidence_radius(self, log_det: float) -> float:
        return self._radius(self.problem, log_det)

    def features(self, arms: np.ndarray) -> np.ndarray:
        return arms
