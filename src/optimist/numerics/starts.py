r"""Starting points on the boundary of a level set, near the maximisers.

They are found without earlier solutions.
"""

import math
from typing import Any

import numpy as np

from optimist.numerics.ball import distance_to_sphere
from optimist.numerics.level_set import LevelSet
from optimist.numerics.linear import dots, norms

CROSSING_STEPS = 2
LONGEST_STEP = math.log(10.0)


def points_on_border(level_set: LevelSet, arms: np.ndarray) -> tuple[Any, Any, Any]:
    r"""Return starting points near the maximisers of $x^\top\theta$ for the rows x of ``arms``.

    The maximiser over the local ellipsoid is $\hat\theta + aH^{-1}x$. A start is the point at which
    the ray from $\hat\theta$ through this maximiser leaves the set. If the ray meets the sphere
    first, the start is moved along the sphere towards $Sx/\|x\|$, which must lie outside the set,
    until $\psi = \beta^2$ holds as well.

    Parameters
    ----------
    level_set : LevelSet
    arms : (m, d) array
        No row may be zero.

    Returns
    -------
    thetas : (m, d) array
    on_sphere : (m,) array of bool
    scales : (m,) array
        The value of a at the maximiser over the ellipsoid, which is also the multiplier s there, or
        at the point where the ray meets the sphere, whichever is smaller.
    """
    s = level_set
    p = np.linalg.solve(s.regular_hessian, arms.T).T
    scales = math.sqrt(2.0) * s.beta / np.sqrt(dots(p, arms))
    if s.radius is None:
        thetas = _cross(s, lambda a: s.centre + a[:, None] * p, scales)
        return thetas, np.zeros(len(arms), dtype=bool), scales
    # An unconstrained centre may lie outside the ball; the ray then starts on the sphere.
    inside = s.centre * min(1.0, s.radius / math.sqrt(s.centre @ s.centre + 1e-300))
    limits = distance_to_sphere(inside, p, s.radius)
    scales = np.minimum(scales, limits)
    thetas = inside + limits[:, None] * p
    sphere = s.excess(thetas) < s.level
    if not sphere.all():
        q = p[~sphere]
        thetas[~sphere] = _cross(s, lambda a: inside + a[:, None] * q, scales[~sphere])
    if sphere.any():
        thetas[sphere] = _cross_on_sphere(s, arms[sphere], thetas[sphere])
    return thetas, sphere, scales


def _roots(level_set, thetas):
    return np.sqrt(np.maximum(level_set.excess(thetas), 1e-300))


def _cross(level_set, path, a):
    r"""Return points path(a) with $\sqrt\psi$ near beta, using secant steps on a log-log scale."""
    power: Any = 1.0
    root = _roots(level_set, path(a))
    for _ in range(CROSSING_STEPS):
        logs = np.clip(np.log(level_set.beta / root) / power, -LONGEST_STEP, LONGEST_STEP)
        factor = np.exp(logs)
        new_root = _roots(level_set, path(a * factor))
        flat = np.abs(logs) < 1e-3
        power = np.where(flat, 1.0, np.log(new_root / root) / np.where(flat, 1.0, logs))
        power = np.clip(power, 0.25, 2.0)
        a, root = a * factor, new_root
    return path(a)


def _cross_on_sphere(level_set, arms, thetas):
    r"""Return points between ``thetas`` (m, d) and $Sx/\|x\|$ with $\psi$ near $\beta^2$.

    The points lie on the sphere and are found by the method of false position.
    """
    beta, radius = level_set.beta, level_set.radius
    tips = arms * (radius / norms(arms))[:, None]
    low, high = np.zeros(len(thetas)), np.ones(len(thetas))
    f_low, f_high = _roots(level_set, thetas) - beta, _roots(level_set, tips) - beta
    for _ in range(CROSSING_STEPS):
        w = low - f_low * (high - low) / (f_high - f_low)
        points = thetas + w[:, None] * (tips - thetas)
        points *= (radius / norms(points))[:, None]
        f = _roots(level_set, points) - beta
        below = f < 0.0
        low, f_low = np.where(below, w, low), np.where(below, f, f_low)
        high, f_high = np.where(below, high, w), np.where(below, f_high, f)
    return points
