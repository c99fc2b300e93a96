r"""Test functions on $[-5,5]^{d}$, two of which are networks that the algorithm can represent.

| name | formula | maximum |
| --- | --- | --- |
| network | all weights and biases 1: $25\,s(1+\sum_ix_i)+1$, s logistic | at $(5,\dots,5)$ |
| styblinski_tang | $-\frac12\sum_i(x_i^4-16x_i^2+5x_i)$ | at $x_i=-2.903534$ |
| rastrigin | $-200+\sum_i(10\cos2\pi x_i-x_i^2)$, where $200=10d$ | 0 at 0 |
| drawn_network | three units, parameters uniform in [0, 1], redrawn per trial | at $(5,\dots,5)$ |

Observations have noise $N(0,\sigma^2)$, which depends on the round but not on the point.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Section 6.1: f_1,
f_2 and f_3 in 20 dimensions, with $\sigma=0.01$ and n = 5, 8 and 8 initial points, respectively. We
added the last function, a network whose units differ. All units of f_1 are equal, so shifting
weight between them does not change f_1. Its parameter is therefore not unique, contrary to the
paper's Assumption 3.3.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from optimist.core.errors import one_of, positive, whole_number
from optimist.environments.base import MOST_DIMENSIONS, BoxEnvironment
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.network import HIDDEN, TwoLayerNetwork, logistic

EDGE = 5.0
UNITS = 3  # hidden units of a drawn network
# The leftmost root of 2 z^3 - 16 z + 5/2 = 0, which maximises every term of Styblinski-Tang.
STYBLINSKI_TANG = float(min(np.roots([2.0, 0.0, -16.0, 2.5]).real))


def network(x: np.ndarray) -> float:
    """Return f_1 at ``x``, of shape (d,)."""
    return HIDDEN * logistic(1.0 + x.sum()) + 1.0


def styblinski_tang(x: np.ndarray) -> float:
    """Return f_2 at ``x``, of shape (d,)."""
    squares = x * x
    return -0.5 * float((squares * squares - 16.0 * squares + 5.0 * x).sum())


def rastrigin(x: np.ndarray) -> float:
    """Return f_3 at ``x``, of shape (d,)."""
    return -10.0 * len(x) + float((10.0 * np.cos(2.0 * math.pi * x) - x * x).sum())


# Each entry is a function f and two numbers, a and b: f is largest at (a, ..., a), and its absolute
# value is largest at (b, ..., b).
FUNCTIONS = {
    "network": (network, EDGE, EDGE),
    "styblinski_tang": (styblinski_tang, STYBLINSKI_TANG, EDGE),
    # 10 cos(2 pi z) - z^2 is smallest where 10 pi sin(2 pi z) = -z, just beyond 4.5.
    "rastrigin": (rastrigin, 0.0, 4.522993659584519),
}
NAMES = (*FUNCTIONS, "drawn_network")


class TestFunctionEnvironment(BoxEnvironment):
    r"""Environment with one of the test functions of this module.

    Parameters
    ----------
    horizon : int
        Number of rounds, including the initial ones.
    trial : int
        Index of the trial, counted from 0.
    stream : callable
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    function : {"network", "styblinski_tang", "rastrigin", "drawn_network"}
        Name of the function: f_1, f_2, f_3 or the one that we added.
    dimension : int
        d, the number of coordinates of a point.
    initial : int
        n, the number of initial points, which are drawn uniformly.
    deviation : float
        $\sigma$, the standard deviation of the noise.

    Raises
    ------
    ConfigError
        If a parameter is out of range.
    """

    __test__ = False  # tells pytest that this is not a test class

    def __init__(
        self,
        *,
        horizon: int,
        trial: int,
        stream: Callable[[str], np.random.Generator],
        function: str,
        dimension: int = 20,
        initial: int = 8,
        deviation: float = 0.01,
    ) -> None:
        self.horizon = horizon
        one_of("function", function, NAMES)
        d = whole_number("dimension", dimension, most=MOST_DIMENSIONS)
        self.instance = f"{function}, d = {d}"
        self.low, self.high = np.full(d, -EDGE), np.full(d, EDGE)
        self.deviation = positive("deviation", deviation)
        points = stream("initial").random((whole_number("initial", initial), d))
        self._initial = self.low + (self.high - self.low) * points
        self._noise = self.deviation * stream("noise").standard_normal(horizon)
        self.hidden = HIDDEN
        self.function: Callable[[np.ndarray], float]
        if function == "drawn_network":
            self.hidden, best, extreme = UNITS, EDGE, EDGE  # f increases in every coordinate
            model = TwoLayerNetwork(d, UNITS)
            self.theta = stream("weights").random(model.size)
            self.function = partial(model.value, self.theta)
        else:
            self.function, best, extreme = FUNCTIONS[function]
            if function == "network":
                self.theta = np.ones(TwoLayerNetwork(d).size)
        self.maximum = self.function(np.full(d, best))
        self.value_bound = max(self.maximum, abs(self.function(np.full(d, extreme))))
        if function == "drawn_network":
            # Assumption 3.2 needs a bound on all networks whose parameters lie in the unit cube.
            self.value_bound = model.value(np.ones(model.size), self.high)

    def value(self, x: np.ndarray) -> float:
        return self.function(x)

    def reward(self, t: int, x: np.ndarray) -> float:
        return self.function(x) + float(self._noise[t])

    def problem(self, *, own_initial: bool = False) -> BoxProblem:
        """Return the `BoxProblem`.

        Parameters
        ----------
        own_initial : bool
            Whether each algorithm draws its own initial points instead of sharing them.

        Raises
        ------
        ConfigError
            If an option is out of range.
        """
        return BoxProblem(
            low=self.low,
            high=self.high,
            horizon=self.horizon,
            initial_count=len(self._initial),
            initial=None if one_of("own_initial", own_initial, (False, True)) else self._initial,
            deviation=self.deviation,
            value_bound=self.value_bound,
            hidden=self.hidden,
        )

    def facts(self) -> dict[str, float]:
        return {"maximum": self.maximum, "value_bound": self.value_bound}
