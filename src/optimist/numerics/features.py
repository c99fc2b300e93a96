r"""Finite-dimensional features that approximate kernels, and Bayesian linear regression on them.

Random Fourier features (Rahimi and Recht 2007, "Random Features for Large-Scale Kernel Machines")
are
$$\phi(x) = \sqrt{2/D}\,[\cos\omega_j^\top x,\ \sin\omega_j^\top x]_{j\le D/2},$$
where the frequencies $\omega_j$ are drawn from the kernel's spectral density. Quadrature Fourier
features (Mutny and Krause 2018, "Efficient High Dimensional Bayesian Optimization with Additivity
and Quadrature Fourier Features") use the nodes and weights of Gauss-Hermite quadrature instead.
"""

import math
from itertools import product
from typing import Any

import numpy as np

from optimist.numerics.linear import add_outer_to_inverse, dots

# The frequencies of a Matern kernel of order nu follow Student's t distribution with 2 nu degrees
# of freedom.
DEGREES = {"matern12": 1.0, "matern32": 3.0, "matern52": 5.0}


class FourierFeatures:
    r"""The features $\phi(x) = [\sqrt{w_j}\cos\omega_j^\top x,\ \sqrt{w_j}\sin\omega_j^\top x]_j$.

    Parameters
    ----------
    frequencies : (n, d) array
    weights : (n,) array
    """

    def __init__(self, frequencies: np.ndarray, weights: np.ndarray) -> None:
        self.frequencies = frequencies
        self.roots = np.sqrt(weights)

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        return self.frequencies.nbytes + self.roots.nbytes

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Return the features (m, 2 n) of the rows of ``X`` (m, d)."""
        phases = X @ self.frequencies.T
        return np.hstack([np.cos(phases) * self.roots, np.sin(phases) * self.roots])


def random_features(
    kernel: Any, dimension: int, number: int, rng: np.random.Generator
) -> "FourierFeatures":
    """Return `FourierFeatures` with random frequencies for a stationary kernel.

    Parameters
    ----------
    kernel : Kernel
    dimension : int
        d, the number of coordinates of a point.
    number : int
        D, the number of features, which must be even.
    rng : Generator
        Random generator for the frequencies.
    """
    half = number // 2
    frequencies = rng.standard_normal((half, dimension)) / kernel.lengthscale
    if kernel.name in DEGREES:
        df = DEGREES[kernel.name]
        frequencies *= np.sqrt(df / rng.chisquare(df, half))[:, None]
    return FourierFeatures(frequencies, np.full(half, 1.0 / half))


def quadrature_features(kernel: Any, dimension: int, nodes: int) -> "FourierFeatures":
    """Return `FourierFeatures` that approximate the Gaussian kernel by Gauss-Hermite quadrature.

    Two nodes that differ only in sign have the same features up to sign, so only one of them is
    kept, with twice the weight.

    Parameters
    ----------
    kernel : GaussianKernel
    dimension : int
        d, the number of coordinates of a point.
    nodes : int
        Number of nodes per coordinate.
    """
    h, w = np.polynomial.hermite.hermgauss(nodes)
    frequencies = np.array(list(product(math.sqrt(2.0) * h / kernel.lengthscale, repeat=dimension)))
    weights = np.array([math.prod(p) for p in product(w / math.sqrt(math.pi), repeat=dimension)])
    # Nodes i and n - 1 - i differ only in sign.
    n = len(weights)
    weights = np.where(np.arange(n) < n // 2, 2.0 * weights, weights)
    kept = (n + 1) // 2
    return FourierFeatures(frequencies[:kept], weights[:kept])


class FeaturePosterior:
    r"""Bayesian linear regression with $V = \lambda I + \sum\phi\phi^\top$.

    Adding an observation costs O(D^2).

    Parameters
    ----------
    dimension : int
        D, the number of features.
    ridge : float
        $\lambda$.
    features : (A, D) array or None
        Features of A fixed points. Each observation updates their leverages in O(AD).
    """

    def __init__(self, dimension: int, ridge: float, features: Any | None = None) -> None:
        self.V_inv = np.eye(dimension) / ridge
        self.moment = np.zeros(dimension)  # sum of y phi
        self.theta = np.zeros(dimension)
        self.log_det = 0.0  # of V / lambda
        self._features = features
        self._leverages: Any = None if features is None else dots(features, features) / ridge

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        kept = 0 if self._features is None else self._features.nbytes + self._leverages.nbytes
        return self.V_inv.nbytes + self.moment.nbytes + self.theta.nbytes + kept

    def observe(self, phi: np.ndarray, y: float) -> None:
        """Add the observation ``y`` at features ``phi`` (D,)."""
        v = self.V_inv @ phi
        leverage = float(phi @ v)
        self.log_det += math.log1p(leverage)
        add_outer_to_inverse(self.V_inv, v, 1.0, leverage)
        self.moment += y * phi
        self.theta = self.V_inv @ self.moment
        if self._features is not None:
            self._leverages -= (self._features @ v) ** 2 / (1.0 + leverage)

    def predict(self, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the means (n,) and leverages (n,) at the points with ``features`` (n, D).

        If ``features`` is the array given to the constructor, the stored leverages are returned.
        """
        if features is self._features:
            leverages = self._leverages
        else:
            leverages = dots(features @ self.V_inv, features)
        return features @ self.theta, np.maximum(leverages, 0.0)
