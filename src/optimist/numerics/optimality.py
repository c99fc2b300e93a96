r"""Newton's method on the optimality conditions for maximising a linear function over a level set.

The unknowns $(\theta, s, \rho)$, one row per arm x, satisfy
$$\nabla\mathcal L(\theta) + \rho\theta = s x,\qquad \sqrt{\psi(\theta)} = \beta,\qquad
  \rho = 0 \ \text{ or }\ \|\theta\| = S .$$
Taking the square root of psi makes the second equation nearly linear. The derivatives at an iterate
also bound the maximum from both sides (see `optimist.numerics.bounds`). Arms that cannot have the
largest maximum can therefore be dropped early. Rows for which the method does not converge are
left to the one-dimensional dual of `optimist.numerics.maximisation`.
"""

from typing import Any, cast

import numpy as np

from optimist.numerics.bounds import upper_bounds
from optimist.numerics.level_set import SPHERE_TOLERANCE, LevelSet
from optimist.numerics.linear import add_to_diagonal, dots, norms
from optimist.numerics.starts import points_on_border

MAX_NEWTON_STEPS = 30
MAX_HALVINGS = 6
# Newton's method gives up on a row after this many consecutive steps that reduce its residual by
# less than a tenth.
STALLED_STEPS = 3
RESIDUAL_TOLERANCE = 1e-9
# The initial rho, and the rho below which the ball constraint may be dropped, both as fractions of
# the rho that would hold if the ball were the only active constraint.
RHO_SHARE = 0.3
NEGLIGIBLE_RHO = 1e-3
# A start from memory is discarded if its residual is at least FAR_RESIDUAL before the first step,
# or at least STALE_RESIDUAL after it.
FAR_RESIDUAL = 1.5
STALE_RESIDUAL = 0.3


class OptimalitySystem:
    r"""Newton's iterates for the optimality conditions, one row $(\theta, s, \rho)$ per arm.

    Parameters
    ----------
    level_set : LevelSet
    arms : (m, d) array
        No row may be zero.
    prune : bool
        Whether to bound the maxima in each step and solve only rows that may have the largest one.
    floor : float
        The largest maximum among arms left out of ``arms``.

    Attributes
    ----------
    lower, upper : (m,) arrays
        Bounds on the maxima; they coincide once a row is solved.
    """

    def __init__(
        self, level_set: LevelSet, arms: np.ndarray, prune: bool, floor: float = -np.inf
    ) -> None:
        self.set = level_set
        self.arms = arms
        self.prune = prune
        self.floor = floor
        self.lengths = norms(arms)
        m, d = arms.shape
        self.lower = np.full(m, -np.inf)
        self.upper = np.full(m, np.inf)
        if level_set.radius is not None:
            self.upper = level_set.radius * self.lengths
        self.tip_possible = np.full(m, level_set.radius is not None)
        self.unknowns = np.zeros((m, d + 2))  # theta, s, rho
        self.active = np.zeros(m, dtype=bool)  # whether the ball constraint is active
        self.falling = np.zeros(m, dtype=bool)  # whether a full Newton step would make rho negative
        # Derivatives of the likelihood at the iterates, and quantities that depend on them.
        self.values = np.zeros(m)
        self.gradients = np.zeros((m, d))
        self.hessians = np.zeros((m, d, d))
        self.residual = np.zeros((m, d + 2))
        self.jacobian = np.zeros((m, d + 2, d + 2))
        self.merit = np.full(m, np.inf)

    def solve(self) -> None:
        """Run Newton's method; `open_rows` then returns the rows that it could not solve."""
        remembers = self.set.remembered is not None
        if remembers:
            self._recall()
        self._settle_tips(self.open_rows())
        self._start(self.open_rows(), remembers)
        self._iterate()

    def open_rows(self) -> np.ndarray:
        """Return the unsolved rows; with ``prune``, only rows that may have the largest maximum."""
        self.upper = np.fmax(self.upper, self.lower)  # rounding may make the bounds cross
        unsolved = self.upper > self.lower
        if not self.prune:
            return np.flatnonzero(unsolved)
        best = self.lower.max()
        contenders = self.upper >= max(best, self.floor)
        if best >= self.floor and np.count_nonzero(contenders) == 1:
            return np.empty(0, dtype=int)
        return np.flatnonzero(contenders & unsolved)

    def adopt(self, row: int, theta: np.ndarray, s: float) -> None:
        """Accept ``theta`` (d,) and ``s``, found by another solver, as the solution for a row."""
        radius, rows = self.set.radius, np.array([row])
        self.unknowns[row] = [*theta, s, 0.0]
        self.active[row] = (
            radius is not None and theta @ theta >= (radius * (1.0 - SPHERE_TOLERANCE)) ** 2
        )
        self._fit_multipliers(rows, self.set.likelihood.gradients(theta[None]))
        self._evaluate(rows)
        if self.set.holds_centre:  # theta is only approximately on the boundary
            theta = self.set.members(theta[None], self.values[rows])[0]
        self._settle(rows, self.arms[row] @ theta)

    def _settle(self, rows, values):
        self.lower[rows] = self.upper[rows] = values

    def _iterate(self):
        stalled = np.zeros(len(self.arms), dtype=int)
        for _ in range(MAX_NEWTON_STEPS):
            rows = self.open_rows()
            rows = rows[stalled[rows] < STALLED_STEPS]
            if not len(rows):
                return
            before = self.merit[rows]
            self._advance(rows)
            changed = self._update_active_set(rows)
            self._bound(rows)
            solved = rows[~changed & (self.merit[rows] <= RESIDUAL_TOLERANCE)]
            self._settle(solved, dots(self.arms[solved], self._thetas(solved)))
            gains = self.merit[rows] <= 0.9 * before
            stalled[rows] = np.where(gains, 0, stalled[rows] + 1)

    def _thetas(self, rows):
        return self.unknowns[rows, :-2]

    # Starts

    @property
    def _directions(self):
        return self.arms / self.lengths[:, None]

    def _recall(self):
        """Start all rows at the nearest solutions in memory, and bound the maxima from there."""
        memory: Any = self.set.memory
        ridge = self.set.likelihood.ridge
        everyone = np.arange(len(self.arms))
        slots = memory.nearest(self._directions)
        self.unknowns[:, :-2] = memory.expansions.points[slots]
        self.active = memory.active[slots]
        self.values, self.gradients, self.hessians = memory.expansions.derivatives(slots, ridge)
        self._fit_multipliers(everyone, self.gradients)
        self._bound(everyone)
        self._bound_by_all_remembered()

    def _bound_by_all_remembered(self):
        r"""Use the points in memory to raise lower bounds and to rule out tips outside the set.

        The tip of an arm x is $Sx/\|x\|$.
        """
        s = self.set
        if self.prune and s.holds_centre:
            points, values, _ = s.remembered
            attained = np.fmax.reduce(self.arms @ s.members(points, values).T, axis=1)
            self.lower = np.fmax(self.lower, attained)
        if s.radius is not None:
            self.tip_possible = s.may_reach(s.radius * self._directions)

    def _settle_tips(self, rows):
        r"""Solve the rows for which $Sx/\|x\|$, the maximiser over the ball, lies in the set."""
        rows = rows[self.tip_possible[rows]]
        if len(rows):
            tips = self.set.radius * self._directions[rows]
            inside = rows[self.set.excess(tips) <= self.set.level]
            self._settle(inside, self.set.radius * self.lengths[inside])

    def _start(self, rows, remembers):
        """Start each of ``rows`` one Newton step away from a remembered solution.

        This step needs no pass over the data. Rows without a suitable solution in memory start on
        the boundary of the set.
        """
        if remembers and len(rows):
            self._assemble(rows)
            near = rows[self.merit[rows] < FAR_RESIDUAL]
            self.merit[rows] = np.inf  # until the new iterate is evaluated
            if len(near):
                self._step(near)
                self._pull_into_ball(near)
                self._evaluate(near)
                self._bound(near)
            rows = self.open_rows()
            rows = rows[~(self.merit[rows] < STALE_RESIDUAL)]
        if len(rows):
            thetas, self.active[rows], scales = points_on_border(self.set, self.arms[rows])
            self.unknowns[rows, :-2], self.unknowns[rows, -2] = thetas, scales
            self._fit_multipliers(rows, self.set.likelihood.gradients(thetas))
            self._evaluate(rows)
            self._bound(rows)

    def _fit_multipliers(self, rows, gradients):
        r"""Fit s and rho of ``rows`` to the stationarity condition by least squares.

        If the fitted s is not positive, it is replaced by the larger of the previous s and 1e-3.
        """
        arms, theta, active = self.arms[rows], self._thetas(rows), self.active[rows]
        xx = self.lengths[rows] ** 2
        gx, xt = dots(gradients, arms), dots(theta, arms)
        gt, tt = dots(gradients, theta), dots(theta, theta)
        determinant = np.maximum(xx * tt - xt**2, 1e-12 * xx * tt + 1e-300)
        fitted = (xt * gx - xx * gt) / determinant
        # A zero rho makes the system singular if the plays do not span the space.
        least = RHO_SHARE * np.maximum(gx, 0.0) / np.sqrt(xx * tt + 1e-300)
        rho = np.where(active, np.maximum(fitted, least), 0.0)
        s = (gx + rho * xt) / xx
        self.unknowns[rows, -2] = np.where(s > 0.0, s, np.maximum(self.unknowns[rows, -2], 1e-3))
        self.unknowns[rows, -1] = rho

    def _pull_into_ball(self, rows):
        if self.set.radius is not None:
            excess = norms(self._thetas(rows)) / self.set.radius
            self.unknowns[rows, :-2] /= np.maximum(excess, 1.0)[:, None]

    # Newton's method

    def _evaluate(self, rows):
        """Compute derivatives at the iterates of ``rows``, then their residuals and Jacobians."""
        derivatives = self.set.likelihood.derivatives(self._thetas(rows))
        self.values[rows], self.gradients[rows], self.hessians[rows] = derivatives
        self._assemble(rows)

    def _assemble(self, rows):
        """Compute the dimensionless residuals of ``rows``, their norms and their Jacobians."""
        s, d, unknowns = self.set, self.arms.shape[1], self.unknowns[rows]
        theta, multiplier, rho = unknowns[:, :d], unknowns[:, d, None], unknowns[:, d + 1, None]
        arms, gradients = self.arms[rows], self.gradients[rows]
        root = np.sqrt(np.maximum(self.values[rows] - s.minimum, 1e-300))[:, None]
        scale = np.abs(multiplier) * self.lengths[rows, None] + 1e-300
        residual = np.empty_like(unknowns)
        jacobian = np.zeros((len(rows), d + 2, d + 2))
        residual[:, :d] = (gradients + rho * theta - multiplier * arms) / scale
        penalised = self.hessians[rows]
        add_to_diagonal(penalised, rho[:, 0])
        jacobian[:, :d, :d] = penalised / scale[..., None]
        jacobian[:, :d, d] = -arms / scale
        jacobian[:, :d, d + 1] = theta / scale
        residual[:, d] = root[:, 0] / s.beta - 1.0
        jacobian[:, d, :d] = gradients / (2.0 * root * s.beta)
        self._constraint_row(rows, unknowns, residual, jacobian)
        self.residual[rows], self.jacobian[rows] = residual, jacobian
        self.merit[rows] = norms(residual)

    def _constraint_row(self, rows, unknowns, residual, jacobian):
        residual[:, -1] = unknowns[:, -1]
        jacobian[:, -1, -1] = 1.0
        active = self.active[rows]
        if active.any():
            theta = unknowns[active, :-2]
            square = cast(float, self.set.radius) ** 2  # not None: the constraint is active
            residual[active, -1] = 0.5 * (dots(theta, theta) / square - 1.0)
            jacobian[active, -1, :-2] = theta / square
            jacobian[active, -1, -1] = 0.0

    def _newton_direction(self, rows):
        jacobian, residual = self.jacobian[rows], self.residual[rows]
        try:
            return -np.linalg.solve(jacobian, residual[..., None])[..., 0]
        except np.linalg.LinAlgError:
            return -(np.linalg.pinv(jacobian) @ residual[..., None])[..., 0]

    def _step(self, rows):
        """Take a Newton step on ``rows``; return the old iterates, directions and step sizes.

        The derivatives at the new iterates are not computed.
        """
        old, direction = self.unknowns[rows], self._newton_direction(rows)
        size = self._longest_step(old, direction)
        self.unknowns[rows] = _moved(old, direction, size)
        return old, direction, size

    def _advance(self, rows):
        """Take one damped Newton step on ``rows``."""
        merit = self.merit[rows]
        old, direction, size = self._step(rows)
        self._evaluate(rows)
        for _ in range(MAX_HALVINGS):
            worse = np.flatnonzero(~(self.merit[rows] <= merit))
            if not len(worse):
                break
            size[worse] *= 0.5
            self.unknowns[rows[worse]] = _moved(old[worse], direction[worse], size[worse])
            self._evaluate(rows[worse])
        self.falling[rows] = old[:, -1] + direction[:, -1] < 0.0

    def _longest_step(self, old, direction):
        """Return the largest step sizes up to 1 that respect the limits on theta and s.

        Theta moves by at most the set's reach, and s decreases by at most 90 %.
        """
        length = norms(direction[:, :-2])
        size = np.minimum(1.0, self.set.reach / np.maximum(length, 1e-300))
        loss = -direction[:, -2] / old[:, -2]
        return np.minimum(size, 0.9 / np.maximum(loss, 0.9))

    def _update_active_set(self, rows):
        r"""Drop or add the ball constraint, and return a mask (m,) of the rows that changed.

        The constraint is dropped if a full step would make $\rho$ negative and $\rho$ is negligible
        relative to $s\|x\|/S$. The first condition alone is not enough, because $\rho = 0$ makes
        the system singular if the plays do not span the space. When the constraint is added, theta
        is moved to the sphere, and $\rho$ is set to `RHO_SHARE` times $s\|x\|/S$.
        """
        if self.set.radius is None:
            return np.zeros(len(rows), dtype=bool)
        S, unknowns, active = self.set.radius, self.unknowns[rows], self.active[rows]
        full = unknowns[:, -2] * self.lengths[rows] / S
        length = norms(unknowns[:, :-2])
        leaves = active & self.falling[rows] & (unknowns[:, -1] < NEGLIGIBLE_RHO * full)
        hits = ~active & (length > S * (1.0 + SPHERE_TOLERANCE))
        changed = leaves | hits
        if changed.any():
            unknowns[leaves, -1] = 0.0
            unknowns[hits, -1] = RHO_SHARE * full[hits]
            unknowns[hits, :-2] *= (S / length[hits])[:, None]
            self.unknowns[rows] = unknowns
            self.active[rows] = (active & ~leaves) | hits
            self._evaluate(rows[changed])
        return changed

    # Bounds from an iterate

    def _bound(self, rows):
        """Tighten the bounds of ``rows``, using the derivatives at their iterates."""
        if not self.prune:
            return
        s, arms, values = self.set, self.arms[rows], self.values[rows]
        derivatives = values, self.gradients[rows], self.hessians[rows]
        bounds = upper_bounds(s, arms, self.unknowns[rows], derivatives)
        self.upper[rows] = np.fmin(self.upper[rows], bounds)
        if s.holds_centre:
            attained = dots(arms, s.members(self._thetas(rows), values))
            self.lower[rows] = np.fmax(self.lower[rows], attained)

    def remember(self) -> None:
        """Add iterates close to a solution to the set's memory, if it has one."""
        if self.set.memory is None:
            return
        rows = np.flatnonzero(self.merit < STALE_RESIDUAL)
        if len(rows):
            derivatives = self.values[rows], self.gradients[rows], self.hessians[rows]
            self.set.memory.add(
                self._directions[rows],
                self.active[rows],
                self._thetas(rows),
                derivatives,
                self.set.likelihood.ridge,
            )


def _moved(old, direction, size):
    r"""Return old + size * direction, but let $\rho$ decrease by at most 90 %."""
    new = old + size[:, None] * direction
    new[:, -1] = np.maximum(new[:, -1], 0.1 * old[:, -1])
    return new
