"""Base class of algorithms on a box."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from optimist.algorithms.base import Algorithm
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.growing import GrowingArray


def standardise(
    y: np.ndarray,
    *,
    centre: Callable[[np.ndarray], float] = np.mean,
    ddof: int = 1,
    least: float = 1e-10,
) -> tuple[float, float]:
    """Return the offset and unit that standardise ``y`` as (y - offset) / unit.

    Parameters
    ----------
    y : (n,) array
    centre : callable
        Function that computes the offset from the values.
    ddof : int
        Delta degrees of freedom of the standard deviation, which is the unit.
    least : float
        Smallest standard deviation to divide by. If the standard deviation is smaller, the values
        are equal up to rounding, and the unit is 1. The unit is also 1 if there are too few values
        to compute a standard deviation.
    """
    spread = float(y.std(ddof=ddof)) if len(y) > ddof else 0.0
    return float(centre(y)), spread if spread >= least else 1.0


class BoxAlgorithm(Algorithm):
    """Base class of algorithms that propose a point in a box and observe a value in every round.

    The first ``initial_count`` points are the problem's ``initial`` points or, if it has none,
    uniform draws. Only `propose` and `observe` are timed.

    Parameters
    ----------
    problem : BoxProblem
    rng : Generator
        Random stream of the algorithm.

    Attributes
    ----------
    points : (t, d) array
        All proposed points.
    values : (t,) array
        Observations at these points.
    """

    problem_type = BoxProblem
    problem: BoxProblem

    def __init__(self, problem: BoxProblem, rng: np.random.Generator) -> None:
        super().__init__(problem)
        self.rng = rng
        self._points = GrowingArray(problem.dimension)
        self._values = GrowingArray()

    @property
    def points(self) -> np.ndarray:
        return self._points.values

    @property
    def values(self) -> np.ndarray:
        return self._values.values

    @property
    def incumbent(self) -> np.ndarray:
        """The first point with the largest observation so far, an array of shape (d,)."""
        return self.points[int(np.argmax(self.values))]

    def propose(self) -> np.ndarray:
        """Return the next point as an array of shape (d,)."""
        t, problem = len(self._values), self.problem
        if t >= problem.initial_count:
            return self.suggest()
        if problem.initial is not None:
            return problem.initial[t].copy()
        return self.uniform(1)[0]

    def observe(self, x: np.ndarray, y: float) -> None:
        """Learn from the value ``y`` observed at the point ``x``, of shape (d,)."""
        self._points.append(x)
        self._values.append(y)
        if len(self._values) > self.problem.initial_count:
            self.learn(x, y)
        elif len(self._values) == self.problem.initial_count:
            self.begin()

    @abstractmethod
    def suggest(self) -> np.ndarray:
        """Return the next point after the initial points, as an array of shape (d,)."""

    def begin(self) -> None:
        """Optional hook, called once after all initial points have been evaluated."""

    def learn(self, x: np.ndarray, y: float) -> None:
        """Optional hook, called with the value ``y`` observed at a suggested point ``x``."""

    def uniform(self, n: int, rng: np.random.Generator | None = None) -> np.ndarray:
        """Draw ``n`` uniform points in the box.

        ``rng`` defaults to the algorithm's own random stream.

        Returns
        -------
        (n, d) array
        """
        rng = self.rng if rng is None else rng
        return self.problem.outward(rng.random((n, self.problem.dimension)))

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return np.ones(len(thetas), dtype=bool)
