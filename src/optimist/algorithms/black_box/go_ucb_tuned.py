r"""GO-UCB with a better fit: our own extension.

Points are scaled to [-1, 1]^d, and values to mean 0 and variance 1. Phase I fits the
network by L-BFGS with weight decay; $\lambda=1$, and $\beta_t$ is constant. In Step 5, the
maximiser of the linearised network replaces the inner maximiser,
$$w = \hat w_t+\sqrt{\beta}\,\Sigma_t^{-1}g/\|g\|_{\Sigma_t^{-1}},\qquad g=\nabla_wf_x(w) .$$

All of this deviates from Liu and Wang (2023), "Global Optimization with Parametric Function
Approximation".
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from optimist.algorithms.black_box.base import standardise
from optimist.environments.problems.box import BoxProblem
from optimist.numerics.adam import Adam
from optimist.numerics.ellipsoid import LowRankEllipsoid
from optimist.numerics.network import TwoLayerNetwork

FIT_ITERATIONS = 500
FIT_STARTS = 3
DECAY = 1e-3
ADAM_ITERATIONS = 300
ADAM_RATE = 0.05


class TunedVariant:
    r"""Our extended variant of GO-UCB, which scales points and values.

    Parameters
    ----------
    network : TwoLayerNetwork
    problem : BoxProblem
    beta : float
        $\beta_t$ in all rounds.

    Attributes
    ----------
    ridge : float
        $\lambda$.
    offset, unit : float
        Constants that scale a value y to (y - offset) / unit.
    """

    ridge = 1.0

    def __init__(self, network: TwoLayerNetwork, problem: BoxProblem, beta: float) -> None:
        self.network, self.problem = network, problem
        self.constant_beta = beta
        self.offset, self.unit = 0.0, 1.0

    def beta(self, t: int) -> float:
        r"""Return $\beta_t$, which is the same in every round of Phase II."""
        return self.constant_beta

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        draw: Callable[[], np.ndarray],
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fit the network from several initial draws; return the first draw and the best fit.

        Both are arrays of shape (d_w,).

        Parameters
        ----------
        X, y : (n, d) and (n,) arrays
            Points of Phase I and the values observed there, which determine how values are scaled.
        draw : callable
            Function that draws initial parameters.
        rng : Generator
            Unused.
        """
        self.offset, self.unit = standardise(y)
        starts = [draw() for _ in range(FIT_STARTS)]
        return starts[0], fit(self.network, starts, self.inward(X), (y - self.offset) / self.unit)

    def inward(self, X: np.ndarray) -> np.ndarray:
        """Map points (n, d) in the box to [-1, 1]^d."""
        return 2.0 * self.problem.inward(X) - 1.0

    def scaled(self, y: float) -> float:
        """Convert an observed value to the scale of the network's output."""
        return (y - self.offset) / self.unit

    def inward_weights(self, thetas: np.ndarray) -> np.ndarray:
        """Convert parameters (n, d_w) for unscaled data to the network's scale."""
        problem, inward = self.problem, thetas.astype(float)
        plain, scaled = self.network.layers(thetas), self.network.layers(inward)
        middle, half = (problem.high + problem.low) / 2.0, (problem.high - problem.low) / 2.0
        scaled.b1[:] = plain.b1 + plain.W1 @ middle
        scaled.W1[:] = plain.W1 * half
        scaled.w2[:] = plain.w2 / self.unit
        scaled.b2[:] = (plain.b2 - self.offset) / self.unit
        return inward

    def maximise(
        self, ellipsoid: LowRankEllipsoid, beta: float, starts: np.ndarray
    ) -> tuple[np.ndarray, bool]:
        """Maximise the linearised upper bound with Adam.

        Return the best end point, of shape (d,), and False, because nothing is projected.

        Parameters
        ----------
        ellipsoid : LowRankEllipsoid
        beta : float
            Square of the ellipsoid's radius.
        starts : (K, d) array
            Starting points in the box; the end point with the largest value is returned.
        """
        x = maximise_linear_bound(self.network, ellipsoid, beta, self.inward(starts))
        return self.problem.outward((x + 1.0) / 2.0), False


def fit(
    network: TwoLayerNetwork, starts: Sequence[np.ndarray], X: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Return the parameters (d_w,) that minimise the mean squared error with weight decay.

    Parameters
    ----------
    network : TwoLayerNetwork
    starts : sequence of (d_w,) arrays
        Starting points of L-BFGS; the best result is returned.
    X, y : (n, d) and (n,) arrays
        Points and values on the network's scale.
    """
    from scipy.optimize import minimize

    def objective(w):
        error, gradient = network.squared_error(w, X, y)
        decay = DECAY / network.size
        return error + decay * (w @ w), gradient + 2.0 * decay * w

    results = [
        minimize(objective, w, jac=True, method="L-BFGS-B", options={"maxiter": FIT_ITERATIONS})
        for w in starts
    ]
    return min(results, key=lambda result: result.fun).x


def maximise_linear_bound(
    network: TwoLayerNetwork, ellipsoid: LowRankEllipsoid, beta: float, starts: np.ndarray
) -> np.ndarray:
    """Maximise the linearised upper bound over [-1, 1]^d with Adam; return the best end point (d,).

    Parameters
    ----------
    network : TwoLayerNetwork
    ellipsoid : LowRankEllipsoid
    beta : float
        Square of the ellipsoid's radius.
    starts : (K, d) array
        Starting points; the end point with the largest value is returned.
    """
    x, w = starts.copy(), np.repeat(ellipsoid.centre[None], len(starts), axis=0)
    adam = Adam(x.shape, ADAM_RATE)
    for _ in range(ADAM_ITERATIONS):
        g = network.gradients(w, x)[0]
        direction = ellipsoid.solve(g)
        norm = np.sqrt(np.einsum("kd,kd->k", g, direction))
        w = ellipsoid.centre + direction * (math.sqrt(beta) / norm)[:, None]
        x = np.clip(x + adam.step(network.gradients(w, x)[1]), -1.0, 1.0)
    return x[int(np.argmax(network.values(w, x)))]
