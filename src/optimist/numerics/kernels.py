r"""Kernels (covariance functions) and their names.

| name | $k(x,x')$ with $r = \|x-x'\|$ |
| --- | --- |
| gaussian | $\exp(-r^2/(2\ell^2))$ |
| matern12 | $e^{-r/\ell}$ |
| matern32 | $(1+\sqrt3r/\ell)\,e^{-\sqrt3r/\ell}$ |
| matern52 | $(1+\sqrt5r/\ell+5r^2/(3\ell^2))\,e^{-\sqrt5r/\ell}$ |
| linear | $x^\top x'$ |
| gram | entry (x, x') of a given positive semi-definite matrix |

Rasmussen and Williams (2006), "Gaussian Processes for Machine Learning", Section 4.2.
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy

from optimist.core.errors import ConfigError, one_of, positive
from optimist.numerics.compiled import cdist
from optimist.numerics.linear import dots


class Kernel(ABC):
    """A positive semi-definite function of two points."""

    name: str

    @abstractmethod
    def __call__(self, X: np.ndarray, Y: Any) -> np.ndarray:
        """Return the matrix (n, m) of k(x, y) for the rows of ``X`` (n, d) and ``Y`` (m, d)."""

    @abstractmethod
    def diagonal(self, X: np.ndarray) -> np.ndarray:
        """Return k(x, x) for each row x of ``X`` (n, d), as an array of shape (n,)."""


class _Stationary(Kernel):
    """A kernel that depends only on the distance, with k(x, x) = 1."""

    def __init__(self, lengthscale: Any) -> None:
        self.lengthscale = positive("lengthscale", lengthscale)

    metric: str  # scipy's name for the distance passed to `profile`

    def __call__(self, X: np.ndarray, Y: Any) -> np.ndarray:
        # cdist sums squared differences; expanding the squares would lose digits for close points.
        return self.profile(cdist(X, Y, self.metric))

    def gram(self, X):
        """Return the kernel matrix (n, n) of the rows of ``X``, evaluating each pair once."""
        distances = scipy.spatial.distance.pdist(X, self.metric)
        K = scipy.spatial.distance.squareform(self.profile(distances), checks=False)
        np.fill_diagonal(K, 1.0)
        return K

    def diagonal(self, X):
        return np.ones(len(X))

    @abstractmethod
    def profile(self, distances):
        """Return k at each entry of ``distances``, which may be overwritten."""


class GaussianKernel(_Stationary):
    r"""The Gaussian kernel $\exp(-r^2/(2\ell^2))$, where r is the distance.

    Parameters
    ----------
    lengthscale : float
        $\ell$.

    Raises
    ------
    ConfigError
        If the lengthscale is not positive.
    """

    name = "gaussian"
    metric = "sqeuclidean"

    def profile(self, squares: np.ndarray) -> np.ndarray:
        squares *= -0.5 / self.lengthscale**2
        return np.exp(squares, out=squares)

    def with_slope(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r"""Return k and S, both (n, m), where $\nabla_xk(x,y) = -S(x,y)\,(x-y)/\ell^2$."""
        K = self(X, Y)
        return K, K


class _Matern(_Stationary):
    """A Matern kernel $k = p(z)e^{-z}$ with $z = \\sqrt{2\\nu}\\,r/\\ell$ and a polynomial p."""

    metric = "euclidean"
    order: float  # nu

    def profile(self, z):
        z *= math.sqrt(2.0 * self.order) / self.lengthscale
        values = self.polynomial(z)
        np.negative(z, out=z)
        values *= np.exp(z, out=z)
        return values

    @staticmethod
    @abstractmethod
    def polynomial(z: np.ndarray) -> np.ndarray:
        """Return p at each entry of ``z``, in a new array."""


class Matern12(_Matern):
    r"""The kernel $e^{-z}$ with $z = r/\ell$.

    The parameters are as in `GaussianKernel`.
    """

    name = "matern12"
    order = 0.5

    @staticmethod
    def polynomial(z: np.ndarray) -> np.ndarray:
        return np.ones_like(z)


class Matern32(_Matern):
    r"""The kernel $(1+z)\,e^{-z}$ with $z = \sqrt3r/\ell$.

    The parameters are as in `GaussianKernel`.
    """

    name = "matern32"
    order = 1.5

    @staticmethod
    def polynomial(z: np.ndarray) -> np.ndarray:
        return 1.0 + z


class Matern52(_Matern):
    r"""The kernel $(1+z+z^2/3)\,e^{-z}$ with $z = \sqrt5r/\ell$.

    The parameters are as in `GaussianKernel`.
    """

    name = "matern52"
    order = 2.5

    @staticmethod
    def polynomial(z: np.ndarray) -> np.ndarray:
        values = z * z
        values /= 3.0
        values += 1.0 + z
        return values

    def with_slope(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r"""Return k and S as in `GaussianKernel.with_slope`; here S is $5(1+z)e^{-z}/3$."""
        z = cdist(X, Y, "euclidean")
        z *= math.sqrt(2.0 * self.order) / self.lengthscale
        decay = np.exp(-z)
        values, slope = self.polynomial(z), 5.0 / 3.0 * (1.0 + z)
        values *= decay
        slope *= decay
        return values, slope


class LinearKernel(Kernel):
    r"""The linear kernel $x^\top y$."""

    name = "linear"

    def __call__(self, X: np.ndarray, Y: Any) -> np.ndarray:
        return X @ Y.T

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        return dots(X, X)


class GramKernel(Kernel):
    """A kernel whose values are the entries of a given matrix.

    A point is a row number of the matrix, stored as a float.

    Parameters
    ----------
    gram : (n, n) array, symmetric positive semi-definite

    Raises
    ------
    ConfigError
        If the matrix is not square, finite and symmetric.
    """

    name = "gram"

    def __init__(self, gram: np.ndarray) -> None:
        gram = np.asarray(gram, dtype=float)
        if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
            raise ConfigError(f"gram has shape {gram.shape}; allowed: (n, n)")
        if not np.isfinite(gram).all() or not np.array_equal(gram, gram.T):
            raise ConfigError(
                "gram is not symmetric and finite; allowed: a finite symmetric matrix"
            )
        self.gram = gram

    def __call__(self, X: np.ndarray, Y: Any) -> np.ndarray:
        return self.gram[np.ix_(self._rows(X), self._rows(Y))]

    def diagonal(self, X: np.ndarray) -> np.ndarray:
        rows = self._rows(X)
        return self.gram[rows, rows]

    def _rows(self, X):
        rows = X[:, 0].astype(int)
        if not np.array_equal(rows, X[:, 0]) or not 0 <= rows.min() <= rows.max() < len(self.gram):
            raise ValueError(f"points must be row numbers from 0 to {len(self.gram) - 1}")
        return rows


STATIONARY = {k.name: k for k in (GaussianKernel, Matern12, Matern32, Matern52)}
KERNELS = (*STATIONARY, "linear")


def make_kernel(name: str, lengthscale: float | None = None) -> Kernel:
    """Return the kernel called ``name``.

    Parameters
    ----------
    name : {"gaussian", "matern12", "matern32", "matern52", "linear"}
    lengthscale : float or None
        None for the linear kernel, positive for the others.

    Raises
    ------
    ConfigError
        If the name is unknown or the lengthscale is not allowed for the kernel.
    """
    one_of("kernel", name, KERNELS)
    if name == "linear":
        if lengthscale is not None:
            raise ConfigError(f"lengthscale is {lengthscale!r}; allowed for kernel 'linear': none")
        return LinearKernel()
    return STATIONARY[name](lengthscale)
