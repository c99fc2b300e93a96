r"""Newton's method on the optimality conditions of a linear function over a level set.

Unknowns $(\theta, s, \rho)$, one row per arm x:
$$\nabla\mathcal L(\theta) + \rho\theta = s x,\qquad \sqrt{\psi(\theta)} = \beta,\qquad
  \rho = 0 \ \text{ or }\ \|\theta\| = S .$$
The root of psi makes the second equation nearly linear. Rows that do not converge are left to the
one-dimensional dual of `optimist.numerics.level_set`.
"""

import math

import numpy as np

MAX_NEWTON_STEPS = 30
MAX_HALVINGS = 6
# A row that gains less than a tenth in this many steps is stuck.
STALLED_STEPS = 3
RESIDUAL_TOLERANCE = 1e-9
SPHERE_TOLERANCE = 1e-10
CROSSING_STEPS = 2
# Multiplier of the ball, as shares of its size if the ball alone decided: to start with, and to
# drop the constraint at.
RHO_SHARE = 0.3
NEGLIGIBLE_RHO = 1e-3
# A remembered solution with a larger residual is no better than a fresh start.
STALE_RESIDUAL = 0.5
MEMORY_SIZE = 128


class SolutionMemory:
    r"""The last solutions found, by direction of the arm, as starts for later rounds.

    A solution depends on the direction of x alone, but for s, which is kept for an arm of length 1.
    The set changes little from round to round, so that of a nearby direction is a good start.

    Parameters
    ----------
    dimension : int
    size : int
        Number of directions kept; the oldest is forgotten first.
    """

    def __init__(self, dimension, size=MEMORY_SIZE):
        self.directions = np.zeros((size, dimension))
        self.unknowns = np.zeros((size, dimension + 2))
        self.active = np.zeros(size, dtype=bool)
        self.count = 0

    @property
    def nbytes(self):
        """Bytes held."""
        return self.directions.nbytes + self.unknowns.nbytes + self.active.nbytes

    def recall(self, directions):
        """Return unknowns (m, d + 2) and ball flags (m,) nearest to unit rows (m, d)."""
        kept = min(self.count, len(self.active))
        nearest = np.argmax(directions @ self.directions[:kept].T, axis=1)
        return self.unknowns[nearest], self.active[nearest]

    def add(self, directions, unknowns, active):
        """Keep solutions for unit rows ``directions`` (m, d); the same direction is replaced."""
        kept = min(self.count, len(self.active))
        cosines = directions @ self.directions[:kept].T
        for row, direction in enumerate(directions):
            same = np.flatnonzero(cosines[row] > 1.0 - 1e-12)
            slot = same[0] if len(same) else self.count % len(self.active)
            self.count += not len(same)
            self.directions[slot] = direction
            self.unknowns[slot], self.active[slot] = unknowns[row], active[row]


class OptimalitySystem:
    """Newton iterates (theta, s, rho) of the optimality conditions, one row per arm."""

    def __init__(self, level_set, arms):
        self.set = level_set
        self.arms = arms  # (m, d)
        self.lengths = np.linalg.norm(arms, axis=1)
        m, d = arms.shape
        self.unknowns = np.zeros((m, d + 2))  # theta, s, rho
        self.active = np.zeros(m, dtype=bool)  # ball constraint
        self.falling = np.zeros(m, dtype=bool)  # the last step wanted a negative rho
        self.residual = np.empty((m, d + 2))
        self.jacobian = np.empty((m, d + 2, d + 2))
        cold = self._recall()
        if len(cold):
            self._start(cold)
            self.residual[cold], self.jacobian[cold] = self._evaluate(cold, self.unknowns[cold])

    @property
    def _directions(self):
        return self.arms / self.lengths[:, None]

    def _recall(self):
        """Start from solutions for near directions; return the rows without a useful one."""
        memory, everyone = self.set.memory, np.arange(len(self.arms))
        if memory is None or not memory.count:
            return everyone
        self.unknowns, self.active = memory.recall(self._directions)
        self.unknowns[:, -2] /= self.lengths
        self.residual, self.jacobian = self._evaluate(everyone, self.unknowns)
        return np.flatnonzero(np.linalg.norm(self.residual, axis=1) >= STALE_RESIDUAL)

    def _remember(self, converged):
        if self.set.memory is not None and converged.any():
            solutions = self.unknowns[converged]
            solutions[:, -2] *= self.lengths[converged]
            self.set.memory.add(self._directions[converged], solutions, self.active[converged])

    def _start(self, rows):
        r"""Start ``rows`` where the ray of the ellipsoid's maximiser leaves the set.

        The ray is $\hat\theta + aH^{-1}x$. If it meets the sphere first, follow the sphere towards
        $Sx/\|x\|$, which lies outside the set, until $\psi = \beta^2$ holds as well.
        """
        s, d, arms = self.set, self.arms.shape[1], self.arms[rows]
        p = np.linalg.solve(s.hessian, arms.T).T
        scale = math.sqrt(2.0) * s.beta / np.sqrt(np.einsum("kd,kd->k", p, arms))
        if s.radius is None:
            theta = self._cross(lambda a: s.centre + a[:, None] * p, scale)
        else:
            limit = _distance_to_sphere(s.centre, p, s.radius)
            scale = np.minimum(scale, limit)
            theta = s.centre + limit[:, None] * p
            sphere = s.excess(theta) < s.level
            if not sphere.all():
                q = p[~sphere]
                theta[~sphere] = self._cross(lambda a: s.centre + a[:, None] * q, scale[~sphere])
            if sphere.any():
                theta[sphere] = self._cross_on_sphere(rows[sphere], theta[sphere])
            self.active[rows] = sphere
        self.unknowns[rows, :d] = theta
        self._fit_multipliers(rows, scale)

    def _roots(self, thetas):
        return np.sqrt(np.maximum(self.set.excess(thetas), 1e-300))

    def _cross(self, path, a):
        r"""Return path(a) with $\sqrt\psi$ near beta, by secant steps in log-log scale."""
        power = 1.0
        root = self._roots(path(a))
        for _ in range(CROSSING_STEPS):
            factor = np.clip((self.set.beta / root) ** (1.0 / power), 0.1, 10.0)
            new_root = self._roots(path(a * factor))
            logs = np.log(factor)
            flat = np.abs(logs) < 1e-3
            power = np.where(flat, 1.0, np.log(new_root / root) / np.where(flat, 1.0, logs))
            power = np.clip(power, 0.25, 2.0)
            a, root = a * factor, new_root
        return path(a)

    def _cross_on_sphere(self, rows, theta):
        r"""Bisect by false position from ``theta`` (m, d) to $Sx/\|x\|$ for $\psi = \beta^2$."""
        s = self.set
        tips = self.arms[rows] * (s.radius / self.lengths[rows])[:, None]
        low, high = np.zeros(len(theta)), np.ones(len(theta))
        f_low, f_high = self._roots(theta) - s.beta, self._roots(tips) - s.beta
        for _ in range(CROSSING_STEPS):
            w = low - f_low * (high - low) / (f_high - f_low)
            point = theta + w[:, None] * (tips - theta)
            point *= (s.radius / np.linalg.norm(point, axis=1))[:, None]
            f = self._roots(point) - s.beta
            below = f < 0.0
            low, f_low = np.where(below, w, low), np.where(below, f, f_low)
            high, f_high = np.where(below, high, w), np.where(below, f_high, f)
        return point

    def _fit_multipliers(self, rows, scale):
        r"""Fit s and rho of ``rows`` by least squares in the stationarity condition."""
        d = self.arms.shape[1]
        arms, theta, active = self.arms[rows], self.unknowns[rows, :d], self.active[rows]
        gradients = self.set.likelihood.gradients(theta)
        xx = self.lengths[rows] ** 2
        gx = np.einsum("kd,kd->k", gradients, arms)
        xt = np.einsum("kd,kd->k", theta, arms)
        gt = np.einsum("kd,kd->k", gradients, theta)
        tt = np.einsum("kd,kd->k", theta, theta)
        determinant = np.maximum(xx * tt - xt**2, 1e-12 * xx * tt + 1e-300)
        fitted = (xt * gx - xx * gt) / determinant
        # A zero rho leaves the system singular where the plays do not span the space.
        least = RHO_SHARE * np.maximum(gx, 0.0) / np.sqrt(xx * tt + 1e-300)
        rho = np.where(active, np.maximum(fitted, least), 0.0)
        s = (gx + rho * xt) / xx
        self.unknowns[rows, d] = np.where(s > 0.0, s, scale)
        self.unknowns[rows, d + 1] = rho

    def solve(self):
        """Iterate; return thetas (m, d) and whether each row converged (m,)."""
        m, d = self.arms.shape
        pending = np.arange(m)
        converged = np.zeros(m, dtype=bool)
        stalled = np.zeros(m, dtype=int)
        residual, jacobian = self.residual, self.jacobian
        for _ in range(MAX_NEWTON_STEPS):
            before = np.linalg.norm(residual, axis=1)
            residual, jacobian = self._advance(pending, residual, jacobian)
            changed = self._update_active_set(pending, residual, jacobian)
            merit = np.linalg.norm(residual, axis=1)
            converged[pending] = ~changed & (merit <= RESIDUAL_TOLERANCE)
            stalled[pending] = np.where(merit > 0.9 * before, stalled[pending] + 1, 0)
            keep = ~converged[pending] & (stalled[pending] < STALLED_STEPS)
            pending, residual, jacobian = pending[keep], residual[keep], jacobian[keep]
            if not len(pending):
                break
        self._remember(converged)
        return self.unknowns[:, :d], converged

    def _evaluate(self, rows, unknowns):
        """Return residuals (m, d + 2), scaled to be free of units, and their Jacobians."""
        s, d = self.set, self.arms.shape[1]
        theta, multiplier, rho = unknowns[:, :d], unknowns[:, d, None], unknowns[:, d + 1, None]
        values, gradients, hessians = s.likelihood.derivatives(theta)
        root = np.sqrt(np.maximum(values - s.minimum, 1e-300))[:, None]
        scale = (np.abs(multiplier) * self.lengths[rows, None] + 1e-300)[..., None]
        residual = np.empty_like(unknowns)
        jacobian = np.zeros((len(rows), d + 2, d + 2))
        residual[:, :d] = (gradients + rho * theta - multiplier * self.arms[rows]) / scale[..., 0]
        jacobian[:, :d, :d] = (hessians + rho[..., None] * np.eye(d)) / scale
        jacobian[:, :d, d] = -self.arms[rows] / scale[..., 0]
        jacobian[:, :d, d + 1] = theta / scale[..., 0]
        residual[:, d] = root[:, 0] / s.beta - 1.0
        jacobian[:, d, :d] = gradients / (2.0 * root * s.beta)
        self._constraint_row(rows, unknowns, residual, jacobian)
        return residual, jacobian

    def _constraint_row(self, rows, unknowns, residual, jacobian):
        d = self.arms.shape[1]
        active = self.active[rows]
        residual[:, d + 1] = unknowns[:, d + 1]
        jacobian[:, d + 1] = 0.0
        jacobian[:, d + 1, d + 1] = 1.0
        if active.any():
            theta = unknowns[active, :d]
            square = self.set.radius**2
            residual[active, d + 1] = 0.5 * (np.einsum("kd,kd->k", theta, theta) / square - 1.0)
            jacobian[active, d + 1, :d] = theta / square
            jacobian[active, d + 1, d + 1] = 0.0

    def _advance(self, rows, residual, jacobian):
        """Take one damped Newton step on ``rows``; return the new residuals and Jacobians."""
        old = self.unknowns[rows]
        step = _solve_stacked(jacobian, residual)
        size = self._longest_step(old, step)
        merit = np.linalg.norm(residual, axis=1)
        new = self._move(old, step, size)
        residual, jacobian = self._evaluate(rows, new)
        for _ in range(MAX_HALVINGS):
            worse = np.flatnonzero(~(np.linalg.norm(residual, axis=1) <= merit))
            if not len(worse):
                break
            size[worse] *= 0.5
            new[worse] = self._move(old[worse], step[worse], size[worse])
            residual[worse], jacobian[worse] = self._evaluate(rows[worse], new[worse])
        self.unknowns[rows] = new
        self.falling[rows] = old[:, -1] + step[:, -1] < 0.0
        return residual, jacobian

    def _move(self, old, step, size):
        r"""Return old + size * step, but let no step take more than 90 % of $\rho$."""
        new = old + size[:, None] * step
        new[:, -1] = np.maximum(new[:, -1], 0.1 * old[:, -1])
        return new

    def _longest_step(self, old, step):
        """Allow no move beyond the reach, and no loss of more than 90 % of s."""
        d = self.arms.shape[1]
        length = np.linalg.norm(step[:, :d], axis=1)
        size = np.minimum(1.0, self.set.reach / np.maximum(length, 1e-300))
        loss = -step[:, d] / old[:, d]
        return np.minimum(size, 0.9 / np.maximum(loss, 0.9))

    def _update_active_set(self, rows, residual, jacobian):
        r"""Drop or add the ball constraint; return which rows changed (m,).

        It is dropped when $\rho$ has become negligible beside $s\|x\|/S$ and the step would make it
        negative, not at the first such step: where the plays do not span the space, $\rho = 0$
        makes the system singular. When it is added, theta returns to the sphere with a sizeable
        $\rho$.
        """
        if self.set.radius is None:
            return np.zeros(len(rows), dtype=bool)
        d, S = self.arms.shape[1], self.set.radius
        unknowns, active = self.unknowns[rows], self.active[rows]
        full = unknowns[:, d] * self.lengths[rows] / S
        norms = np.linalg.norm(unknowns[:, :d], axis=1)
        leaves = active & self.falling[rows] & (unknowns[:, d + 1] < NEGLIGIBLE_RHO * full)
        hits = ~active & (norms > S * (1.0 + SPHERE_TOLERANCE))
        unknowns[leaves, d + 1] = 0.0
        unknowns[hits, d + 1] = RHO_SHARE * full[hits]
        unknowns[hits, :d] *= (S / norms[hits])[:, None]
        self.unknowns[rows] = unknowns
        self.active[rows] = (active & ~leaves) | hits
        changed = leaves | hits
        if changed.any():
            residual[changed], jacobian[changed] = self._evaluate(rows[changed], unknowns[changed])
        return changed


def _distance_to_sphere(centre, p, radius):
    r"""Return the a > 0 with $\|c + ap\| = S$ for each row of ``p`` (m, d)."""
    pp = np.einsum("kd,kd->k", p, p)
    cp = p @ centre
    gap = np.maximum(radius**2 - centre @ centre, 0.0)
    return (np.sqrt(cp**2 + pp * gap) - cp) / pp


def _solve_stacked(jacobian, residual):
    try:
        return -np.linalg.solve(jacobian, residual[..., None])[..., 0]
    except np.linalg.LinAlgError:
        return -(np.linalg.pinv(jacobian) @ residual[..., None])[..., 0]
