r"""Bounds on the maximum of a linear function over a level set, from derivatives at any point.

For $\mathcal C = \{\theta\in\Theta: \psi(\theta)\le\beta^2\}$ and any $s > 0$, $\rho \ge 0$ (zero
if $\Theta$ is not a ball), the Lagrangian
$$F(\theta) = x^\top\theta + \frac{\beta^2-\psi(\theta)}s + \frac{\rho(S^2-\|\theta\|^2)}{2s}$$
is at least $x^\top\theta$ on the set. It is concave in $\theta$. Self-concordance with constant R
bounds its curvature: if H is the Hessian of $\psi$ at $\theta$, then for
$\|\theta'-\theta\|\le D$ and features of norm at most $\ell$,
$$\psi(\theta') \ge \psi(\theta) + \nabla\psi(\theta)^\top(\theta'-\theta)
  + \kappa\|\theta'-\theta\|^2_H,\qquad \kappa = \int_0^1(1-v)e^{-R\ell Dv}dv .$$
Let $r = \nabla\psi(\theta)+\rho\theta-sx$ and $M = \kappa H + \frac\rho2I$. The maximum is at most
$F(\theta) + r^\top M^{-1}r/(4s)$ if no member of the set is farther than D from $\theta$. At a
solution, r = 0 and the bound is exact; nearby, its error is quadratic in the distance to the
solution.
"""

from typing import Any

import numpy as np

from optimist.numerics.level_set import LevelSet
from optimist.numerics.linear import add_to_diagonal, dots, norms

# M may be singular, so epsilon is added to its diagonal. This adds epsilon D^2 / s to the bound.
# For M = 0, the best epsilon is |r| / (2 D). The code sets epsilon to the sum of three terms:
# REGULARISATION times |r| / (2 D); LEAST_SHARE times s / D, which adds LEAST_SHARE times D to the
# bound; and ROUNDING times the trace of kappa H, which outweighs rounding errors in M.
REGULARISATION = 1e-3
LEAST_SHARE = 1e-10
ROUNDING = 1e-14


def upper_bounds(
    level_set: LevelSet, arms: np.ndarray, unknowns: Any, derivatives: Any
) -> np.ndarray:
    r"""Bound $\max_{\theta\in\mathcal C}x^\top\theta$ from above for each row x of ``arms`` (m, d).

    Parameters
    ----------
    level_set : LevelSet
    arms : (m, d) array
    unknowns : (m, d + 2) array
        A row (theta, s, rho) for each arm, with any theta, any s > 0 and any rho >= 0.
    derivatives : tuple of (m,), (m, d) and (m, d, d) arrays
        Values, gradients and Hessians of the likelihood at the thetas.

    Returns
    -------
    bounds : (m,) array
    """
    values, gradients, hessians = derivatives
    d, likelihood = arms.shape[1], level_set.likelihood
    theta, s, rho = unknowns[:, :d], unknowns[:, d], unknowns[:, d + 1]
    residual = gradients + rho[:, None] * theta - s[:, None] * arms
    reach = level_set.distance_bounds(theta)
    kappa = curvature_left(likelihood.link.self_concordance * likelihood.history.longest * reach)
    epsilon = REGULARISATION * norms(residual) / (2.0 * reach) + LEAST_SHARE * s / reach
    epsilon += ROUNDING * kappa * np.trace(hessians, axis1=1, axis2=2)
    # The ridge penalty is quadratic, so the factor of its Hessian is 1/2 instead of kappa.
    diagonal = (0.5 - kappa) * likelihood.ridge + 0.5 * rho + epsilon
    M = kappa[:, None, None] * hessians
    add_to_diagonal(M, diagonal)
    gain = dots(residual, np.linalg.solve(M, residual[..., None])[..., 0])
    slack = level_set.level - (values - level_set.minimum) + epsilon * reach**2 + 0.25 * gain
    if level_set.radius is not None:
        slack += 0.5 * rho * (level_set.radius**2 - dots(theta, theta))
    return dots(arms, theta) + slack / s


def curvature_left(u: np.ndarray) -> np.ndarray:
    r"""Return $\int_0^1(1-v)e^{-uv}dv = (e^{-u}-1+u)/u^2$, elementwise; at u = 0 it is 1/2."""
    safe = np.maximum(u, 1e-3)
    return np.where(u < 1e-3, 0.5 - u / 6.0, (np.expm1(-safe) + safe) / safe**2)
