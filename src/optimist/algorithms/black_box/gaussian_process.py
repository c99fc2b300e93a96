r"""Bayesian optimisation with a Gaussian process, in four configurations.

In every round, the process is fitted to all points: its lengthscales $\ell$, amplitude s, noise
variance $\tau^2$ and mean c maximise their posterior density. The next point maximises an
acquisition function of the mean m and standard deviation v of the fitted process,
$$x_{t+1} = \arg\max_{x\in\mathcal X} a\big(m_t(x), v_t(x)\big) .$$

| configuration | inputs | values | kernel | priors | follows |
| --- | --- | --- | --- | --- | --- |
| ``fair`` | in [0, 1] | standardised | Matern 5/2 | Gamma | BoTorch of 2022, scaled |
| ``raw`` | unscaled | unscaled | Matern 5/2 | Gamma | BoTorch's quick start |
| ``modern`` | in [0, 1] | standardised | Gaussian | log-normal | BoTorch 0.18 |
| ``skopt`` | in [0, 1] | standardised | Matern 5/2 | none | scikit-optimize 0.10 |

Liu and Wang (2023) state only "BoTorch framework and sklearn package with default parameter
settings". They specify neither the versions nor the scaling of the data.
"""

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from optimist.algorithms.black_box.base import BoxAlgorithm, standardise
from optimist.algorithms.black_box.configurations import CONFIGURATIONS
from optimist.core.errors import one_of
from optimist.environments.problems.box import BoxProblem
from optimist.numerics import gp_regression
from optimist.numerics.designs import sobol

NEAR = 0.05  # standard deviation of the incumbent's perturbations, in widths of the box

# The acquisition and its derivatives with respect to the mean and the standard deviation.
Acquisition = tuple[np.ndarray, np.ndarray, np.ndarray]


class GPOptimiser(BoxAlgorithm):
    """Base class of GP-EI, GP-PI and GP-UCB, which differ in their acquisition function.

    With n points, evaluating the likelihood takes O(n^3) time, and evaluating the acquisition at a
    point takes O(n^2) time.

    Parameters
    ----------
    problem : BoxProblem
    configuration : {"fair", "raw", "modern", "skopt"}
    rng : Generator
    """

    def __init__(
        self, problem: BoxProblem, *, configuration: str = "fair", rng: np.random.Generator
    ) -> None:
        super().__init__(problem, rng)
        one_of("configuration", configuration, CONFIGURATIONS)
        self.configuration = CONFIGURATIONS[configuration]
        self.scheme = self.configuration.scheme(problem.dimension)
        scaled = self.configuration.scaled
        self._corner = problem.low if scaled else np.zeros(problem.dimension)
        self._width = problem.high - problem.low if scaled else np.ones(problem.dimension)
        self.counts = {"failed_fits": 0, "flat_rounds": 0, "failed_ascents": 0}

    @abstractmethod
    def acquisition(self, m: Any, v: Any, best: float) -> Acquisition:
        """Return the acquisition and its derivatives with respect to ``m`` and ``v``.

        All three are arrays of shape (n,).

        Parameters
        ----------
        m, v : (n,) arrays
            Mean and standard deviation of the process, in standardised units if values are scaled.
        best : float
            Value to exceed, in the same units.
        """

    def suggest(self) -> np.ndarray:
        X = (self.points - self._corner) / self._width
        offset, unit = self._units()
        y = (self.values - offset) / unit
        process, failed = gp_regression.fit(self.scheme, X, y, self.rng)
        self.counts["failed_fits"] += failed
        best = float(y.max()) + self.configuration.improvement / unit
        x = self._maximise(process, best, X[int(np.argmax(y))])
        return np.clip(self._corner + self._width * x, self.problem.low, self.problem.high)

    def _units(self):
        """Return the offset and unit that scale the values."""
        if not self.configuration.scaled:
            return 0.0, 1.0
        return standardise(self.values, ddof=self.configuration.ddof)

    def _maximise(self, process, best, incumbent):
        """Return the point (d,) of the scaled box with the largest acquisition found."""
        low = (self.problem.low - self._corner) / self._width
        high = (self.problem.high - self._corner) / self._width
        candidates = self._candidates(low, high, incumbent)
        m, v = process.predict(candidates)
        values = self.acquisition(m, v, best)[0]
        self.counts["flat_rounds"] += bool(values.max() == values.min())
        order = np.argsort(-values, kind="stable")[: self.configuration.refined]
        ends, heights = self._refine(process, best, candidates[order], low, high)
        highest = int(np.argmax(heights))
        # A NaN among the refined values fails the comparison, so the best candidate is returned.
        return ends[highest] if heights[highest] >= values[order[0]] else candidates[order[0]]

    def _candidates(self, low, high, incumbent):
        how, d = self.configuration, len(low)
        if how.sobol:
            points = sobol(self.rng, how.candidates, d)
        else:
            points = self.rng.random((how.candidates, d))
        near = incumbent + NEAR * (high - low) * self.rng.standard_normal((how.near, d))
        return np.vstack([low + (high - low) * points, np.clip(near, low, high)])

    def _refine(self, process, best, starts, low, high):
        """Refine ``starts`` (K, d) by L-BFGS-B; return the end points (K, d) and values (K,)."""
        groups = [starts] if self.configuration.joint else starts[:, None]
        runs = [self._ascend(process, best, group, low, high) for group in groups]
        return np.vstack([ends for ends, _ in runs]), np.concatenate([at for _, at in runs])

    def _ascend(self, process, best, starts, low, high):
        """Refine ``starts`` (k, d) in one run; return the end points (k, d) and values (k,).

        The run maximises the sum of the acquisitions. Each term depends only on the coordinates of
        one point, so maximising the sum maximises every term.
        """

        from scipy.optimize import Bounds, minimize

        def acquisitions(flat):
            m, v, along_m, along_v = process.predict_with_gradients(flat.reshape(starts.shape))
            heights, by_m, by_v = self.acquisition(m, v, best)
            return heights, by_m[:, None] * along_m + by_v[:, None] * along_v

        def objective(flat):
            heights, slopes = acquisitions(flat)
            return -float(heights.sum()), -slopes.ravel()

        result = minimize(
            objective,
            starts.ravel(),
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(np.tile(low, len(starts)), np.tile(high, len(starts))),
            options={"maxiter": self.configuration.iterations},
        )
        self.counts["failed_ascents"] += not math.isfinite(result.fun)
        return result.x.reshape(starts.shape), acquisitions(result.x)[0]

    def diagnostics(self) -> dict[str, float]:
        return dict(self.counts)
