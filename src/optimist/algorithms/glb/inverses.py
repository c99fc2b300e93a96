r"""Methods that invert a growing matrix, and functions that look them up by name.

After $H \leftarrow H + b\,xx^\top$, ``rank_one`` updates the inverse by the Sherman-Morrison
formula in $O(d^2)$, and ``pinv`` recomputes it with numpy's pseudo-inverse, a singular value
decomposition, in $O(d^3)$. Algorithms that invert a matrix from scratch use either numpy's inverse
(``inv``) or numpy's pseudo-inverse (``pinv``). The results differ only by rounding, but the running
times differ.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from optimist.core.errors import one_of
from optimist.numerics.linear import add_outer_to_inverse


class RankOne:
    """Inversion by the Sherman-Morrison formula."""

    def renew(self, H_inv: np.ndarray, H: np.ndarray, v: np.ndarray, b: float, q: float) -> None:
        r"""Overwrite ``H_inv`` with the inverse of ``H``, to which $b\,xx^\top$ was just added.

        Parameters
        ----------
        H_inv : (d, d) array
            Inverse of the matrix before $b\,xx^\top$ was added.
        H : (d, d) array
            The matrix after $b\,xx^\top$ was added.
        v : (d,) array
            The old ``H_inv`` times x.
        b : float
            The weight of x.
        q : float
            $x^\top v$.
        """
        add_outer_to_inverse(H_inv, v, b, q)

    def solve(
        self, scale: float, H: np.ndarray, x: np.ndarray, v: np.ndarray, b: float, q: float
    ) -> np.ndarray:
        r"""Return $s(H + b\,xx^\top)^{-1}x$ as an array of shape (d,), where s is ``scale``.

        Parameters
        ----------
        scale : float
        H : (d, d) array
            The matrix before $b\,xx^\top$ is added.
        x, v : (d,) arrays
            The arm, and $v = H^{-1}x$.
        b : float
            The weight of x.
        q : float
            $x^\top v$.
        """
        return (scale / (1.0 + b * q)) * v


class PseudoInverse(RankOne):
    """Inversion by `numpy.linalg.pinv`, as in Zhang et al. (2025), Appendix F.1."""

    def renew(self, H_inv: np.ndarray, H: np.ndarray, v: np.ndarray, b: float, q: float) -> None:
        H_inv[...] = np.linalg.pinv(H)

    def solve(
        self, scale: float, H: np.ndarray, x: np.ndarray, v: np.ndarray, b: float, q: float
    ) -> np.ndarray:
        return scale * (np.linalg.pinv(H + b * np.multiply.outer(x, x)) @ x)


INVERSES = {"rank_one": RankOne(), "pinv": PseudoInverse()}
MATRIX_INVERSES: dict[str, Any] = {"inv": np.linalg.inv, "pinv": np.linalg.pinv}


def chosen_matrix_inverse(name: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return `MATRIX_INVERSES` at ``name``; raise ConfigError if there is no such entry."""
    return MATRIX_INVERSES[one_of("inverse", name, tuple(MATRIX_INVERSES))]


def chosen_inverse(name: str) -> RankOne:
    """Return `INVERSES` at ``name``; raise ConfigError if there is no such entry."""
    return INVERSES[one_of("inverse", name, tuple(INVERSES))]
