r"""GO-UCB as published: the oracle of Phase I, the constants, and Step 5.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Theorem 5.1 and
Appendix D.1. Gradient descent $w \leftarrow w - \eta\nabla L(w)$ fits the network. Projected
gradient ascent maximises the network's value jointly over x in the box and w in the ellipsoid. The
constants are
$$\lambda=\sqrt T\ln^2T,\qquad \beta_t=d_w^3F^4\,t/T .$$
If the option ``ball`` is a number, $\beta_t$ is this number times $d_w\sigma^2+d_w^3+d_w^3\,t/T$,
which is equation (7) with $\mu=1$. With ``oracle=exact``, the fit is a local
minimiser of the squared error,
$$\hat w_0\in\arg\min_w\sum_{j\le n}(f_w(x_j)-y_j)^2 .$$

Deviations: equation (7) also has hidden factors and a factor $1/\mu^2$, where $\mu$ is a constant
of the function; they are omitted here. The exact oracle is the best of five runs of L-BFGS-B. By
default, gradient descent uses all points in every step rather than one random point (``batch``),
and parameters may leave [0, 1] (``unit_weights``).
"""

import math
from collections.abc import Callable

import numpy as np

from optimist.core.errors import one_of, positive
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.ellipsoid import LowRankEllipsoid
from optimist.numerics.network import TwoLayerNetwork, least_squares

ITERATIONS = 2000
FIT_RATE = 1e-11
FIT_STARTS = 5  # number of starting points of the exact oracle
ASCENT_RATE = 1e-4


class PaperVariant:
    r"""The published variant of GO-UCB, which scales neither points nor values.

    Parameters
    ----------
    network : TwoLayerNetwork
    problem : BoxProblem
    projection : {"radial", "euclidean"}
        Projection of parameters onto the ellipsoid: towards its centre, or to the nearest point.
    unit_weights : bool
        Whether to clip parameters to [0, 1] before projecting them onto the ellipsoid.
    batch : {"full", "single"}
        Points used in each step of gradient descent: all, or one at random.
    oracle : {"descent", "exact"}
        Method that fits the network: gradient descent, or least squares to convergence.
    ball : float or None
        Factor applied to $\beta_t$ from equation (7). If None, $\beta_t$ is from Appendix D.1.

    Attributes
    ----------
    ridge : float
        $\lambda$.
    """

    def __init__(
        self,
        network: TwoLayerNetwork,
        problem: BoxProblem,
        *,
        projection: str = "radial",
        unit_weights: bool = False,
        batch: str = "full",
        oracle: str = "descent",
        ball: float | None = None,
    ) -> None:
        self.network, self.problem = network, problem
        self.euclidean = one_of("projection", projection, ("radial", "euclidean")) == "euclidean"
        self.unit = one_of("unit_weights", unit_weights, (False, True))
        self.single = one_of("batch", batch, ("full", "single")) == "single"
        self.exact = one_of("oracle", oracle, ("descent", "exact")) == "exact"
        self.factor = None if ball is None else positive("ball", ball)
        self.T = max(2, problem.rounds)  # ln 1 = 0 would leave Sigma singular
        self.ridge = math.sqrt(self.T) * math.log(self.T) ** 2

    def beta(self, t: int) -> float:
        r"""Return $\beta_t$ for round ``t`` of Phase II, counted from 1."""
        size, share = self.network.size, t / self.T
        if self.factor is None:
            return size**3 * self.problem.value_bound**4 * share
        return self.factor * (size * self.problem.deviation**2 + size**3 * (1.0 + share))

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        draw: Callable[[], np.ndarray],
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw parameters and fit the network; return the drawn and the fitted parameters.

        Both are arrays of shape (d_w,).

        Parameters
        ----------
        X, y : (n, d) and (n,) arrays
            Points of Phase I and the values observed there.
        draw : callable
            Function that draws initial parameters.
        rng : Generator
            Random stream of the optimiser.
        """
        first = draw()
        if self.exact:
            starts = [first, *(draw() for _ in range(FIT_STARTS - 1))]
            return first, least_squares(self.network, starts, X, y, self.unit)
        return first, descend(self.network, first, X, y, rng if self.single else None)

    def inward(self, X: np.ndarray) -> np.ndarray:
        """Convert points (n, d) in the box to inputs of the network."""
        return X

    def scaled(self, y: float) -> float:
        """Convert an observed value to the scale of the network's output."""
        return y

    def inward_weights(self, thetas: np.ndarray) -> np.ndarray:
        """Convert parameters (n, d_w) for unscaled data to the network's scale."""
        return thetas

    def maximise(
        self, ellipsoid: LowRankEllipsoid, beta: float, starts: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """Return the best end point, of shape (d,), and whether any parameters were projected.

        Parameters
        ----------
        ellipsoid : LowRankEllipsoid
        beta : float
            Square of the ellipsoid's radius.
        starts : (K, d) array
            Starting points; the end point with the largest value is returned.
        """
        x, w = starts.copy(), np.repeat(ellipsoid.centre[None], len(starts), axis=0)
        low, high = self.problem.low, self.problem.high
        g, active = np.empty_like(w), False
        layers, slopes = self.network.layers(w), self.network.layers(g)
        # Clipping to [0, 1] may move parameters further than `reach` assumes.
        out_of_reach = not self.unit and self.reach(ellipsoid) < ellipsoid.inner_radius(beta)
        for _ in range(ITERATIONS):
            along_x = self.network.gradients_into(slopes, layers, x)
            along_x *= ASCENT_RATE
            x += along_x
            np.minimum(np.maximum(x, low, out=x), high, out=x)
            g *= ASCENT_RATE
            w += g
            if self.unit:
                np.clip(w, 0.0, 1.0, out=w)
            if not out_of_reach:
                active |= self.project(ellipsoid, beta, w)
        return x[int(np.argmax(self.network.values(w, x)))], active

    def reach(self, ellipsoid: LowRankEllipsoid) -> float:
        r"""Return an upper bound on the total distance that the steps can move the parameters.

        The H hidden units have outputs $0\le h\le1$ and derivatives $h(1-h)\le1/4$. Therefore, the
        norm of the gradient in w is at most the square root of
        $H+1+\|w_2\|^2(1+\|x\|^2)/16$, and each step adds at most the step size times $\sqrt H$
        to $\|w_2\|$.
        """
        hidden, steps = self.network.hidden, ITERATIONS * ASCENT_RATE
        second = float(np.linalg.norm(self.network.layers(ellipsoid.centre[None]).w2))
        second += steps * math.sqrt(hidden)
        corner = np.maximum(np.abs(self.problem.low), np.abs(self.problem.high))
        return steps * math.sqrt(hidden + 1.0 + second**2 * (1.0 + corner @ corner) / 16.0)

    def project(self, ellipsoid: LowRankEllipsoid, beta: float, w: np.ndarray) -> bool:
        """Project the rows of ``w`` (K, d_w) in place; return whether any row was outside."""
        outside = ellipsoid.outside(w, beta)
        if outside.any():
            back = ellipsoid.project if self.euclidean else ellipsoid.scale
            w[outside] = back(w[outside], beta)
        return bool(outside.any())


def descend(
    network: TwoLayerNetwork,
    w: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Minimise the mean squared error by gradient descent; return the parameters (d_w,).

    Parameters
    ----------
    network : TwoLayerNetwork
    w : (d_w,) array
        Starting point.
    X, y : (n, d) and (n,) arrays
    rng : Generator or None
        Random stream that draws one point for each step; if None, each step uses all points.
    """
    for _ in range(ITERATIONS):
        chosen = slice(None) if rng is None else [int(rng.integers(len(y)))]
        w = w - FIT_RATE * network.squared_error(w, X[chosen], y[chosen])[1]
    return w
