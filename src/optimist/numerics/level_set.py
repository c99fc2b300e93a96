r"""Maximising linear functions over level sets of a likelihood.

The confidence sets of OFUGLB (Lee et al. 2024) and OFULog-r (Abeille et al. 2021) are
$$\mathcal C = \{\theta\in\Theta : \psi(\theta) \le \beta^2\},\qquad
  \psi(\theta) = \mathcal L(\theta) - \mathcal L(\hat\theta),$$
with $\Theta$ a ball or the whole space. The problem $\max_{\theta\in\mathcal C} x^\top\theta$ is
convex, so its optimality conditions are sufficient: unknowns $(\theta, s, \rho)$ with
$$\nabla\mathcal L(\theta) + \rho\theta = s x,\qquad \sqrt{\psi(\theta)} = \beta,\qquad
  \rho = 0 \ \text{ or }\ \|\theta\| = S .$$
`maximise_by_kkt` solves them for several x at once (`optimist.numerics.optimality`);
`maximise_by_slsqp` is the generic solver of the public codes, kept for comparison and as an oracle.
"""

import math

import numpy as np

from optimist.numerics.likelihood import Likelihood, ball_constraint, minimise
from optimist.numerics.optimality import SPHERE_TOLERANCE, OptimalitySystem

JITTER = 1e-6
BOUND_SWEEPS = 3
BOUND_MIXTURES = np.linspace(0.0, 1.0, 9)
FIRST_BATCH = 4
LOG_S_RANGE = (-20.0, 40.0)


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

    Attributes
    ----------
    fallbacks : int
        Number of maximisations that needed the one-dimensional dual.
    failures : int
        Number of maximisations in which SLSQP reported no success.
    best_value : float
        The maximum over arms and the set that `best_arm` found last.
    """

    def __init__(self, likelihood, centre, level, radius, memory=None):
        self.likelihood = likelihood
        self.centre = centre
        self.level = level
        self.beta = math.sqrt(level)
        self.radius = radius
        self.minimum, _, hessian = likelihood.at(centre)
        self.hessian = hessian + JITTER * np.eye(len(centre))
        self.memory = memory
        self.fallbacks = 0
        self.failures = 0
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
        r"""Bound $\max_{\theta\in\mathcal C}x^\top\theta$ from above for each arm x (K, d).

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
        r"""Return B (d, d), jitter included, with $\psi(\theta) \ge \|\theta-\hat\theta\|^2_B$.

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
        if prune:
            values = self._values_where_needed(arms, maximise)
        else:
            values = maximise(self, arms)
        self.best_value = float(values.max())
        return int(np.argmax(values))

    def reaches_tip(self, x):
        r"""Return whether the last maximum, for arm ``x`` (d,), is the ball's, at $Sx/\|x\|$."""
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
        thetas, converged = OptimalitySystem(level_set, arms[hard]).solve()
        for i in np.flatnonzero(~converged):
            thetas[i] = _solve_by_dual(level_set, arms[hard[i]])
        values[hard] = np.einsum("kd,kd->k", arms[hard], thetas)
    return values


def _curvature_left(u):
    r"""Return $\int_0^1(1-v)e^{-uv}dv = (e^{-u}-1+u)/u^2$, which is 1/2 at u = 0."""
    safe = np.maximum(u, 1e-3)
    return np.where(u < 1e-3, 0.5 - u / 6.0, (np.expm1(-safe) + safe) / safe**2)


def _solve_by_dual(level_set, x):
    """Maximise for one arm that Newton's method left; count it and keep the solution."""
    theta, s = maximise_by_dual(level_set, x)
    level_set.fallbacks += 1
    if level_set.memory is not None:
        active, rho = False, 0.0
        if level_set.radius is not None:
            active = math.sqrt(theta @ theta) >= level_set.radius * (1.0 - SPHERE_TOLERANCE)
            gradient = level_set.likelihood.gradients(theta[None])[0]
            rho = max(float((s * x - gradient) @ theta) / level_set.radius**2, 0.0) * active
        length = math.sqrt(x @ x)
        unknowns = np.array([*theta, s * length, rho])
        level_set.memory.add(x[None] / length, unknowns[None], [active])
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
