r"""Uniform random points, the baseline for every method.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Algorithm 1,
draws the points of Phase I in this way,
$$x_t \sim \mathrm{Uniform}(\mathcal X).$$

Deviations: none; the paper does not use this baseline.
"""

import numpy as np

from optimist.algorithms.black_box.base import BoxAlgorithm


class Uniform(BoxAlgorithm):
    """Baseline that draws uniform points, without learning, in constant time per round.

    Parameters
    ----------
    problem : BoxProblem
    rng : Generator
    """

    reference = "Liu and Wang (2023), Algorithm 1, Phase I"

    def suggest(self) -> np.ndarray:
        return self.uniform(1)[0]
