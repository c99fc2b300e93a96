r"""Exact Gaussian-process posteriors, updated one observation at a time.

Let $K_t$ be the kernel matrix of the t observed points, some of which may be repeated. Then
$$\mu_t(x) = k_t(x)^\top(K_t+\lambda I)^{-1}y,\qquad
  s_t^2(x) = k(x,x)-k_t(x)^\top(K_t+\lambda I)^{-1}k_t(x),\qquad
  \sigma_t^2(x) = s_t^2(x)/\lambda .$$
Here $s^2$ is the posterior variance of the function (``var_f``), and $\sigma^2$ is the leverage
(``leverages``).
The effective dimension is $d_{\rm eff} = \mathrm{Tr}\,K_t(K_t+\lambda I)^{-1} = \sum_{s\le t}
\sigma_t^2(x_s)$.

Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching: Scalable and No
Regret", equations 1, 2 and 6.
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy

from optimist.numerics import compiled
from optimist.numerics.growing import GrowingArray, GrowingSquare
from optimist.numerics.kernels import Kernel

# Minimum number of observations between recomputations of an inverse.
LEAST_AGE = 100


class PointPosterior(ABC):
    r"""The posterior at A fixed points, updated one observation at a time.

    Parameters
    ----------
    kernel : Kernel
    points : (A, d) array
    ridge : float
        $\lambda$.

    Attributes
    ----------
    mean, var_f : (A,) arrays
        Posterior means and variances of the function at the points.
    counts : (A,) array of int
        Number of observations of each point.
    log_det : float
        $\log\det(K_t/\lambda + I)$.
    t : int
        Total number of observations.
    """

    def __init__(self, kernel: Kernel, points: np.ndarray, ridge: float) -> None:
        self.kernel = kernel
        self.points = points
        self.ridge = ridge
        self.mean = np.zeros(len(points))
        self.var_f = kernel.diagonal(points).astype(float)
        self.counts = np.zeros(len(points), dtype=int)
        self.log_det = 0.0
        self.t = 0

    @property
    def leverages(self) -> np.ndarray:
        r"""$\sigma_t^2$ at all points, as an array of shape (A,)."""
        return self.var_f / self.ridge

    @property
    def effective_dimension(self) -> float:
        r"""The effective dimension $d_{\rm eff}$."""
        return float(self.counts @ self.var_f) / self.ridge

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        return self.held_bytes + self.mean.nbytes + self.var_f.nbytes + self.counts.nbytes

    @property
    @abstractmethod
    def held_bytes(self) -> int:
        """Number of bytes in the arrays used to compute covariances."""

    @abstractmethod
    def covariance(self, index: int) -> np.ndarray:
        """Return the posterior covariances (A,) between point ``index`` and all points."""

    @abstractmethod
    def record(self, index: int, c: np.ndarray, pivot: float) -> None:
        r"""Record an observation of point ``index``, for use in later covariances.

        Parameters
        ----------
        index : int
        c : (A,) array
            Posterior covariances between a, the point ``index``, and all points before the
            observation.
        pivot : float
            $c_a+\lambda$, the square of the diagonal element that the observation adds to the
            Cholesky factor.
        """

    def observe(self, index: int, y: float) -> None:
        """Add the observation ``y`` at point ``index``."""
        c = self.covariance(index)
        pivot = max(c[index], 0.0) + self.ridge
        self.log_det += math.log(pivot / self.ridge)
        self.mean += c * ((y - self.mean[index]) / pivot)
        self.var_f -= c * c / pivot
        np.maximum(self.var_f, 0.0, out=self.var_f)
        self.record(index, c, pivot)
        self.counts[index] += 1
        self.t += 1


class ExactPosterior(PointPosterior):
    r"""The posterior at A points, computed from a Cholesky factor or the full covariance matrix.

    Let L be the Cholesky factor of $K_t+\lambda I$, and $V = L^{-1}K(X_t,\mathcal A)$. One product
    with V gives the posterior covariances of a point with all points, in O(At).

    Without ``recall``, the full covariance matrix (A, A) replaces V at observation 2A + 1. From
    then on, each observation updates this matrix in O(A^2), which is cheaper.

    With ``recall``, V is kept. For a point observed before, only the rows added since its last
    observation are needed: if that observation added the row v to V and the diagonal element $\rho$
    to L, the point's covariances just after it were $(\lambda/\rho)v$.

    Parameters
    ----------
    kernel, points, ridge
        As in `PointPosterior`.
    recall : bool
        Whether to start from the covariances just after the point's last observation, if any,
        instead of from the prior. With g observations since then, this costs O(Ag).
    """

    def __init__(
        self, kernel: Kernel, points: np.ndarray, ridge: float, *, recall: bool = False
    ) -> None:
        super().__init__(kernel, points, ridge)
        self._rows: Any = GrowingArray(len(points))
        self._covariance: np.ndarray | None = None  # (A, A), once it has replaced V
        self._recall = recall
        # With recall, maps each observed point to the index of its last row in V and the diagonal
        # element of L in that row.
        self._last: dict[int, Any] = {}

    @property
    def held_bytes(self) -> int:
        held = self._rows if self._covariance is None else self._covariance
        return held.nbytes

    def covariance(self, index: int) -> np.ndarray:
        if self._covariance is not None:
            return self._covariance[index].copy()
        V = self._rows.values
        if index in self._last:
            row, root = self._last[index]
            return V[row] * (self.ridge / root) - V[row + 1 :, index] @ V[row + 1 :]
        prior = self.kernel(self.points[index : index + 1], self.points)[0]
        return prior - V[:, index] @ V

    def observe(self, index: int, y: float) -> None:
        if self._covariance is None and not self._recall and self.t == 2 * len(self.points):
            self._form_covariance()
        super().observe(index, y)

    def record(self, index: int, c: np.ndarray, pivot: float) -> None:
        if self._covariance is None:
            root = math.sqrt(pivot)
            self._rows.append(c / root)
            if self._recall:
                self._last[index] = (self.t, root)
        else:
            dger = compiled.blas.dger
            self._covariance = dger(-1.0 / pivot, c, c, a=self._covariance, overwrite_a=1)

    def _form_covariance(self):
        V = self._rows.values
        self._covariance = np.asfortranarray(self.kernel(self.points, self.points) - V.T @ V)
        self._rows = None


class DistinctPosterior(PointPosterior):
    r"""The posterior at A points, computed from the u distinct observed points.

    Adding an observation costs O(Au + u^2). The $n_a$ observations of a point a are equivalent to
    one observation of their mean with ridge $\lambda/n_a$. Let K be the kernel matrix of the u
    points and $M = (K+\mathrm{diag}(\lambda/n))^{-1}$. The posterior covariance of a with all
    points is $g^\top k_u(\cdot)$, where

    $$g = \frac\lambda{n_a}M_{\cdot a}\ \text{for an observed point},\qquad
      g = (-Mk_u(a),\,1)\ \text{for a new point.}$$
    An observation of a adds $gg^\top/(c_a+\lambda)$ to M. If a is new, M first gains a row and a
    column of zeros. These updates lose digits as $\lambda/n_a$ becomes small. Therefore, M, the
    means and the log-determinant are recomputed after max(u, `LEAST_AGE`) observations. On average,
    this adds O(A + u^2) to the cost of an observation.

    The parameters are as in `PointPosterior`.
    """

    def __init__(self, kernel: Kernel, points: np.ndarray, ridge: float) -> None:
        super().__init__(kernel, points, ridge)
        self._rows = GrowingArray(len(points))  # (u, A), kernel between observed and all points
        self._inverse = GrowingSquare()  # M
        self._places: dict[int, int] = {}  # maps each observed point to its row in M
        self._sums = np.zeros(len(points))  # sum of rewards of each point
        self._age = 0  # number of observations since M was recomputed
        # Set by `covariance`: g and, for a new point, the kernel between it and all points.
        self._weights, self._row = np.empty(0), np.empty(0)

    @property
    def distinct(self) -> int:
        """Number u of distinct observed points."""
        return len(self._places)

    @property
    def held_bytes(self) -> int:
        return self._rows.nbytes + self._inverse.nbytes + self._sums.nbytes

    def covariance(self, index: int) -> np.ndarray:
        place, K = self._places.get(index), self._rows.values
        if place is not None:
            self._weights = self._inverse.column(place) * (self.ridge / self.counts[index])
            return self._weights @ K
        self._weights = np.append(-self._inverse.values @ K[:, index], 1.0)
        self._row = self.kernel(self.points[index : index + 1], self.points)[0]
        return self._row + self._weights[:-1] @ K

    def record(self, index: int, c: np.ndarray, pivot: float) -> None:
        if index not in self._places:
            self._places[index] = self.distinct
            self._rows.append(self._row)
        self._inverse.add_square(self._weights, 1.0 / pivot)

    def observe(self, index: int, y: float) -> None:
        super().observe(index, y)
        self._sums[index] += y
        self._age += 1
        if self._age >= max(self.distinct, LEAST_AGE):
            self._compute()

    def _compute(self):
        """Recompute M, the means and the log-determinant from the counts and sums of rewards."""
        observed, K = list(self._places), self._rows.values
        counts = self.counts[observed]
        matrix = K[:, observed] + np.diag(self.ridge / counts)
        L = np.linalg.cholesky(matrix)
        inverse, _ = compiled.lapack.dpotri(L, lower=1)
        self._inverse.fill(np.tril(inverse) + np.tril(inverse, -1).T)
        weights, _ = compiled.lapack.dpotrs(L, self._sums[observed] / counts, lower=1)
        self.mean = weights @ K
        self.log_det = 2.0 * float(np.log(L.diagonal()).sum()) - float(
            np.log(self.ridge / counts).sum()
        )
        self._age = 0


class GrowingCholesky:
    r"""The posterior at any point, computed from the Cholesky factor L of $K_t+\lambda I$.

    Adding an observation costs O(t^2). L is packed row by row, which is the same as packing its
    transpose column by column.

    Parameters
    ----------
    kernel : Kernel
    ridge : float
    """

    def __init__(self, kernel: Kernel, ridge: float) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.log_det = 0.0
        self._packed = GrowingArray()
        self._points: GrowingArray | None = None
        self._targets = GrowingArray()  # L^-1 y

    @property
    def t(self) -> int:
        """Number of observations."""
        return len(self._targets)

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        points = 0 if self._points is None else self._points.nbytes
        return self._packed.nbytes + self._targets.nbytes + points

    def observe(self, x: np.ndarray, y: float) -> None:
        """Add the observation ``y`` at the point ``x``, of shape (d,)."""
        if self._points is None:
            self._points = GrowingArray(len(x))
        row = np.empty(0)
        if self.t:
            k = self.kernel(self._points.values, x[None])[:, 0]
            row = compiled.blas.dtpsv(self.t, self._packed.values, k, lower=0, trans=1)
        pivot = max(float(self.kernel.diagonal(x[None])[0]) - float(row @ row), 0.0) + self.ridge
        root = math.sqrt(pivot)
        self._packed.extend(row)
        self._packed.append(root)
        self._targets.append((y - float(row @ self._targets.values)) / root)
        self._points.append(x)
        self.log_det += math.log(pivot / self.ridge)

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return means and leverages, each of shape (n,), at the rows of ``X`` (n, d)."""
        prior = self.kernel.diagonal(X)
        if self._points is None:
            return np.zeros(len(X)), prior / self.ridge
        U, _ = compiled.lapack.dtpttr(self.t, self._packed.values)
        W = scipy.linalg.solve_triangular(U, self.kernel(self._points.values, X), trans=1)
        var_f = prior - np.einsum("tn,tn->n", W, W)
        return self._targets.values @ W, np.maximum(var_f, 0.0) / self.ridge


def dense_posterior(
    kernel: Kernel, observed: np.ndarray, y: np.ndarray, points: np.ndarray, ridge: float
) -> tuple[np.ndarray, np.ndarray, float]:
    r"""Compute the posterior at ``points`` from scratch, in time $O(t^3 + At^2)$.

    Parameters
    ----------
    kernel : Kernel
    observed : (t, d) array
        The observed points, some of which may be repeated.
    y : (t,) array
    points : (A, d) array
    ridge : float

    Returns
    -------
    mean, leverages : (A,) arrays
    log_det : float
        As in `PointPosterior`.
    """
    L = np.linalg.cholesky(kernel(observed, observed) + ridge * np.eye(len(observed)))
    W = scipy.linalg.solve_triangular(L, kernel(observed, points), lower=True)
    mean = scipy.linalg.solve_triangular(L, y, lower=True) @ W
    var_f = kernel.diagonal(points) - np.einsum("ta,ta->a", W, W)
    log_det = 2.0 * float(np.log(np.diag(L)).sum()) - len(observed) * math.log(ridge)
    return mean, np.maximum(var_f, 0.0) / ridge, log_det
