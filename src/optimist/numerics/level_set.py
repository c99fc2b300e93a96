r"""Level sets of a likelihood.

The confidence sets of OFUGLB (Lee et al. 2024) and OFULog-r (Abeille et al. 2021) are
$$\mathcal C = \{\theta\in\Theta : \psi(\theta) \le \beta^2\},\qquad
  \psi(\theta) = \mathcal L(\theta) - \mathcal L(\hat\theta),$$
where $\Theta$ is a ball or the whole space.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np

from optimist.numerics.ball import distance_to_sphere
from optimist.numerics.likelihood import Likelihood
from optimist.numerics.linear import dots, made_definite, norms

JITTER = 1e-6
ROUNDING = 1e-12
SPHERE_TOLERANCE = 1e-10


class LevelSet:
    r"""The set $\{\theta\in\Theta : \mathcal L(\theta)-\mathcal L(\hat\theta) \le \beta^2\}$.

    Parameters
    ----------
    likelihood : Likelihood
    centre : (d,) array
        The minimiser of the likelihood over the domain.
    level : float
        $\beta^2$, which must be positive.
    radius : float or None
        S if the domain is a ball; None if it is the whole space, which requires a ridge.
    memory : SolutionMemory or None
        Earlier solutions, which serve as starting points for Newton's method; new ones are added.
    derivatives : tuple or None
        Value, gradient and Hessian at the centre, if already computed.

    Attributes
    ----------
    fallbacks : int
        Number of maximisations that fell back on the one-dimensional dual.
    failures : int
        Number of maximisations in which the solver (SLSQP or the dual) missed its tolerance.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        centre: np.ndarray,
        level: float,
        radius: float | None,
        memory: Any | None = None,
        derivatives: Any | None = None,
    ) -> None:
        self.likelihood = likelihood
        self.centre = centre
        self.level = level
        self.beta = math.sqrt(level)
        self.radius = radius
        at_centre: Any = derivatives or likelihood.at(centre)
        self.minimum, _, self.hessian = at_centre
        self.memory = memory
        self.fallbacks = 0
        self.failures = 0

    @cached_property
    def regular_hessian(self) -> np.ndarray:
        """The Hessian at the centre, made positive definite."""
        return made_definite(self.hessian, JITTER, ROUNDING)

    @cached_property
    def reach(self) -> float:
        r"""Upper bound on the distance from the centre to any member of the set.

        If the domain is a ball, the bound is S plus the norm of the centre, which may lie outside
        the ball. Otherwise the bound follows from the ridge, because
        $\psi(\theta)\ge\frac\lambda2\|\theta-\hat\theta\|^2$.
        """
        if self.radius is None:
            return math.sqrt(2.0 * self.level / self.likelihood.ridge)
        return self.radius + math.sqrt(self.centre @ self.centre)

    def distance_bounds(self, thetas: np.ndarray) -> Any:
        """Return upper bounds (m,) on the distance from each row of ``thetas`` to any member."""
        if self.radius is None:
            return self.reach + norms(thetas - self.centre)
        return self.radius + norms(thetas)

    def excess(self, thetas: np.ndarray) -> np.ndarray:
        """Return psi at each row of ``thetas`` (m, d), as an array of shape (m,)."""
        return self.likelihood.values(thetas) - self.minimum

    @cached_property
    def remembered(self) -> Any:
        """Remembered points (m, d), values (m,) and gradients (m, d), or None if there are none."""
        if self.memory is None or not self.memory.count:
            return None
        kept = self.memory.kept
        tangents = self.memory.expansions.tangents(kept, self.likelihood.ridge)
        return self.memory.expansions.points[kept].copy(), *tangents

    def may_reach(self, thetas: np.ndarray) -> np.ndarray:
        """Return, for each row of ``thetas`` (m, d), whether psi may be at most the level there.

        The tangents at remembered points bound psi from below, without a pass over the data.
        """
        if self.remembered is None:
            return np.ones(len(thetas), dtype=bool)
        points, values, gradients = self.remembered
        return values_from_below(points, values, gradients, thetas) <= self.minimum + self.level

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        """Return whether each row of ``thetas`` (m, d) lies in the set."""
        inside = self.excess(thetas) <= self.level
        if self.radius is None:
            return inside
        return inside & (norms(thetas) <= self.radius * (1.0 + SPHERE_TOLERANCE))

    @cached_property
    def holds_centre(self) -> bool:
        """Whether the centre lies in the set; an unconstrained centre may be outside the ball."""
        if self.radius is None:
            return True
        return math.sqrt(self.centre @ self.centre) <= self.radius * (1.0 + SPHERE_TOLERANCE)

    def members(self, thetas: np.ndarray, values: np.ndarray) -> Any:
        r"""Return a member on each segment from the centre to a row of ``thetas`` (m, d).

        ``values`` (m,) contains the values of the likelihood at ``thetas``. The centre must be in
        the set. The rows of the result (m, d) are members because psi is convex.
        """
        move = thetas - self.centre
        share = self.level / np.maximum(values - self.minimum, self.level)
        if self.radius is not None:
            share = np.minimum(share, distance_to_sphere(self.centre, move, self.radius))
        return self.centre + share[:, None] * move

    def reaches_tip(self, x: np.ndarray) -> bool:
        r"""Return whether $Sx/\|x\|$, the maximiser of $x^\top\theta$ on the ball, is a member."""
        length = math.sqrt(x @ x)
        if self.radius is None or length == 0.0:
            return False
        tip = x[None] * (self.radius / length)
        return bool(self.may_reach(tip)[0] and self.excess(tip)[0] <= self.level)


def values_from_below(
    points: np.ndarray, values: np.ndarray, gradients: np.ndarray, thetas: np.ndarray
) -> np.ndarray:
    """Return lower bounds (k,) on a convex function, computed from its tangents.

    Parameters
    ----------
    points : (m, d) array
        Points at which the tangents touch the function.
    values, gradients : (m,) and (m, d) arrays
        Values and gradients of the function at ``points``.
    thetas : (k, d) array
        Points at which to bound the function.
    """
    offsets = values - dots(gradients, points)
    return (thetas @ gradients.T + offsets).max(axis=1)
