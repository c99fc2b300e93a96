r"""GO-UCB as its paper describes it: the oracle of Phase I, the constants, and Step 5.

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Theorem 5.1 and
Appendix D.1: gradient descent $w \leftarrow w - \eta\nabla L(w)$ fits, and gradient ascent over x
and w at once, projected onto box and ellipsoid, maximises;
$$\lambda=\sqrt T\ln^2T,\qquad \beta_t=d_w^3F^4\,t/T .$$
With ``ball`` c the radius is c times that of equation (7), $d_w\sigma^2+d_w^3+d_w^3\,t/T$ with
$\mu=1$, and with ``oracle=exact`` the fit is a local minimum of the squared error,
$$\hat w_0\in\arg\min_w\sum_{j\le n}(f_w(x_j)-y_j)^2 .$$

Deviations: equation (7) has $1/\mu^2$, a constant of the function, and factors that it hides; the
exact oracle is the best of five runs of L-BFGS-B; gradient descent takes all points in every step,
not one at random (``batch``), and parameters are not kept in [0, 1] (``unit_weights``).
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
FIT_STARTS = 5  # of the exact oracle
ASCENT_RATE = 1e-4


class PaperVariant:
    r"""Points and values stay as they are.

    Parameters
    ----------
    network : TwoLayerNetwork
    problem : BoxProblem
    projection : {"radial", "euclidean"}
        Put parameters back into the ellipsoid on the line to its centre, or at the nearest point.
    unit_weights : bool
        Keep parameters in [0, 1] as well.
    batch : {"full", "single"}
        Take all points in a step of gradient descent, or a random one.
    oracle : {"descent", "exact"}
        Gradient descent, or the least squared error.
    ball : float or None
        Factor of the radius of equation (7); None: the radius of Appendix D.1.

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
        r"""Return $\beta_t$ of round t of Phase II, counted from 1."""
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
        """Return parameters that were drawn and those fitted from there, (d_w,) each.

        Parameters
        ----------
        X, y : (n, d) and (n,) arrays
            Points of Phase I and what was observed there.
        draw : callable
            Draws parameters.
        rng : Generator
            Of the optimiser.
        """
        first = draw()
        if self.exact:
            starts = [first, *(draw() for _ in range(FIT_STARTS - 1))]
            return first, least_squares(self.network, starts, X, y, self.unit)
        return first, descend(self.network, first, X, y, rng if self.single else None)

    def inward(self, X: np.ndarray) -> np.ndarray:
        """Return points of the box (n, d) as the network sees them."""
        return X

    def scaled(self, y: float) -> float:
        """Return a value as the network sees it."""
        return y

    def inward_weights(self, thetas: np.ndarray) -> np.ndarray:
        """Return parameters (n, d_w) of a model of the data as those of the data seen."""
        return thetas

    def maximise(
        self, ellipsoid: LowRankEllipsoid, beta: float, starts: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """Return the best end point (d,), and whether a projection onto the ellipsoid changed it.

        Parameters
        ----------
        ellipsoid : LowRankEllipsoid
        beta : float
            Square of its radius.
        starts : (K, d) array
            Of several ends the one of the largest value counts.
        """
        x, w = starts.copy(), np.repeat(ellipsoid.centre[None], len(starts), axis=0)
        low, high = self.problem.low, self.problem.high
        g, active = np.empty_like(w), False
        layers, slopes = self.network.layers(w), self.network.layers(g)
        # Clipping to [0, 1] moves parameters as well, and further.
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
        r"""Return a bound on how far all steps together can move the parameters.

        As $0\le h\le1$ and $h(1-h)\le1/4$, the gradient in w is at most the root of
        $H+1+\|w_2\|^2(1+\|x\|^2)/16$, and each step adds at most its rate times $\sqrt H$ to
        $\|w_2\|$.
        """
        hidden, steps = self.network.hidden, ITERATIONS * ASCENT_RATE
        second = float(np.linalg.norm(self.network.layers(ellipsoid.centre[None]).w2))
        second += steps * math.sqrt(hidden)
        corner = np.maximum(np.abs(self.problem.low), np.abs(self.problem.high))
        return steps * math.sqrt(hidden + 1.0 + second**2 * (1.0 + corner @ corner) / 16.0)

    def project(self, ellipsoid: LowRankEllipsoid, beta: float, w: np.ndarray) -> bool:
        """Put rows of ``w`` (K, d_w) into the ellipsoid of ``beta``; return whether any was not."""
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
    """Return parameters (d_w,) after gradient descent on the mean squared error.

    Parameters
    ----------
    network : TwoLayerNetwork
    w : (d_w,) array
        Where to start.
    X, y : (n, d) and (n,) arrays
    rng : Generator or None
        Take one random point a step; None: all of them.
    """
    for _ in range(ITERATIONS):
        chosen = slice(None) if rng is None else [int(rng.integers(len(y)))]
        w = w - FIT_RATE * network.squared_error(w, X[chosen], y[chosen])[1]
    return w
