r"""A network of two linear layers with a logistic function between them, and its gradients.

$$f_w(x) = w_2^\top s(W_1x+b_1)+b_2,\qquad s(z) = 1/(1+e^{-z}).$$
For H hidden units and $h = s(W_1x+b_1)$, $q = w_2\odot h\odot(1-h)$,
$$\partial_{w_2}=h,\quad \partial_{b_2}=1,\quad \partial_{b_1}=q,\quad \partial_{W_1}=q\,x^\top,
\quad \nabla_x=W_1^\top q .$$

Liu and Wang (2023), "Global Optimization with Parametric Function Approximation", Section 6.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

HIDDEN = 25


class Layers(NamedTuple):
    """The parameters of K networks: W_1 (K, H, d), b_1 and w_2 (both (K, H)), and b_2 (K,)."""

    W1: np.ndarray
    b1: np.ndarray
    w2: np.ndarray
    b2: np.ndarray


class TwoLayerNetwork:
    r"""A two-layer network, evaluated for K parameter vectors at once, each at its own point.

    A parameter vector ``[W_1 (row by row), b_1, w_2, b_2]`` has length $d_w = Hd+2H+1$.

    Parameters
    ----------
    dimension : int
        d, the length of x.
    hidden : int
        H, the number of hidden units.
    """

    def __init__(self, dimension: int, hidden: int = HIDDEN) -> None:
        self.dimension = dimension
        self.hidden = hidden
        self.size = hidden * dimension + 2 * hidden + 1
        ends = np.cumsum([hidden * dimension, hidden, hidden])
        self._first, self._bias, self._second = (
            slice(*ends) for ends in zip([0, *ends[:-1]], ends, strict=True)
        )

    def layers(self, w: np.ndarray) -> Any:
        """Return `Layers` that are views into the rows of ``w`` (K, d_w)."""
        W1 = w[:, self._first].reshape(len(w), self.hidden, self.dimension)
        return Layers(W1, w[:, self._bias], w[:, self._second], w[:, -1])

    def values(self, w: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return f (K,) for each pair of rows of ``w`` (K, d_w) and ``x`` (K, d)."""
        layers = self.layers(w)
        return np.einsum("kh,kh->k", layers.w2, _hidden(layers, x)) + layers.b2

    def gradients(self, w: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients with respect to each row of ``w`` (K, d_w) and of ``x`` (K, d)."""
        g = np.empty(w.shape)
        return g, self.gradients_into(self.layers(g), self.layers(w), x)

    @staticmethod
    def gradients_into(out: Any, layers: Any, x: np.ndarray) -> np.ndarray:
        """Write the gradients with respect to the parameters to ``out``.

        Return the gradients with respect to ``x``, as an array of shape (K, d).

        Parameters
        ----------
        out, layers : Layers
            Views, returned by `layers`, of the output array and of the parameters.
        x : (K, d) array
        """
        h = _hidden(layers, x)
        out.w2[:] = h
        out.b2[:] = 1.0
        q = np.subtract(1.0, h, out=out.b1)
        q *= h
        q *= layers.w2
        np.multiply(q[:, :, None], x[:, None, :], out=out.W1)
        return (q[:, None, :] @ layers.W1)[:, 0]

    def value(self, w: np.ndarray, x: np.ndarray) -> float:
        """Return f for parameters ``w`` (d_w,) at one point ``x`` (d,)."""
        layers = self.layers(w[None])
        h = np.array([[logistic(z) for z in _inputs(layers, x[None])[0]]])
        return float((np.einsum("kh,kh->k", layers.w2, h) + layers.b2)[0])

    def gradient(self, w: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return the gradient of f with respect to ``w`` (d_w,) at one point ``x`` (d,)."""
        return self.gradients(w[None], x[None])[0][0]

    def initial(self, rng: np.random.Generator) -> np.ndarray:
        r"""Draw parameters as PyTorch does by default.

        For a layer with n inputs, they are uniform between $-1/\sqrt n$ and $1/\sqrt n$.
        """
        bounds = np.full(self.size, 1.0 / math.sqrt(self.hidden))
        bounds[: self._bias.stop] = 1.0 / math.sqrt(self.dimension)
        return bounds * rng.uniform(-1.0, 1.0, self.size)

    def squared_error(
        self, w: np.ndarray, X: np.ndarray, y: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return the mean squared error of the network and its gradient (d_w,).

        Parameters
        ----------
        w : (d_w,) array
        X, y : (n, d) and (n,) arrays
            Points and the values to fit there.
        """
        rows = np.broadcast_to(w, (len(X), self.size))
        residuals = self.values(rows, X) - y
        gradient = residuals @ self.gradients(rows, X)[0]
        return float(residuals @ residuals) / len(y), gradient * (2.0 / len(y))


def least_squares(
    network: TwoLayerNetwork,
    starts: Sequence[np.ndarray],
    X: np.ndarray,
    y: np.ndarray,
    unit: bool,
) -> np.ndarray:
    """Return the parameters (d_w,) with the smallest mean squared error found by L-BFGS-B.

    Parameters
    ----------
    network : TwoLayerNetwork
    starts : sequence of (d_w,) arrays
        Starting points; the best of the solver's results is returned.
    X, y : (n, d) and (n,) arrays
    unit : bool
        Whether to constrain the parameters to [0, 1].
    """
    from scipy.optimize import minimize

    results = [
        minimize(
            network.squared_error,
            np.clip(w, 0.0, 1.0) if unit else w,
            args=(X, y),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * network.size if unit else None,
            options={"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9},
        )
        for w in starts
    ]
    return min(results, key=lambda result: result.fun).x


def logistic(z: float) -> float:
    """Return 1 / (1 + exp(-z)) for one number.

    Unlike `scipy.special.expit`, this function does not require a slow import.
    """
    try:
        return 1.0 / (1.0 + math.exp(-z))
    except OverflowError:
        return 0.0


def _inputs(layers, x):
    """Return W_1 x + b_1, as an array of shape (K, H)."""
    z = (layers.W1 @ x[:, :, None])[:, :, 0]
    z += layers.b1
    return z


def _hidden(layers, x):
    """Return h, the values of the hidden units, as an array of shape (K, H)."""
    z = _inputs(layers, x)
    return scipy.special.expit(z, out=z)
