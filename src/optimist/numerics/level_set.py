r"""Maximising linear functions over level sets of a likelihood.

The confidence sets of OFUGLB (Lee et al. 2024) and OFULog-r (Abeille et al. 2021) are
$$\mathcal C = \{\theta\in\Theta : \psi(\theta) \le \beta^2\},\qquad
  \psi(\theta) = \mathcal L(\theta) - \mathcal L(\hat\theta),$$
with $\Theta$ a ball or the whole space. The problem $\max_{\theta\in\mathcal C} x^\top\theta$ is
convex, so its optimality conditions are sufficient: unknowns $(\theta, s, \rho)$ with
$$\nabla\mathcal L(\theta) + \rho\theta = s x,\qquad \sqrt{\psi(\theta)} = \beta,\qquad
  \rho = 0 \ \text{ or }\ \|\theta\| = S .$$
`LevelSet` solves them for several x at once (`optimist.numerics.optimality`);
`maximise_by_slsqp` is the generic solver of the public codes, kept for comparison and as an oracle.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from optimist.numerics.ball import distance_to_sphere
from optimist.numerics.bounds import values_from_below
from optimist.numerics.likelihood import Likelihood, ball_constraint, minimise
from optimist.numerics.linear import made_definite, norms
from optimist.numerics.optimality import SPHERE_TOLERANCE, OptimalitySystem

JITTER = 1e-6
ROUNDING = 1e-12
LOG_S_RANGE = (-20.0, 40.0)
# How far below its bound the answer of the dual may stay, as a share of the size of the set.
DUAL_TOLERANCE = 1e-9


class LevelSet:
    r"""The set $\{\theta\in\Theta : \mathcal L(\theta)-\mathcal L(\hat\theta) \le \beta^2\}$.

    Parameters
    ----------
    likelihood : Likelihood
    centre : (d,) array
        The minimiser of the likelihood over the domain.
    level : float
        beta squared, positive.
    radius : float or None
        S when the domain is a ball, None for the whole space (which needs a ridge).
    memory : SolutionMemory or None
        Earlier solutions, which Newton's method starts from and adds its own to.
    derivatives : tuple or None
        Value, gradient and Hessian at the centre, if they are known.

    Attributes
    ----------
    fallbacks : int
        Number of maximisations that needed the one-dimensional dual.
    failures : int
        Number of maximisations whose solver, SLSQP or the dual, did not get as far as it should.
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
        found: Any = derivatives or likelihood.at(centre)
        self.minimum, _, self.hessian = found
        self.memory = memory
        self.fallbacks = 0
        self.failures = 0

    @cached_property
    def regular_hessian(self) -> np.ndarray:
        """The Hessian at the centre, definite."""
        return made_definite(self.hessian, JITTER, ROUNDING)

    @cached_property
    def reach(self) -> float:
        r"""Bound on the distance of any member from the centre.

        In the ball it is S plus the norm of the centre, which need not lie inside; with a ridge
        alone, $\psi\ge\frac\lambda2\|\cdot\|^2$.
        """
        if self.radius is None:
            return math.sqrt(2.0 * self.level / self.likelihood.ridge)
        return self.radius + math.sqrt(self.centre @ self.centre)

    def distance_bounds(self, thetas: np.ndarray) -> Any:
        """Bound the distance of any member from each row of ``thetas`` (m, d), as (m,)."""
        if self.radius is None:
            return self.reach + norms(thetas - self.centre)
        return self.radius + norms(thetas)

    def excess(self, thetas: np.ndarray) -> np.ndarray:
        """Return psi at the rows of ``thetas`` (m, d), as (m,)."""
        return self.likelihood.values(thetas) - self.minimum

    @cached_property
    def remembered(self) -> Any:
        """Points (m, d) of the memory, values (m,) and gradients (m, d) there, or None."""
        if self.memory is None or not self.memory.count:
            return None
        kept = self.memory.kept
        tangents = self.memory.expansions.tangents(kept, self.likelihood.ridge)
        return self.memory.expansions.points[kept].copy(), *tangents

    def may_reach(self, thetas: np.ndarray) -> np.ndarray:
        """Return for each row of ``thetas`` (m, d) whether psi may be small enough there.

        Tells by the tangents at remembered points, with no pass over the data.
        """
        if self.remembered is None:
            return np.ones(len(thetas), dtype=bool)
        points, values, gradients = self.remembered
        return values_from_below(points, values, gradients, thetas) <= self.minimum + self.level

    def contains(self, thetas: np.ndarray) -> np.ndarray:
        """Return for each row of ``thetas`` (m, d) whether it lies in the set."""
        inside = self.excess(thetas) <= self.level
        if self.radius is None:
            return inside
        return inside & (norms(thetas) <= self.radius * (1.0 + SPHERE_TOLERANCE))

    @cached_property
    def holds_centre(self) -> bool:
        """Whether the centre lies in the set: an unconstrained one may be outside the ball."""
        if self.radius is None:
            return True
        return math.sqrt(self.centre @ self.centre) <= self.radius * (1.0 + SPHERE_TOLERANCE)

    def members(self, thetas: np.ndarray, values: np.ndarray) -> Any:
        r"""Return members on the way from the centre to ``thetas`` (m, d), by convexity of psi.

        ``values`` (m,) are the likelihood's at ``thetas``. Needs a centre that is in the set.
        """
        move = thetas - self.centre
        share = self.level / np.maximum(values - self.minimum, self.level)
        if self.radius is not None:
            share = np.minimum(share, distance_to_sphere(self.centre, move, self.radius))
        return self.centre + share[:, None] * move

    def best_arm(self, arms: np.ndarray, prune: bool = True) -> int:
        """Return the index of the arm (K, d) with the largest maximum over the set.

        With ``prune``, an arm is given up as soon as its upper bound is below another's lower
        bound. Either way the maxima are compared to some nine digits: of arms that tie to that,
        any may be returned.
        """
        return int(np.argmax(self._solve(arms, prune)))

    def reaches_tip(self, x: np.ndarray) -> bool:
        r"""Return whether the maximum for arm ``x`` (d,) is that of the ball, at $Sx/\|x\|$."""
        length = math.sqrt(x @ x)
        if self.radius is None or length == 0.0:
            return False
        tip = x[None] * (self.radius / length)
        return bool(self.may_reach(tip)[0] and self.excess(tip)[0] <= self.level)

    def maxima(self, arms: np.ndarray) -> Any:
        r"""Return $\max_{\theta\in\mathcal C} x^\top\theta$ for each row x of ``arms`` (K, d)."""
        return self._solve(arms, prune=False)

    def _solve(self, arms, prune):
        """Return the maxima (K,), with ``prune`` lower bounds of which the largest is in place."""
        values = np.zeros(len(arms))
        rows = np.flatnonzero(arms.any(axis=1))
        if len(rows):
            floor = 0.0 if len(rows) < len(arms) else -math.inf  # what the zero arm attains
            system = OptimalitySystem(self, arms[rows], prune, floor)
            system.solve()
            while len(left := system.open_rows()):
                system.adopt(left[0], *maximise_by_dual(self, system.arms[left[0]]))
                self.fallbacks += 1
            system.remember()
            values[rows] = system.lower
        return values


def maximise_by_dual(level_set: LevelSet, x: np.ndarray) -> Any:
    r"""Maximise $x^\top\theta$ by a root search in s.

    $\theta(s) = \arg\min_\Theta \mathcal L(\theta) - s\,x^\top\theta$ has non-decreasing
    $\psi(\theta(s))$, and the answer has $\psi = \beta^2$. Where $\psi$ jumps over $\beta^2$, all
    points between the two ends minimise for one s, and the answer is among them. An answer that
    falls short of a bound of the maximum counts among the failures of the level set.

    Parameters
    ----------
    level_set : LevelSet
    x : (d,) array

    Returns
    -------
    theta : (d,) array
    s : float

    Raises
    ------
    LinAlgError
        Where the set is empty, or numbers are not finite.
    """
    from scipy.optimize import brentq

    search = _DualSearch(level_set, x)
    high = 0.0
    while search.gap(high) < 0.0 and high < LOG_S_RANGE[1]:
        high += 3.0
    if search.below is None or search.below.s == 0.0:
        search.gap(LOG_S_RANGE[0])
    if search.below is None:
        raise np.linalg.LinAlgError("no parameter of the domain is in the level set")
    if search.above is None:  # the set reaches as far as the domain does
        level_set.failures += not search.below.converged
        return search.below.theta, search.below.s
    if search.below.s > 0.0:
        brentq(search.gap, math.log(search.below.s), math.log(search.above.s), xtol=1e-11)
    theta = search.crossing()
    level_set.failures += not search.is_maximal(theta)
    return theta, search.above.s


@dataclass(frozen=True)
class _Tilted:
    """A minimiser of the tilted likelihood."""

    s: float
    theta: np.ndarray
    excess: float
    converged: bool


class _DualSearch:
    """Minimisers for some s, and the two nearest to the border of a level set on either side."""

    def __init__(self, level_set, x):
        self.set, self.x = level_set, x
        self.theta = level_set.centre
        self.gaps: dict[float, float] = {}
        self.below: Any = None
        self.above: Any = None
        if level_set.holds_centre:
            self.below = _Tilted(0.0, level_set.centre, 0.0, True)

    def gap(self, log_s):
        r"""Return $\sqrt{\psi(\theta(s))} - \beta$, the same whenever asked for one s."""
        if log_s not in self.gaps:
            self.gaps[log_s] = self._new_gap(math.exp(log_s))
        return self.gaps[log_s]

    def _new_gap(self, s):
        base = self.set.likelihood
        tilted = Likelihood(base.link, base.history, base.ridge, tilt=s * self.x)
        self.theta, converged = minimise(tilted, self.theta, self.set.radius)
        excess = float(self.set.excess(self.theta[None])[0])
        if not math.isfinite(excess):
            raise np.linalg.LinAlgError("the likelihood is not finite")
        found = _Tilted(s, self.theta, excess, converged)
        gap = math.sqrt(max(excess, 0.0)) - self.set.beta
        if gap < 0.0 and (self.below is None or s > self.below.s):
            self.below = found
        if gap >= 0.0 and (self.above is None or s < self.above.s):
            self.above = found
        return gap

    def crossing(self):
        """Return the point of the border between the two, the last one in the set."""
        from scipy.optimize import brentq

        start, move = self.below.theta, self.above.theta - self.below.theta

        def excess(share):
            return float(self.set.excess((start + share * move)[None])[0]) - self.set.level

        if excess(1.0) <= 0.0:
            return self.above.theta
        if excess(0.0) >= 0.0:
            return start
        return start + brentq(excess, 0.0, 1.0, xtol=1e-15) * move

    def is_maximal(self, theta):
        r"""Return whether ``theta`` is as good as the duals say, to nine digits.

        By weak duality $x^\top\theta(s) + (\beta^2-\psi(\theta(s)))/s$ is no less than the maximum.
        """
        ends = [end for end in (self.below, self.above) if end.s > 0.0]
        bounds = [self.x @ end.theta + (self.set.level - end.excess) / end.s for end in ends]
        short = min(bounds) - self.x @ theta
        scale = math.sqrt(self.x @ self.x) * self.set.reach
        return all(end.converged for end in ends) and short <= DUAL_TOLERANCE * scale


def maximise_by_slsqp(level_set: LevelSet, arms: np.ndarray, tolerance: float = 1e-5) -> Any:
    r"""Return $\max_{\theta\in\mathcal C} x^\top\theta$ for each arm, as (K,), by scipy's SLSQP.

    One solve per arm from the centre, with the constraints and gradients of the public codes.

    Parameters
    ----------
    level_set : LevelSet
    arms : (K, d) array
    tolerance : float
        SLSQP's ``ftol``.
    """
    return np.array([_slsqp(level_set, x, tolerance) for x in arms])


def _slsqp(level_set, x, tolerance):
    from scipy.optimize import minimize

    def slack(theta):
        return level_set.level - level_set.excess(theta[None])[0]

    def slack_gradient(theta):
        return -level_set.likelihood.gradients(theta[None])[0]

    constraints = [{"type": "ineq", "fun": slack, "jac": slack_gradient}]
    if level_set.radius is not None:
        constraints.append(ball_constraint(level_set.radius))
    solution = minimize(
        lambda theta: -(x @ theta),
        level_set.centre,
        jac=lambda theta: -x,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": tolerance},
    )
    level_set.failures += not solution.success
    return float(x @ solution.x)
