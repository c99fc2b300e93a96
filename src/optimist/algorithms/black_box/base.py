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
    """Return the offset and the unit that standardise values to (y - offset) / unit.

    Parameters
    ----------
    y : (n,) array
    centre : callable
        Function that maps the values to the offset.
    ddof : int
        Delta degrees of freedom of the standard deviation, which is the unit.
    least : float
        Least standard deviation that serves as the unit. The unit is 1 if the deviation is smaller,
        as for values that are equal up to rounding, or if there are too few values.
    """
    spread = float(y.std(ddof=ddof)) if len(y) > ddof else 0.0
    return float(centre(y)), spread if spread >= least else 1.0


class BoxAlgorithm(Algorithm):
    """An algorithm that proposes a point in a box in every round and observes a value there.

    Its first points are the problem's ``initial`` points or, if the problem has none,
    ``initial_count`` uniform points that the algorithm draws. Only `propose` and `observe` are
    timed.

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
        """The point (d,) with the largest observation so far; if several tie, the first of them."""
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
        """Learn from the value ``y`` observed at the point ``x`` (d,)."""
        self._points.append(x)
        self._values.append(y)
        if len(self._values) > self.problem.initial_count:
            self.learn(x, y)
        elif len(self._values) == self.problem.initial_count:
            self.begin()

    @abstractmethod
    def suggest(self) -> np.ndarray:
        """Return a point of shape (d,) to evaluate in a round after the initial points."""

    def begin(self) -> None:
        """Optional hook, called once after the initial points have been evaluated."""

    def learn(self, x: np.ndarray, y: float) -> None:
        """Optional hook, called with the value ``y`` observed at a point ``x`` from `suggest`."""

    def uniform(self, n: int, rng: np.random.Generator | None = None) -> np.ndarray:
        """Draw ``n`` uniform points in the box from ``rng``, by default the algorithm's stream.

        Returns
        -------
        (n, d) array
        """
        rng = self.rng if rng is None else rng
        return self.problem.outward(rng.random((n, self.problem.dimension)))

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        return np.ones(len(thetas), dtype=bool)
