r"""Exact Gaussian-process posteriors over finitely many points, one observation at a time.

With $K_t$ the kernel matrix of the t observed points, with repetition,
$$\mu_t(x) = k_t(x)^\top(K_t+\lambda I)^{-1}y,\qquad
  s_t^2(x) = k(x,x)-k_t(x)^\top(K_t+\lambda I)^{-1}k_t(x),\qquad
  \sigma_t^2(x) = s_t^2(x)/\lambda .$$
$s^2$ is the variance of the function, here ``var_f``; $\sigma^2$ the leverage, ``leverages``.
The effective dimension is $d_{\rm eff} = \mathrm{Tr}\,K_t(K_t+\lambda I)^{-1} = \sum_{s\le t}
\sigma_t^2(x_s)$.

Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching: Scalable and No
Regret", equations 1, 2 and 6.
"""

import math
from typing import Any

import numpy as np
import scipy

from optimist.numerics.growing import GrowingArray
from optimist.numerics.kernels import Kernel


class ExactPosterior:
    r"""The posterior at A points, O(At) per observation and O(A^2) once t is large.

    The rows of $V = L^{-1}K(X_t,\mathcal A)$, L the Cholesky factor of $K_t+\lambda I$, give the
    posterior covariance of one point with all others in one product. From the 2A-th observation on,
    the whole covariance (A, A) is cheaper.

    A point that was observed before needs only the rows since: with v its row of that time and
    $\rho$ its diagonal element of L, its covariance with all points was $(\lambda/\rho)v$ then.

    Parameters
    ----------
    kernel : Kernel
    points : (A, d) array
    ridge : float
        $\lambda$.
    recall : bool
        Go back to a point's last observation instead of to the prior, O(A g) for one g observations
        ago; rows are kept to the end.

    Attributes
    ----------
    mean, var_f : (A,) arrays
    counts : (A,) array of int
        Observations of each point.
    log_det : float
        $\log\det(K_t/\lambda + I)$.
    """

    def __init__(
        self, kernel: Kernel, points: np.ndarray, ridge: float, *, recall: bool = False
    ) -> None:
        self.kernel = kernel
        self.points = points
        self.ridge = ridge
        self.mean = np.zeros(len(points))
        self.var_f = kernel.diagonal(points).astype(float)
        self.counts = np.zeros(len(points), dtype=int)
        self.log_det = 0.0
        self.t = 0
        self._rows: Any = GrowingArray(len(points))
        self._covariance: np.ndarray | None = None  # in place of rows once that is cheaper, (A, A)
        self._recall = recall
        self._last: dict[int, Any] = {}  # point: its last row of V, and the diagonal element of L

    @property
    def leverages(self) -> np.ndarray:
        r"""$\sigma_t^2$, (A,)."""
        return self.var_f / self.ridge

    @property
    def effective_dimension(self) -> float:
        r"""$d_{\rm eff}$."""
        return float(self.counts @ self.var_f) / self.ridge

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        held = self._rows if self._covariance is None else self._covariance
        return held.nbytes + self.mean.nbytes + self.var_f.nbytes + self.counts.nbytes

    def covariance(self, index: int) -> np.ndarray:
        """Return the posterior covariance of point ``index`` with all points, (A,)."""
        if self._covariance is not None:
            return self._covariance[index].copy()
        V = self._rows.values
        if index in self._last:
            row, root = self._last[index]
            return V[row] * (self.ridge / root) - V[row + 1 :, index] @ V[row + 1 :]
        prior = self.kernel(self.points[index : index + 1], self.points)[0]
        return prior - V[:, index] @ V

    def observe(self, index: int, y: float) -> None:
        """Learn that point ``index`` paid ``y``."""
        if self._covariance is None and not self._recall and self.t == 2 * len(self.points):
            self._form_covariance()
        c = self.covariance(index)
        pivot = max(c[index], 0.0) + self.ridge
        self.log_det += math.log(pivot / self.ridge)
        self.mean += c * ((y - self.mean[index]) / pivot)
        self.var_f -= c * c / pivot
        np.maximum(self.var_f, 0.0, out=self.var_f)
        self.counts[index] += 1
        if self._covariance is None:
            root = math.sqrt(pivot)
            self._rows.append(c / root)
            if self._recall:
                self._last[index] = (self.t, root)
        else:
            dger = scipy.linalg.blas.dger
            self._covariance = dger(-1.0 / pivot, c, c, a=self._covariance, overwrite_a=1)
        self.t += 1

    def _form_covariance(self):
        V = self._rows.values
        self._covariance = np.asfortranarray(self.kernel(self.points, self.points) - V.T @ V)
        self._rows = None


class GrowingCholesky:
    r"""The Cholesky factor of $K_t+\lambda I$ and what follows from it, O(t^2) per observation.

    The factor L is packed: its rows, or the columns of its transpose, one after the other.

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
        """Bytes in use."""
        points = 0 if self._points is None else self._points.nbytes
        return self._packed.nbytes + self._targets.nbytes + points

    def observe(self, x: np.ndarray, y: float) -> None:
        """Learn that point ``x`` (d,) paid ``y``."""
        if self._points is None:
            self._points = GrowingArray(len(x))
        row = np.empty(0)
        if self.t:
            k = self.kernel(self._points.values, x[None])[:, 0]
            row = scipy.linalg.blas.dtpsv(self.t, self._packed.values, k, lower=0, trans=1)
        pivot = max(float(self.kernel.diagonal(x[None])[0]) - float(row @ row), 0.0) + self.ridge
        root = math.sqrt(pivot)
        self._packed.extend(row)
        self._packed.append(root)
        self._targets.append((y - float(row @ self._targets.values)) / root)
        self._points.append(x)
        self.log_det += math.log(pivot / self.ridge)

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and leverage at the rows of ``X`` (n, d), both (n,)."""
        prior = self.kernel.diagonal(X)
        if self._points is None:
            return np.zeros(len(X)), prior / self.ridge
        U, _ = scipy.linalg.lapack.dtpttr(self.t, self._packed.values)
        W = scipy.linalg.solve_triangular(U, self.kernel(self._points.values, X), trans=1)
        var_f = prior - np.einsum("tn,tn->n", W, W)
        return self._targets.values @ W, np.maximum(var_f, 0.0) / self.ridge


def dense_posterior(
    kernel: Kernel, observed: np.ndarray, y: np.ndarray, points: np.ndarray, ridge: float
) -> tuple[np.ndarray, np.ndarray, float]:
    r"""Return mean and leverages at ``points`` from scratch, $O(t^3 + At^2)$.

    Parameters
    ----------
    kernel : Kernel
    observed : (t, d) array, with repetition
    y : (t,) array
    points : (A, d) array
    ridge : float

    Returns
    -------
    mean, leverages : (A,) arrays
    log_det : float
    """
    L = np.linalg.cholesky(kernel(observed, observed) + ridge * np.eye(len(observed)))
    W = scipy.linalg.solve_triangular(L, kernel(observed, points), lower=True)
    mean = scipy.linalg.solve_triangular(L, y, lower=True) @ W
    var_f = kernel.diagonal(points) - np.einsum("ta,ta->a", W, W)
    log_det = 2.0 * float(np.log(np.diag(L)).sum()) - len(observed) * math.log(ridge)
    return mean, np.maximum(var_f, 0.0) / ridge, log_det
