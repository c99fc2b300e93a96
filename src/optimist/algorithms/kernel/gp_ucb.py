r"""GP-UCB: optimism with the exact posterior.

Srinivas, Krause, Kakade and Seeger (2010), "Gaussian Process Optimization in the Bandit Setting",
as stated by Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching",
equations 6 and 7,
$$x_{t+1} = \arg\max_x\mu_t(x)+\beta_t\sigma_t(x),\qquad
  \beta_t = \sqrt\lambda F + \xi\sqrt{2\big(\log\det(K_t/\lambda+I)+\log(1/\delta)\big)} .$$

Deviations: none with ``radius=logdet``. ``radius=ay`` is the tighter radius
$\sqrt\lambda F + \xi\sqrt{\log\det(K_t/\lambda+I) + 2\log(1/\delta)}$ of Abbasi-Yadkori (2012).
``radius=igp`` is the radius $F+\xi\sqrt{2(\gamma_{t-1}+1+\log(1/\delta))}$ of Chowdhury and Gopalan
(2017), with $\lambda = 1+2/T$. It multiplies the function's posterior standard deviation,
$\sqrt\lambda\,\sigma_t$. Half of the realised log-determinant replaces $\gamma$.
"""

import math
from typing import Any

import numpy as np

from optimist.algorithms.kernel.kernel_ucb import KernelUCB, sub_gaussian_radius
from optimist.core.errors import one_of
from optimist.environments.problems.kernel import KernelProblem
from optimist.numerics.gaussian_process import (
    DistinctPosterior,
    ExactPosterior,
    GrowingCholesky,
    dense_posterior,
)

RADII = ("logdet", "ay", "igp")
SOLVERS = ("incremental", "recall", "distinct", "naive")


class GPUCB(KernelUCB):
    r"""GP-UCB with the exact posterior given all observations.

    Parameters
    ----------
    problem : KernelProblem
    radius : {"logdet", "ay", "igp"}
        $\beta_t$ as in the formula above, or as in one of the deviations.
    solver : {"incremental", "recall", "distinct", "naive"}
        Method that updates the posterior of all arms after each reward. ``incremental`` starts
        from the prior and takes O(At) time. ``recall`` starts from the posterior just after the
        arm's last reward and takes O(Ag) time if that was g rounds ago. ``distinct`` uses only the
        u distinct arms played and takes O(Au) time. ``naive`` factorises the whole kernel matrix
        and takes $O(t^3 + At^2)$ time, the usually quoted complexity. All give the same posterior.
        If the arms change, the first three keep the Cholesky factor and solve for the arms on offer
        in $O(At^2)$ time.
    """

    reference = "Calandriello et al. (2019), equations 6 and 7"

    def __init__(
        self, problem: KernelProblem, *, radius: str = "logdet", solver: str = "incremental"
    ) -> None:
        self.radius = one_of("radius", radius, RADII)
        self.solver = one_of("solver", solver, SOLVERS)
        super().__init__(problem)
        self.ridge = 1.0 + 2.0 / problem.horizon if radius == "igp" else problem.ridge
        self.posterior: Any = None  # a `PointPosterior`, or a `GrowingCholesky`
        # Played arms (d,) and their rewards, for the naive solver.
        self.observed: list[np.ndarray] = []
        self.rewards: list[float] = []
        if solver != "naive" and not problem.fixed_arms:
            self.posterior = GrowingCholesky(problem.kernel, self.ridge)

    def begin(self, arms: np.ndarray) -> None:
        kernel = self.problem.kernel
        if self.solver == "distinct":
            self.posterior = DistinctPosterior(kernel, arms, self.ridge)
        elif self.solver != "naive":
            recall = self.solver == "recall"
            self.posterior = ExactPosterior(kernel, arms, self.ridge, recall=recall)

    def learn(self, arms: np.ndarray, index: int, reward: float) -> None:
        if self.solver == "naive":
            self.observed.append(arms[index].copy())
            self.rewards.append(reward)
        elif self.problem.fixed_arms:
            self.posterior.observe(index, reward)
        else:
            self.posterior.observe(arms[index], reward)

    def predict(self, arms: np.ndarray) -> None:
        if self.solver == "naive":
            self.mean, self.leverages, log_det = self._from_scratch(arms)
        elif self.problem.fixed_arms:
            self.mean, self.leverages = self.posterior.mean, self.posterior.leverages
            log_det = self.posterior.log_det
        else:
            self.mean, self.leverages = self.posterior.predict(arms)
            log_det = self.posterior.log_det
        self.beta = self.problem.factor * self._radius(log_det)

    def _from_scratch(self, arms):
        kernel = self.problem.kernel
        if not self.rewards:
            return np.zeros(len(arms)), kernel.diagonal(arms) / self.ridge, 0.0
        y = np.array(self.rewards)
        return dense_posterior(kernel, np.array(self.observed), y, arms, self.ridge)

    def _radius(self, log_det):
        problem, tail = self.problem, -math.log(self.problem.delta)
        if self.radius == "igp":
            width = problem.deviation * math.sqrt(2.0 * (0.5 * log_det + 1.0 + tail))
            return math.sqrt(self.ridge) * (problem.norm_bound + width)
        if self.radius == "ay":
            return sub_gaussian_radius(problem, 0.5 * log_det)
        return sub_gaussian_radius(problem, log_det)
