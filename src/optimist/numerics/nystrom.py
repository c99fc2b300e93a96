r"""Nystrom approximations of a Gaussian-process posterior by inducing points.

With inducing points S, $K_S = k(S,S)$ and any W with $WW^\top = K_S^+$, the embedding of a point is
$z(x) = W^\top k_S(x)$. From observations of distinct points a, $n_a$ times with sum of rewards
$b_a$, and $G = \sum_a n_az_az_a^\top$, $V = G+\lambda I$,
$$\tilde\mu(x) = z(x)^\top V^{-1}\sum_ab_az_a,\qquad
  \tilde\sigma^2(x) = \tfrac1\lambda\big(k(x,x)-\|z(x)\|^2\big) + z(x)^\top V^{-1}z(x)
    = \tfrac1\lambda\big(k(x,x)-z(x)^\top GV^{-1}z(x)\big).$$
The second term alone is the leverage of SoR, the subset of regressors; both that of DTC, the
deterministic training conditional.

Calandriello et al. (2019), "Gaussian Process Optimization with Adaptive Sketching: Scalable and No
Regret", equations 3 to 5; Quinonero-Candela et al. (2007).
"""

import numpy as np

# Where the leverage in units of k(x, x) is below this, one subtraction loses too many digits.
CANCELLATION = 1e-8


class NystromPosterior:
    r"""The posterior for given inducing points and data.

    Parameters
    ----------
    K_S : (m, m) array
        Kernel matrix of the inducing points.
    observed : (m, u) array
        Kernel between inducing points and the u distinct observed points.
    counts, sums : (u,) arrays
        $n_a$ and $b_a$.
    ridge : float
        $\lambda$.

    Attributes
    ----------
    rank : int
        r, the size of the embedding: the numerical rank of $K_S$.
    log_det : float
        $\log\det(G/\lambda + I)$.
    """

    def __init__(self, K_S, observed, counts, sums, ridge):
        self.ridge = ridge
        W = inverse_root(K_S)
        self.rank = W.shape[1]
        Z = observed.T @ W  # (u, r)
        g, Q = np.linalg.eigh((Z.T * counts) @ Z)
        g = np.maximum(g, 0.0)
        self.log_det = float(np.log1p(g / ridge).sum())
        self._whitened = W @ Q  # W Q: the embedding in the eigenbasis of G
        self._shrunk = g / (g + ridge)
        self._precision = 1.0 / (g + ridge)
        # k_S(x)^T weights is the mean.
        self._weights = self._whitened @ (self._precision * ((sums @ Z) @ Q))

    def mean(self, B):
        r"""Return $\tilde\mu$ at the points whose kernel with S is ``B`` (m, n), as (n,)."""
        return self._weights @ B

    def leverages(self, B, diagonal):
        r"""Return $\tilde\sigma^2$ (DTC) at points of prior variance ``diagonal`` (n,), as (n,)."""
        Y = (self._whitened * np.sqrt(self._shrunk)).T @ B
        var_f = diagonal - np.einsum("rn,rn->n", Y, Y)
        doubtful = np.flatnonzero(var_f < CANCELLATION * diagonal.max())
        if len(doubtful):
            var_f[doubtful] = self._by_two_terms(B[:, doubtful], diagonal[doubtful])
        return np.maximum(var_f, 0.0) / self.ridge

    def _by_two_terms(self, B, diagonal):
        Y = self._whitened.T @ B
        outside = np.maximum(diagonal - np.einsum("rn,rn->n", Y, Y), 0.0)
        return outside + self.ridge * np.einsum("r,rn,rn->n", self._precision, Y, Y)

    def regressors_leverages(self, B):
        r"""Return $z^\top V^{-1}z$ (SoR) at the points of ``B`` (m, n), as (n,)."""
        Y = (self._whitened * np.sqrt(self._precision)).T @ B
        return np.einsum("rn,rn->n", Y, Y)


def inverse_root(K):
    r"""Return W (m, r) with $WW^\top = K^+$ for a positive semi-definite ``K`` (m, m).

    Directions of a relative size below rounding are left out: duplicates among the points make K
    singular.
    """
    e, U = np.linalg.eigh(K)
    kept = e > max(e[-1], 0.0) * len(K) * np.finfo(float).eps
    return U[:, kept] / np.sqrt(e[kept])
