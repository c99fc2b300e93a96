r"""Distances to the surface of a Euclidean ball, and exact minimisers of quadratics over the ball.

The minimiser of $\tfrac12\theta^\top H\theta - b^\top\theta$ over $\|\theta\| \le S$ satisfies
$(H + \rho I)\theta = b$ with $\rho \ge 0$ and $\rho(\|\theta\| - S) = 0$. The norm $n(\rho)$ of the
solution is computed in the eigenbasis of H and decreases in $\rho$. The function
$1/n(\rho) - 1/S$ is increasing and concave, so Newton's iterates rise monotonically from
$\rho = 0$ to the root (Conn, Gould and Toint, "Trust-Region Methods", 2000, Section 7.3).
"""

import math
from typing import Any

import numpy as np

from optimist.numerics.linear import dots

MAX_ITERATIONS = 50
RELATIVE_TOLERANCE = 1e-12


def minimise_quadratic(H: np.ndarray, b: np.ndarray, radius: float) -> Any:
    r"""Return the minimiser of $\tfrac12\theta^\top H\theta - b^\top\theta$ over the ball.

    Parameters
    ----------
    H : (d, d) array, symmetric positive definite
    b : (d,) array
    radius : float
        S, the radius of the ball.

    Returns
    -------
    theta : (d,) array with norm at most ``radius``
    rho : float, the multiplier of the constraint (0 when it is inactive)
    """
    theta = np.linalg.solve(H, b)
    if math.sqrt(theta @ theta) <= radius:
        return theta, 0.0
    w, V = np.linalg.eigh(H)
    return _on_sphere(w, V, b @ V, radius)


def project(H: np.ndarray, zeta: np.ndarray, radius: float, shortcut: bool = True) -> Any:
    r"""Return the point (d,) of the ball nearest to ``zeta`` in the norm $\|\cdot\|_H$.

    Parameters
    ----------
    H : (d, d) array, symmetric positive definite
    zeta : (d,) array
    radius : float
        S, the radius of the ball.
    shortcut : bool
        Whether to return ``zeta`` itself, without decomposing H, if it lies in the ball.
    """
    if shortcut and math.sqrt(zeta @ zeta) <= radius:
        return zeta
    w, V = np.linalg.eigh(H)
    # H zeta is computed in the eigenbasis. Multiplying by H first would lose digits if H is
    # ill-conditioned.
    return _on_sphere(w, V, w * (zeta @ V), radius)[0]


def distance_to_sphere(inside: np.ndarray, moves: np.ndarray, radius: float) -> np.ndarray:
    r"""Return the largest a with $\|c + ap\| \le S$ for each row p of ``moves`` (m, d).

    ``inside`` (d,) is c, a point of the ball. If rounding puts it outside, it is treated as a point
    on the sphere. The result has shape (m,).
    """
    squares = np.maximum(dots(moves, moves), 1e-300)
    inner = moves @ inside
    gap = max(radius**2 - inside @ inside, 0.0)
    return (np.sqrt(inner**2 + squares * gap) - inner) / squares


def _on_sphere(w, V, c, radius):
    """Solve the secular equation and return the minimiser (d,) and rho.

    H has eigenvalues ``w`` (d,) and eigenvectors ``V`` (d, d); ``c`` (d,) is b in the eigenbasis.
    """
    c2 = c * c
    rho = 0.0
    for _ in range(MAX_ITERATIONS):
        shifted = w + rho
        terms = c2 / (shifted * shifted)
        n2 = float(terms.sum())
        n = math.sqrt(n2)
        if n - radius <= RELATIVE_TOLERANCE * radius:
            break
        rho += (n / radius - 1.0) * n2 / float((terms / shifted).sum())
    theta = V @ (c / (w + rho))
    length = math.sqrt(theta @ theta)
    return theta * (1.0 if length <= radius else radius / length), rho
