r"""Uniform play, the yardstick of relative regret.

Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching", Section 1, has
no such method; its follow-up reports regret relative to it,
$$x_{t+1} \sim \mathrm{Uniform}(\mathcal A).$$

Deviations: none.
"""

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.problems.kernel import KernelProblem


class Uniform(FiniteArmAlgorithm):
    """Constant time and memory per round; learns nothing.

    Parameters
    ----------
    problem : KernelProblem
    rng : Generator
    """

    reference = "Calandriello et al. (2019), Section 1"
    problem_type = KernelProblem

    def __init__(self, problem: KernelProblem, *, rng: np.random.Generator) -> None:
        super().__init__(problem)
        self.rng = rng

    def select(self, arms: np.ndarray) -> int:
        return int(self.rng.integers(len(arms)))

    def update(self, arms: np.ndarray, index: int, reward: float) -> None:
        """Learn nothing."""

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return np.ones(len(thetas), dtype=bool)
