r"""Ellipsoids whose matrix is a multiple of the identity plus a matrix of low rank.

Each is $\{w : (w-\hat w)^\top\Sigma(w-\hat w)\le\beta\}$ with $\Sigma = \lambda I + GG^\top$.
If G has t columns, solving with $\Sigma$ costs O(dt + t^2), and adding a column costs
O(dt^2 + t^3). The formulas are
$$\Sigma^{-1}v = \lambda^{-1}\big(v - G(\lambda I_t+G^\top G)^{-1}G^\top v\big),\qquad
  \delta^\top\Sigma\delta = \lambda\|\delta\|^2+\|G^\top\delta\|^2 .$$
"""

import math
from typing import Any

import numpy as np
import scipy

from optimist.numerics.growing import GrowingArray


class LowRankEllipsoid:
    r"""An ellipsoid's centre and matrix, updated one vector at a time.

    Parameters
    ----------
    centre : (d,) array
    ridge : float
        $\lambda$.
    """

    def __init__(self, centre: np.ndarray, ridge: float) -> None:
        self.centre = centre.copy()
        self.ridge = ridge
        self.trace = 0.0  # of G G^T
        self._vectors = GrowingArray(len(centre))
        self._factor = None

    @property
    def vectors(self) -> np.ndarray:
        """The columns of G, as the rows of an array of shape (t, d)."""
        return self._vectors.values

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        return self.centre.nbytes + self._vectors.nbytes

    def solve(self, v: np.ndarray) -> np.ndarray:
        r"""Return $\Sigma^{-1}v$ for a vector ``v`` (d,) or for each row of ``v`` (K, d)."""
        if not len(self._vectors):
            return v / self.ridge
        V = self.vectors
        return (v - scipy.linalg.cho_solve(self._factor, V @ v.T).T @ V) / self.ridge

    def square(self, delta: float) -> np.ndarray:
        r"""Return $\delta^\top\Sigma\delta$ for each row of ``delta`` (K, d)."""
        along = delta @ self.vectors.T
        return self.ridge * np.einsum("kd,kd->k", delta, delta) + np.einsum(
            "kt,kt->k", along, along
        )

    def recentre(self, g: np.ndarray, error: float) -> Any:
        r"""Add $gg^\top$ to $\Sigma$, then move the centre by $\Sigma^{-1}g$ times ``error``.

        Parameters
        ----------
        g : (d,) array
        error : float
            Observation minus the prediction at the centre.

        Returns
        -------
        leverage : float
            $g^\top\Sigma^{-1}g$, where $\Sigma$ is the matrix before the update.
        """
        s = self.solve(g)
        leverage = float(g @ s)
        self.centre = self.centre + s * (error / (1.0 + leverage))
        self._vectors.append(g)
        self.trace += float(g @ g)
        gram = self.vectors @ self.vectors.T
        self._factor = scipy.linalg.cho_factor(gram + self.ridge * np.eye(len(gram)))
        return leverage

    def leverages(self) -> np.ndarray:
        r"""Return $g^\top\Sigma^{-1}g$ for each column g of G, as an array of shape (t,)."""
        V = self.vectors
        return np.einsum("td,td->t", V, self.solve(V)) if len(V) else np.empty(0)

    def inner_radius(self, beta: float) -> float:
        r"""Return the radius of a concentric ball inside the ellipsoid."""
        # The trace bounds the largest eigenvalue of G G^T.
        return math.sqrt(beta / (self.ridge + self.trace))

    def outside(self, w: np.ndarray, beta: float) -> np.ndarray:
        r"""Return whether each row of ``w`` (K, d) lies outside the ellipsoid."""
        return self.square(w - self.centre) > beta

    def scale(self, w: np.ndarray, beta: float) -> np.ndarray:
        r"""Return the rows of ``w`` (K, d), moved to the boundary along rays from the centre."""
        delta = w - self.centre
        return self.centre + delta * np.sqrt(beta / self.square(delta))[:, None]

    def project(self, w: np.ndarray, beta: float) -> np.ndarray:
        r"""Return the points of the ellipsoid nearest to the rows of ``w`` (K, d).

        All rows must lie outside the ellipsoid.

        For $\Sigma = \lambda I+U\,\mathrm{diag}(s)U^\top$ and $\delta = w-\hat w$, the nearest
        point is $\hat w+(I+\nu\Sigma)^{-1}\delta$ with the $\nu>0$ that puts it on the boundary.
        """
        U, s, _ = np.linalg.svd(self.vectors.T, full_matrices=False)
        eigenvalues = self.ridge + s**2
        return np.array([self._nearest(row - self.centre, U, eigenvalues, beta) for row in w])

    def _nearest(self, delta, U, eigenvalues, beta):
        from scipy.optimize import brentq

        along = U.T @ delta
        rest = delta - U @ along
        squares = np.append(along**2, rest @ rest)
        values = np.append(eigenvalues, self.ridge)

        def excess(log_nu):
            return squares @ (values / (1.0 + math.exp(log_nu) * values) ** 2) / beta - 1.0

        # The product in `excess` decreases in nu and is at most sum(squares / values) / nu^2.
        high = 0.5 * math.log(float(squares @ (1.0 / values)) / beta)
        low = -math.log(values.max()) - 40.0
        if excess(low) <= 0.0:  # the row is outside only because of rounding
            return self.centre + delta
        nu = math.exp(brentq(excess, low, high + 1e-9, xtol=1e-13))
        shrunk = along / (1.0 + nu * eigenvalues)
        return self.centre + U @ shrunk + rest / (1.0 + nu * self.ridge)
