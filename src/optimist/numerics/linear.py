r"""Rows of vectors; norms and rank-one updates of symmetric positive-definite matrices."""

import numpy as np


def dots(a, b):
    """Return the inner product of each row of ``a`` (m, d) with that of ``b`` (m, d), as (m,)."""
    return np.vecdot(a, b)


def norms(a):
    """Return the Euclidean norm of each row of ``a`` (m, d), as (m,)."""
    return np.sqrt(np.vecdot(a, a))


def add_to_diagonal(matrices, values):
    """Add ``values`` (a scalar or (m,)) to the diagonals of ``matrices`` (m, d, d), in place."""
    diagonals = np.einsum("mii->mi", matrices)
    diagonals += np.asarray(values)[..., None]


def made_definite(H, least, share):
    """Return ``H`` (d, d) with ``least``, or that share of its trace if more, on its diagonal.

    A positive semi-definite matrix becomes definite, beside the rounding errors of its entries too.
    """
    return H + max(least, share * np.trace(H)) * np.eye(len(H))


def inverse_norms(arms, H_inv):
    r"""Return $\|x\|_{H^{-1}}$ for every row x of ``arms`` (K, d), given the inverse (d, d)."""
    squares = np.einsum("kd,kd->k", arms @ H_inv, arms)
    return np.sqrt(np.maximum(squares, 0.0))


def add_outer_to_inverse(H_inv, v, b, q):
    r"""Update ``H_inv`` in place to $(H + b\,xx^\top)^{-1}$ by the Sherman-Morrison formula.

    ``v`` is $H^{-1}x$ (d,) and ``q`` is $x^\top H^{-1}x$.
    """
    H_inv -= (b / (1.0 + b * q)) * np.multiply.outer(v, v)


def quadratic_norms(thetas, centre, H):
    r"""Return $\|\theta - c\|_H$ for every row of ``thetas`` (n, d)."""
    difference = np.atleast_2d(thetas) - centre
    return np.sqrt(np.maximum(np.einsum("nd,nd->n", difference @ H, difference), 0.0))


def log_determinant(H):
    """Return log det of the symmetric positive-definite matrix ``H`` (d, d)."""
    return float(np.linalg.slogdet(H)[1])
