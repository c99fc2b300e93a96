r"""Playing the best point of Phase I in every round: exploitation without a model.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Algorithm 1,
does almost the same if its steps are small and its ascent starts at the best observed point. This
baseline plays
$$x_t = x_{\arg\max_{s\le n}y_s} .$$

Deviations: none; the paper does not use this baseline.
"""

import numpy as np

from optimist.algorithms.black_box.base import BoxAlgorithm


class Incumbent(BoxAlgorithm):
    """Baseline that always plays the best point of Phase I, in constant time per round.

    Parameters
    ----------
    problem : BoxProblem
    rng : Generator
    """

    reference = "Liu and Wang (2023), Algorithm 1, Step 5"

    def begin(self) -> None:
        self.best = self.points[int(np.argmax(self.values))].copy()

    def suggest(self) -> np.ndarray:
        return self.best.copy()
