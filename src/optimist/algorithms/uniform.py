r"""Uniform play on finitely many arms, the baseline for every method.

Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching", Section 1, does
not use this method; the follow-up paper reports regret relative to uniform play,
$$x_{t+1} \sim \mathrm{Uniform}(\mathcal A_t).$$

Deviations: none. Compare a method with this baseline before drawing conclusions from its regret: if
it does no better, it has learnt nothing.
"""

from typing import Any

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm


class Uniform(FiniteArmAlgorithm):
    """Baseline that draws arms uniformly, without learning, in constant time and memory.

    Parameters
    ----------
    problem : object
        Any problem with finitely many arms.
    rng : Generator
    """

    reference = "Calandriello et al. (2019), Section 1"
    problem_type = object

    def __init__(self, problem: Any, *, rng: np.random.Generator) -> None:
        super().__init__(problem)
        self.rng = rng

    def select(self, arms: np.ndarray) -> int:
        return int(self.rng.integers(len(arms)))

    def update(
        self, arms: np.ndarray, index: int, reward: float, *args: Any, **context: Any
    ) -> None:
        """Ignore the reward."""

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return np.ones(len(thetas), dtype=bool)
