r"""Maximising linear functions over level sets of a likelihood.

The confidence sets of OFUGLB (Lee et al. 2024) and OFULog-r (Abeille et al. 2021) are
$$\mathcal C = \{\theta\in\Theta : \psi(\theta) \le \beta^2\},\qquad
  \psi(\theta) = \mathcal L(\theta) - \mathcal L(\hat\theta),$$
with $\Theta$ a ball or the whole space. The problem $\max_{\theta\in\mathcal C} x^\top\theta$ is
convex, so its optimality conditions are sufficient: unknowns $(\theta, s, \rho)$ with
$$\nabla\mathcal L(\theta) + \rho\theta = s x,\qquad \sqrt{\psi(\theta)} = \beta,\qquad
  \rho = 0 \ \text{ or }\ \|\theta\| = S .$$
The default solver is Newton's method on this system for several x at once. The root of psi makes
the second equation nearly linear. `maximise_by_slsqp` is the generic solver of the public codes,
kept for comparison and as an oracle.
"""

import math

import numpy as np

from optimist.numerics.likelihood import Likelihood, minimise

MAX_NEWTON_STEPS = 30
MAX_HALVINGS = 6
# A row that gains less than a tenth in this many steps is stuck and left to the dual.
STALLED_STEPS = 3
RESIDUAL_TOLERANCE = 1e-9
SPHERE_TOLERANCE = 1e-10
JITTER = 1e-6
CROSSING_STEPS = 3
BOUND_SWEEPS = 3
BOUND_MIXTURES = np.linspace(0.0, 1.0, 9)
FIRST_BATCH = 4
LOG_S_RANGE = (-20.0, 40.0)
RHO_SHARE = 0.3
STALE_RESIDUAL = 0.5
NEGLIGIBLE_RHO = 1e-3


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
    solutions : dict or None
        Last solutions by arm, which Newton's method starts from and puts its own in. Worth keeping
        where arms come again in the next round.

    Attributes
    ----------
    fallbacks : int
        Number of maximisations that needed the one-dimensional dual.
    best_value : float
        The maximum over arms and the set that `best_arm` found last.
    """

    def __init__(self, likelihood, centre, level, radius, solutions=None):
        self.likelihood = likelihood
        self.centre = centre
        self.level = level
        self.beta = math.sqrt(level)
        self.radius = radius
        self.minimum, _, hessian = likelihood.at(centre)
        self.hessian = hessian + JITTER * np.eye(len(centre))
        self.solutions = solutions
        self.fallbacks = 0
        self.best_value = -math.inf

    @property
    def reach(self):
        r"""Bound on the distance of any member from the centre.

        In the ball it is S plus the norm of the centre, which need not lie inside; with a ridge
        alone, $\psi\ge\frac\lambda2\|\cdot\|^2$.
        """
        if self.radius is None:
            return math.sqrt(2.0 * self.level / self.likelihood.ridge)
        return self.radius + math.sqrt(self.centre @ self.centre)

    def excess(self, thetas):
        """Return psi at the rows of ``thetas`` (m, d), as (m,)."""
        return self.likelihood.values(thetas) - self.minimum

    def contains(self, thetas):
        """Return for each row of ``thetas`` (m, d) whether it lies in the set."""
        inside = self.excess(thetas) <= self.level
        if self.radius is None:
            return inside
        return inside & (np.linalg.norm(thetas, axis=1) <= self.radius * (1.0 + SPHERE_TOLERANCE))

    def upper_bounds(self, arms):
        r"""Bound $\max_{\theta\in\mathcal C}x^\top\theta$ from above for each row of ``arms`` (K, d).

        The set lies in an ellipsoid $\|\theta-\hat\theta\|_B \le w$ and, with a ball, in every
        ellipsoid $v\|\theta-\hat\theta\|_B^2/w^2 + (1-v)\|\theta\|^2/S^2 \le 1$, $0\le v\le1$; the
        bound is the least over a few v.
        """
        B = self._quadratic_minorant()
        Q = B / (self.level + JITTER * self.reach**2)
        if self.radius is None:
            norms = np.sqrt(np.einsum("kd,dk->k", arms, np.linalg.solve(Q, arms.T)))
            return arms @ self.centre + norms
        v = BOUND_MIXTURES[:, None, None]
        M = v * Q + (1.0 - v) / self.radius**2 * np.eye(len(B))
        pull = BOUND_MIXTURES[:, None] * (Q @ self.centre)
        inverse = np.linalg.inv(M)
        centres = np.einsum("vde,ve->vd", inverse, pull)
        offset = BOUND_MIXTURES * (self.centre @ Q @ self.centre)
        slack = np.maximum(1.0 - offset + np.einsum("vd,vd->v", pull, centres), 0.0)
        squares = np.einsum("vkd,kd->vk", arms @ inverse, arms)
        return (centres @ arms.T + np.sqrt(slack[:, None] * squares)).min(axis=0)

    def _quadratic_minorant(self):
        r"""Return B (d, d) with $\psi(\theta) \ge \|\theta-\hat\theta\|^2_B$ on the set, plus jitter.

        Self-concordance bounds the loss of observation s from below by a quadratic whose factor
        falls with $D_s \ge |x_s^\top(\theta-\hat\theta)|$. The reach bounds all $D_s$; the
        resulting B bounds each of them better, which gives a larger B, and so on.
        """
        likelihood, reach = self.likelihood, self.reach
        X, link, d = likelihood.history.features, likelihood.link, len(self.centre)
        weights = link.slope(X @ self.centre) * likelihood.history.weights / link.dispersion
        moves = np.full(len(X), reach)
        for sweep in range(BOUND_SWEEPS):
            factors = _curvature_left(link.self_concordance * moves)
            B = ((weights * factors) @ likelihood.history.products).reshape(d, d)
            B += (0.5 * likelihood.ridge + JITTER) * np.eye(d)
            if sweep < BOUND_SWEEPS - 1:
                norms = np.sqrt(np.einsum("nd,nd->n", X @ np.linalg.inv(B), X))
                width = math.sqrt(self.level + JITTER * reach**2)
                moves = np.minimum(moves, width * norms)
        return B

    def best_arm(self, arms, maximise, prune=True):
        """Return the index of the arm (K, d) with the largest maximum over the set.

        ``maximise`` maps (level set, arms) to values. With ``prune``, arms are solved in batches in
        the order of their upper bounds until no bound can beat the best value; this is exact.
        """
        if not prune:
            values = maximise(self, arms)
        else:
            values = self._values_where_needed(arms, maximise)
        self.best_value = float(values.max())
        return int(np.argmax(values))

    def reaches_tip(self, x):
        r"""Return whether the last maximum is that of the ball alone, at $Sx/\|x\|$ for ``x`` (d,)."""
        if self.radius is None:
            return False
        return self.best_value >= self.radius * float(np.linalg.norm(x)) * (1.0 - 1e-12)

    def _values_where_needed(self, arms, maximise):
        values = np.full(len(arms), -np.inf)
        bounds = self.upper_bounds(arms)
        order = np.argsort(-bounds, kind="stable")
        best = -np.inf
        first, size = 0, FIRST_BATCH
        while first < len(arms) and best < bounds[order[first]]:
            batch = order[first : first + size]
            values[batch] = maximise(self, arms[batch])
            best = values.max()
            first, size = first + size, 2 * size
        return values


def maximise_by_kkt(level_set, arms):
    r"""Return $\max_{\theta\in\mathcal C} x^\top\theta$ for each row x of ``arms`` (K, d)."""
    values = np.empty(len(arms))
    hard = np.arange(len(arms))
    if level_set.radius is not None:
        lengths = np.linalg.norm(arms, axis=1)
        values = level_set.radius * lengths
        hard = np.flatnonzero(lengths > 0.0)
        tips = arms[hard] * (level_set.radius / lengths[hard, None])
        hard = hard[level_set.excess(tips) > level_set.level]
    if len(hard):
        thetas, converged = _OptimalitySystem(level_set, arms[hard]).solve()
        for i in np.flatnonzero(~converged):
            thetas[i] = _solve_by_dual(level_set, arms[hard[i]])
        values[hard] = np.einsum("kd,kd->k", arms[hard], thetas)
    return values


class _OptimalitySystem:
    """Newton iterates (theta, s, rho) of the optimality conditions, one row per arm."""

    def __init__(self, level_set, arms):
        self.set = level_set
        self.arms = arms  # (m, d)
        self.lengths = np.linalg.norm(arms, axis=1)
        m, d = arms.shape
        self.unknowns = np.zeros((m, d + 2))  # theta, s, rho
        self.active = np.zeros(m, dtype=bool)  # ball constraint
        cold = self._recall()
        if len(cold):
            self._start(cold)

    def _recall(self):
        """Start from earlier solutions of the same arms; return the rows without a useful one."""
        known = self.set.solutions
        if not known:
            return np.arange(len(self.arms))
        useful = np.zeros(len(self.arms), dtype=bool)
        for row, x in enumerate(self.arms):
            solution = known.get(x.tobytes())
            if solution is not None:
                self.unknowns[row], self.active[row] = solution
                useful[row] = True
        warm = np.flatnonzero(useful)
        if len(warm):
            residual, _ = self._evaluate(warm, self.unknowns[warm])
            useful[warm] = np.linalg.norm(residual, axis=1) < STALE_RESIDUAL
        return np.flatnonzero(~useful)

    def _remember(self, converged):
        if self.set.solutions is not None:
            for row in np.flatnonzero(converged):
                solution = self.unknowns[row].copy(), bool(self.active[row])
                self.set.solutions[self.arms[row].tobytes()] = solution

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
        residual, jacobian = self._evaluate(pending, self.unknowns)
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

        It is dropped when $\rho$ has become negligible beside $s\|x\|/S$, not at the first negative
        step: where the plays do not span the space, $\rho = 0$ makes the system singular. When it is
        added, theta returns to the sphere with a sizeable $\rho$.
        """
        if self.set.radius is None:
            return np.zeros(len(rows), dtype=bool)
        d, S = self.arms.shape[1], self.set.radius
        unknowns, active = self.unknowns[rows], self.active[rows]
        full = unknowns[:, d] * self.lengths[rows] / S
        norms = np.linalg.norm(unknowns[:, :d], axis=1)
        leaves = active & (unknowns[:, d + 1] < NEGLIGIBLE_RHO * full)
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


def _curvature_left(u):
    r"""Return $\int_0^1(1-v)e^{-uv}dv = (e^{-u}-1+u)/u^2$, which is 1/2 at u = 0."""
    safe = np.maximum(u, 1e-3)
    return np.where(u < 1e-3, 0.5 - u / 6.0, (np.expm1(-safe) + safe) / safe**2)


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


def _solve_by_dual(level_set, x):
    """Maximise for one arm that Newton's method left; count it and keep the solution."""
    theta, s = maximise_by_dual(level_set, x)
    level_set.fallbacks += 1
    if level_set.solutions is not None:
        active, rho = False, 0.0
        if level_set.radius is not None:
            active = math.sqrt(theta @ theta) >= level_set.radius * (1.0 - SPHERE_TOLERANCE)
            gradient = level_set.likelihood.gradients(theta[None])[0]
            rho = max(float((s * x - gradient) @ theta) / level_set.radius**2, 0.0) * active
        level_set.solutions[x.tobytes()] = np.array([*theta, s, rho]), active
    return theta


def maximise_by_dual(level_set, x):
    r"""Maximise $x^\top\theta$ by a root search in s; return theta (d,) and s.

    $\theta(s) = \arg\min_\Theta \mathcal L(\theta) - s\,x^\top\theta$ has non-decreasing
    $\psi(\theta(s))$, and the answer has $\psi = \beta^2$. Raises LinAlgError where rounding or
    numbers that are not finite leave no such s.
    """
    from scipy.optimize import brentq

    base = level_set.likelihood
    theta = level_set.centre

    def gap(log_s):
        nonlocal theta
        tilted = Likelihood(base.link, base.history, base.ridge, tilt=math.exp(log_s) * x)
        theta, _ = minimise(tilted, theta, level_set.radius)
        return math.sqrt(max(level_set.excess(theta[None])[0], 0.0)) - level_set.beta

    low, high = LOG_S_RANGE[0], 0.0
    while gap(high) < 0.0 and high < LOG_S_RANGE[1]:
        low, high = high, high + 3.0
    if not gap(low) < 0.0 <= gap(high):
        raise np.linalg.LinAlgError("the level set has no boundary in the direction of an arm")
    s = brentq(gap, low, high, xtol=1e-11)
    gap(s)
    return theta, math.exp(s)


def maximise_by_slsqp(level_set, arms, tolerance=1e-5):
    r"""Return $\max_{\theta\in\mathcal C} x^\top\theta$ for each arm (K, d) by scipy's SLSQP.

    One solve per arm from the centre, with the constraints and gradients of the public codes.
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
        square = level_set.radius**2
        constraints.append(
            {
                "type": "ineq",
                "fun": lambda theta: square - theta @ theta,
                "jac": lambda theta: -2.0 * theta,
            }
        )
    solution = minimize(
        lambda theta: -(x @ theta),
        level_set.centre,
        jac=lambda theta: -x,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": tolerance},
    )
    return float(x @ solution.x)
