r"""Nystrom approximations of a Gaussian-process posterior, with inducing points.

For inducing points S, $K_S = k(S,S)$ and any W with $WW^\top = K_S^+$, the embedding of a point is
$z(x) = W^\top k_S(x)$. Let a range over the distinct observed points; $n_a$ is the number of
observations of a, and $b_a$ the sum of their rewards. For $G = \sum_a n_az_az_a^\top$ and
$V = G+\lambda I$,
$$\tilde\mu(x) = z(x)^\top V^{-1}\sum_ab_az_a,\qquad
  \tilde\sigma^2(x) = \tfrac1\lambda\big(k(x,x)-\|z(x)\|^2\big) + z(x)^\top V^{-1}z(x).$$
The second term of $\tilde\sigma^2$ is the leverage of SoR, the subset of regressors. The sum of
both terms is the leverage of DTC, the deterministic training conditional.

$W^\top$ is the inverse Cholesky factor for a subset of S, the basis. Up to rounding, the basis
spans the other points of S; if many points are close together, a few of them suffice. The leverage
of DTC equals
$$\tilde\sigma^2(x) = \tfrac1\lambda\big(k(x,x)-\|T k_S(x)\|^2\big),\qquad
  T^\top T = W(I-\lambda V^{-1})W^\top,$$
where T is triangular. For a basis of r points and n points x, most of the work is the product
of T and their kernel matrix, which takes $nr^2$ operations. At worst, for a numerically singular
$K_S$, the absolute error of the difference is about $10^{-9}\max_xk(x,x)/\lambda$.

Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching: Scalable and No
Regret", equations 3 to 5; Quinonero-Candela et al. (2007).
"""

from functools import cached_property
from typing import Any

import numpy as np

from optimist.numerics import compiled

# If the variance of f may be below this fraction of k(x, x), it is computed as a sum of two terms,
# because a single difference would lose too many digits.
CANCELLATION = 1e-8


class NystromPosterior:
    r"""The posterior for given inducing points and data.

    The methods take n points as the kernel matrix (r, n) between the ``basis`` and the points.

    Parameters
    ----------
    K_S : (m, m) array
        Kernel matrix of the inducing points.
    observed : (m, u) array
        Kernel between the inducing points and the u distinct observed points.
    counts, sums : (u,) arrays
        $n_a$ and $b_a$.
    ridge : float
        $\lambda$.

    Attributes
    ----------
    basis : (r,) array of int
        Indices of r inducing points that span the others, where r is the numerical rank of $K_S$
        and the dimension of the embedding.
    log_det : float
        $\log\det(G/\lambda + I)$.
    """

    def __init__(
        self,
        K_S: np.ndarray,
        observed: np.ndarray,
        counts: np.ndarray,
        sums: np.ndarray,
        ridge: float,
    ) -> None:
        self.ridge = ridge
        self.basis, self._root = pivoted_root(K_S)
        Z = triangular_product(self._root, observed[self.basis])  # (r, u)
        scaled = Z * np.sqrt(counts)
        V = compiled.blas.dsyrk(1.0, scaled.T, trans=1, lower=1)  # lower triangle of G
        information = float(np.trace(V))
        _add_to_diagonal(V, ridge)
        self._factor = _cholesky(V)
        self.log_det = 2.0 * float(np.log(self._factor.diagonal() / np.sqrt(ridge)).sum())
        theta, _ = compiled.lapack.dpotrs(self._factor, Z @ sums, lower=1)
        self._weights = theta @ self._root
        # In the span of the basis, the variance of f is at least lambda |z|^2 / (Tr G + lambda).
        self._is_wide = ridge > CANCELLATION * (information + ridge)

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        return self.basis.nbytes + self._root.nbytes + self._factor.nbytes + self._weights.nbytes

    @cached_property
    def _shrunk(self):
        """The matrix T, or None if it would be too close to singular."""
        if not self._is_wide:
            return None
        inverse, _ = compiled.lapack.dpotri(self._factor, lower=1)
        H = -self.ridge * inverse  # the lower triangle of I - lambda V^-1
        _add_to_diagonal(H, 1.0)
        # If H = U U^T with U upper triangular, then T = U^T W^T is lower triangular. Reversing rows
        # and columns turns this into a Cholesky factorisation, and the lower triangle of H into an
        # upper one.
        flipped, failed = compiled.lapack.dpotrf(H[::-1, ::-1], lower=0)
        if failed:
            return None
        return compiled.blas.dtrmm(1.0, flipped[::-1, ::-1], self._root, lower=1)

    def _whitener(self):
        return compiled.lapack.dtrtri(self._factor, lower=1)[0]

    def mean(self, B: np.ndarray) -> np.ndarray:
        r"""Return $\tilde\mu$ at the points of ``B`` (r, n), as an array of shape (n,)."""
        return self._weights @ B

    def leverages(self, B: np.ndarray, diagonal: Any) -> np.ndarray:
        r"""Return $\tilde\sigma^2$ (DTC) at the points of ``B`` (r, n), as an array of shape (n,).

        ``diagonal`` (n,) contains the prior variances of the points. ``B`` is overwritten.
        """
        if self._shrunk is None:
            Z = triangular_product(self._root, B)
            outside = np.maximum(diagonal - _squares(Z), 0.0) / self.ridge
            return outside + _squares(triangular_product(self._whitener(), Z))
        var_f = diagonal - _squares(triangular_product(self._shrunk, B))
        return np.maximum(var_f, 0.0, out=var_f) / self.ridge

    def regressors_leverages(self, B: np.ndarray) -> np.ndarray:
        r"""Return $z^\top V^{-1}z$ (SoR) at the points of ``B`` (r, n), as an array of shape (n,).

        ``B`` is overwritten.
        """
        inside = compiled.blas.dtrmm(1.0, self._whitener(), self._root, lower=1)
        return _squares(triangular_product(inside, B))


def pivoted_root(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Return a basis of the rows of ``K`` (m, m), and the inverse Cholesky factor for this basis.

    K must be positive semi-definite.

    Returns
    -------
    basis : (r,) array of int
        At least one index. Directions whose relative size is below rounding error are omitted.
    root : (r, r) array
        The lower-triangular $W^\top$ with $K_{:b}WW^\top K_{b:} = K$ for the basis b,
        up to rounding.

    Raises
    ------
    LinAlgError
        If K is not finite.
    """
    if not np.isfinite(K.sum()):
        raise np.linalg.LinAlgError("the kernel matrix of the inducing points is not finite")
    factor, pivots, rank, _ = compiled.lapack.dpstrf(K, lower=1)
    if rank == 0:  # no variance
        return np.array([0]), np.zeros((1, 1))
    return pivots[:rank] - 1, compiled.lapack.dtrtri(np.tril(factor[:rank, :rank]), lower=1)[0]


def triangular_product(L: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Overwrite ``B`` (r, n) with L B and return it, using only the lower triangle of ``L``."""
    return compiled.blas.dtrmm(1.0, L, B.T, side=1, lower=1, trans_a=1, overwrite_b=1).T


def _cholesky(A):
    """Return the lower Cholesky factor of ``A`` (r, r); raise LinAlgError if there is none."""
    L, failed = compiled.lapack.dpotrf(A, lower=1)
    if failed:
        raise np.linalg.LinAlgError("a matrix of the Nystrom posterior is not positive definite")
    return L


def _add_to_diagonal(A, number):
    A.flat[:: len(A) + 1] += number


def _squares(Z):
    """Return the squared norms (n,) of the columns of ``Z`` (r, n)."""
    return np.einsum("rn,rn->n", Z, Z)
