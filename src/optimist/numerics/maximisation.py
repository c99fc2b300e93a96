r"""Maximisation of linear functions over level sets of a likelihood.

The problem $\max_{\theta\in\mathcal C} x^\top\theta$ is convex, so it is sufficient to find
$(\theta, s, \rho)$ that satisfy the optimality conditions
$$\nabla\mathcal L(\theta) + \rho\theta = s x,\qquad \sqrt{\psi(\theta)} = \beta,\qquad
  \rho = 0 \ \text{ or }\ \|\theta\| = S .$$
`maxima` solves them for several x at once, with `optimist.numerics.optimality`. `maximise_by_slsqp`
runs the generic solver of public code, kept for comparisons and cross-checks.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimist.numerics.level_set import LevelSet
from optimist.numerics.likelihood import Likelihood, ball_constraint, minimise
from optimist.numerics.optimality import OptimalitySystem

LOG_S_RANGE = (-20.0, 40.0)
# Largest allowed gap between the dual's upper bound and the value at its solution, as a multiple of
# |x| times the set's reach.
DUAL_TOLERANCE = 1e-9


def best_arm(level_set: LevelSet, arms: np.ndarray, prune: bool = True) -> int:
    """Return the index in ``arms`` (K, d) of the arm with the largest maximum over a level set.

    With ``prune``, an arm is dropped as soon as its upper bound is below another arm's lower bound.
    The maxima are accurate to about nine digits. If several arms tie to within this accuracy, any
    of them may be returned.
    """
    return int(np.argmax(_solve(level_set, arms, prune)))


def maxima(level_set: LevelSet, arms: np.ndarray) -> Any:
    r"""Return $\max_{\theta\in\mathcal C} x^\top\theta$ for each row x of ``arms`` (K, d)."""
    return _solve(level_set, arms, prune=False)


def _solve(level_set, arms, prune):
    """Return the maxima (K,) or, with ``prune``, lower bounds, the largest of which is exact."""
    values = np.zeros(len(arms))
    rows = np.flatnonzero(arms.any(axis=1))
    if len(rows):
        floor = 0.0 if len(rows) < len(arms) else -math.inf  # a zero arm has maximum 0
        system = OptimalitySystem(level_set, arms[rows], prune, floor)
        system.solve()
        while len(left := system.open_rows()):
            system.adopt(left[0], *maximise_by_dual(level_set, system.arms[left[0]]))
            level_set.fallbacks += 1
        system.remember()
        values[rows] = system.lower
    return values


def maximise_by_dual(level_set: LevelSet, x: np.ndarray) -> Any:
    r"""Maximise $x^\top\theta$ by a root search in s.

    For $\theta(s) = \arg\min_\Theta \mathcal L(\theta) - s\,x^\top\theta$, the function
    $\psi(\theta(s))$ is non-decreasing, and $\psi = \beta^2$ at the solution. If $\psi$ jumps over
    $\beta^2$, all points between the two ends of the jump are minimisers for the same s, and the
    solution is one of them. If $\psi$ stays below $\beta^2$, the solution is the maximiser over the
    domain. A result that falls short of the upper bound on the maximum is counted in the level
    set's ``failures``.

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
        If the set is empty or the likelihood is not finite.
    """
    from scipy.optimize import brentq

    search = _DualSearch(level_set, x)
    high = 0.0
    while search.gap(high) < 0.0 and high < LOG_S_RANGE[1]:
        high += 3.0
    if search.below is None or search.below.s == 0.0:
        search.gap(LOG_S_RANGE[0])
    if search.below is None:
        raise np.linalg.LinAlgError("no parameter in the domain is in the level set")
    if search.above is None:  # only the domain limits the maximum
        level_set.failures += not search.below.converged
        return search.below.theta, search.below.s
    if search.below.s > 0.0:
        brentq(search.gap, math.log(search.below.s), math.log(search.above.s), xtol=1e-11)
    theta = search.crossing()
    level_set.failures += not search.is_maximal(theta)
    return theta, search.above.s


@dataclass(frozen=True)
class _Tilted:
    """A minimiser of the likelihood minus s x^T theta, and psi (``excess``) there."""

    s: float
    theta: np.ndarray
    excess: float
    converged: bool


class _DualSearch:
    """A search for the s at which theta(s) crosses the boundary of a level set.

    Of the minimisers found so far, ``below`` has the largest s inside the set, and ``above`` has
    the smallest s outside it.
    """

    def __init__(self, level_set: Any, x: np.ndarray) -> None:
        self.set, self.x = level_set, x
        self.theta = level_set.centre
        self.gaps: dict[float, float] = {}
        self.below: Any = None
        self.above: Any = None
        if level_set.holds_centre:
            self.below = _Tilted(0.0, level_set.centre, 0.0, True)

    def gap(self, log_s):
        r"""Return $\sqrt{\psi(\theta(s))} - \beta$ for ``log_s``, computed once per value."""
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
        end = _Tilted(s, self.theta, excess, converged)
        gap = math.sqrt(max(excess, 0.0)) - self.set.beta
        if gap < 0.0 and (self.below is None or s > self.below.s):
            self.below = end
        if gap >= 0.0 and (self.above is None or s < self.above.s):
            self.above = end
        return gap

    def crossing(self):
        """Return the last point of the set on the segment from ``below`` to ``above``."""
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
        r"""Return whether ``theta`` attains the dual's upper bound to nine digits.

        By weak duality, $x^\top\theta(s) + (\beta^2-\psi(\theta(s)))/s$ is at least the maximum.
        """
        ends = [end for end in (self.below, self.above) if end.s > 0.0]
        bounds = [self.x @ end.theta + (self.set.level - end.excess) / end.s for end in ends]
        short = min(bounds) - self.x @ theta
        scale = math.sqrt(self.x @ self.x) * self.set.reach
        return all(end.converged for end in ends) and short <= DUAL_TOLERANCE * scale


def maximise_by_slsqp(level_set: LevelSet, arms: np.ndarray, tolerance: float = 1e-5) -> Any:
    r"""Return $\max_{\theta\in\mathcal C} x^\top\theta$ for each arm x, computed by scipy's SLSQP.

    SLSQP runs once per arm, from the centre, with the constraints and gradients used in public
    code. The result has shape (K,).

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
