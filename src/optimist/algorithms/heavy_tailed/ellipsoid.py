r"""Base classes for heavy-tailed noise: optimism over an ellipsoid around an estimate.

$$X_t = \arg\max_x\; x^\top\hat\theta + \beta\,\|x\|_{V^{-1}},\qquad
  V_t = V_{t-1} + g_t\,xx^\top .$$

The theoretical radii of these methods are so large that they prevent learning at practical
horizons. Therefore, every method offers three radii (see
`optimist.environments.problems.heavy_tailed.HeavyTailedProblem`): the radius from its theory, a
multiple of that radius, and a matched radius, which gives all methods the same confidence width on
the same data,
$$\beta = c\,(\text{scale}\cdot B_n + \sqrt\lambda S),\qquad
  B_n = \sqrt{2\log(1/\delta_b) + d\log(1 + nL^2/d)},\quad \delta_b = 0.01,$$
where n is the number of updates, c is the problem's ``factor``, and "scale" is the noise scale of
the observations in units of the method's V.
"""

import math
from abc import abstractmethod

import numpy as np

from optimist.algorithms.base import FiniteArmAlgorithm
from optimist.environments.problems.heavy_tailed import HeavyTailedProblem
from optimist.numerics.ball import project
from optimist.numerics.linear import add_outer, dots

MATCHED_DELTA = 0.01
# Number of updates after which the inverse is recomputed from scratch. Sherman-Morrison updates
# accumulate errors if the weights span many orders of magnitude. Between recomputations, the
# inverse is symmetric only up to rounding, which suffices here.
REFRESH = 1000


class EllipsoidalAlgorithm(FiniteArmAlgorithm):
    r"""Base class of algorithms for linear rewards with heavy-tailed noise.

    Parameters
    ----------
    problem : HeavyTailedProblem
    ridge : float
        $\lambda$, where $V_0 = \lambda I$.
    """

    problem_type = HeavyTailedProblem
    problem: HeavyTailedProblem

    def __init__(self, problem: HeavyTailedProblem, ridge: float) -> None:
        super().__init__(problem)
        d, self.power = problem.dimension, problem.power
        self.ridge = float(ridge)
        self.theta = np.zeros(d)
        self.V = np.asfortranarray(self.ridge * np.eye(d))
        self.V_inv = np.asfortranarray(np.eye(d) / self.ridge)
        self.t = 0  # number of completed rounds
        self._ones = np.ones(d)
        self.updates = 0
        # constants used to compute the radius in every round
        self._is_matched = problem.radius == "matched"
        self._factor = problem.factor
        self._start = math.sqrt(self.ridge) * problem.norm_bound
        self._least_width2 = -2.0 * math.log(MATCHED_DELTA)
        self.beta = self.radius()

    @property
    def estimate(self) -> np.ndarray:
        r"""The estimate $\hat\theta$, an array of shape (d,)."""
        return self.theta

    def radius(self) -> float:
        r"""Return the current radius $\beta$, of the kind selected by the problem."""
        if not self._is_matched:
            return self._factor * self.theory_radius()
        L, d = self.problem.arm_bound, self.problem.dimension
        width = math.sqrt(self._least_width2 + d * math.log(1.0 + self.updates * L * L / d))
        return self._factor * (self.matched_scale() * width + self._start)

    @abstractmethod
    def theory_radius(self) -> float:
        r"""Return the radius from the method's theorem after ``t`` rounds."""

    @abstractmethod
    def matched_scale(self) -> float:
        """Return the noise scale, in units of V, that multiplies $B_n$ in the matched radius."""

    def growth(self) -> float:
        r"""Return $t^p$ for $p = \frac{1-\varepsilon}{2(1+\varepsilon)}$, or 1 before round 1."""
        return max(self.t, 1) ** self.power

    def select(self, arms: np.ndarray) -> int:
        # On small arrays, ``dot`` takes half as long as ``@`` to reach BLAS.
        images = arms.dot(self.V_inv)
        images *= arms
        index = images.dot(self._ones)  # squared norms
        np.maximum(index, 0.0, out=index)
        np.sqrt(index, out=index)
        index *= self.beta
        index += arms.dot(self.estimate)
        return int(index.argmax())

    def image(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        r"""Return $v = V^{-1}x$ and $x^\top v$ for an arm ``x`` (d,)."""
        v = self.V_inv.dot(x)
        return v, float(x.dot(v))

    def add(self, x: np.ndarray, v: np.ndarray, weight: float, square: float) -> None:
        r"""Add $w\,xx^\top$ to V, where w is ``weight``, and update the inverse of V.

        Parameters
        ----------
        x, v : (d,) arrays
            An arm, and $v = V^{-1}x$.
        weight : float
        square : float
            $x^\top v$.
        """
        self.V = add_outer(self.V, weight, x)
        self.updates += 1
        if self.updates % REFRESH:
            # Sherman-Morrison formula.
            self.V_inv = add_outer(self.V_inv, -weight / (1.0 + weight * square), v)
        else:
            self.V_inv = np.asfortranarray(np.linalg.inv(self.V))

    def into_ball(self, theta: np.ndarray) -> np.ndarray:
        r"""Return the point of the ball nearest to ``theta`` (d,) in the norm of V."""
        S = self.problem.norm_bound
        return theta if theta.dot(theta) <= S * S else project(self.V, theta, S)

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        moves = thetas - self.estimate
        return np.sqrt(dots(moves @ self.V, moves)) <= self.beta


class RefittingAlgorithm(EllipsoidalAlgorithm):
    """Base class of algorithms that refit to all data, but only when the estimate is needed.

    Parameters
    ----------
    problem : HeavyTailedProblem
    ridge : float
        See `EllipsoidalAlgorithm`.
    """

    def __init__(self, problem: HeavyTailedProblem, ridge: float) -> None:
        self.is_stale = False  # whether rewards have arrived since the last fit
        super().__init__(problem, ridge)

    @abstractmethod
    def fit(self) -> None:
        """Set ``theta``, of shape (d,), to the estimate from all data."""

    @property
    def estimate(self) -> np.ndarray:
        self.prepare()
        return self.theta

    def prepare(self) -> None:
        if self.is_stale:
            self.is_stale = False
            self.fit()
