r"""Adaptive Huber regression with a ridge penalty, over a ball.

The objective, minimised over $\|\theta\|\le S$, is
$$F(\theta) = \tfrac\lambda2\|\theta\|^2 + \sum_s f_{\tau_s}(y_s - a_s^\top\theta),\qquad
  f_\tau(z) = \begin{cases} z^2/2 & |z|\le\tau\\ \tau|z|-\tau^2/2 & \text{else.}\end{cases}$$
An observation whose residual exceeds its threshold in absolute value is clipped: the derivative of
its loss is $\pm\tau_s$, whatever the size of the residual. A reward larger than
$\tau_s + S\|a_s\|$ in absolute value is clipped everywhere in the ball, so it is replaced by
$\pm(\tau_s + S\|a_s\|)$. This changes F only by a constant. It also keeps very large numbers out of
the sums, where they would swamp the other terms. As long as the set C of clipped observations and
their signs do not change, F is the quadratic
$$\tfrac12\theta^\top H_C\theta - b_C^\top\theta + \text{const},\qquad
  H_C = \lambda I + \sum_{s\notin C}a_sa_s^\top,\quad
  b_C = \sum_{s\notin C}y_sa_s + \sum_{s\in C}\pm\tau_sa_s .$$
"""

import math
from typing import Any

import numpy as np

from optimist.numerics.ball import minimise_quadratic
from optimist.numerics.growing import GrowingTable
from optimist.numerics.likelihood import ball_constraint
from optimist.numerics.linear import made_definite

MAX_STEPS = 50
MAX_HALVINGS = 40
MAX_SWEEPS = 5000
MAX_GRADIENT_STEPS = 200_000
# Reweighting stops once the norm $\|\cdot\|_H$ of a step is at most this number.
SWEEP_TOLERANCE = 1e-8
JITTER = 1e-12
ROUNDING = 1e-14


class HuberRegression:
    r"""Scaled observations $(a_s, y_s)$ with thresholds $\tau_s$, and the objective F.

    Parameters
    ----------
    dimension : int
    ridge : float
        $\lambda$.
    radius : float
        S.

    Attributes
    ----------
    H : (d, d) array
        $\lambda I + \sum_s a_sa_s^\top$ over all observations.
    b : (d,) array
        $\sum_s y_sa_s$ over all observations. Large $y_s$ are replaced (see the module docstring).
    """

    def __init__(self, dimension: int, ridge: float, radius: float) -> None:
        self.ridge = ridge
        self.radius = radius
        self.H = ridge * np.eye(dimension)
        self.b = np.zeros(dimension)
        self._table = GrowingTable(dimension + 2)
        # From the last call to `clipped`: theta, the number of observations, and the result.
        self._last: Any = None, 0, (np.empty(0, dtype=int), np.empty(0))

    @property
    def nbytes(self) -> int:
        """Number of bytes in use."""
        return self._table.nbytes + self.H.nbytes + self.b.nbytes

    @property
    def observations(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The a_s as the columns of a (d, n) array, the y_s (n,) and the tau_s (n,)."""
        values = self._table.values
        return values[:-2], values[-2], values[-1]

    def append(self, a: np.ndarray, y: float, tau: float) -> None:
        """Add features ``a`` (d,), reward ``y`` and threshold ``tau``, all in units of sigma."""
        edge = tau + self.radius * math.sqrt(a @ a)
        y = min(max(y, -edge), edge)
        column = self._table.new_column()
        column[:-2], column[-2], column[-1] = a, y, tau
        self.H += np.multiply.outer(a, a)
        self.b += y * a

    def clipped(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the indices (c,) and signs (c,) of the observations clipped at ``theta`` (d,).

        If the last call had the same array, only observations added since then are examined.
        """
        point, old, (indices, signs) = self._last
        if point is not theta:
            old, indices, signs = 0, indices[:0], signs[:0]
        a, y, tau = (values[..., old:] for values in self.observations)
        z = y - theta.dot(a)
        new = np.flatnonzero(np.abs(z) > tau)
        if len(new):
            indices = np.concatenate([indices, old + new])
            signs = np.concatenate([signs, np.sign(z[new])])
        self._last = theta, old + len(z), (indices, signs)
        return indices, signs

    def value(self, theta: np.ndarray) -> float:
        """Return F at ``theta`` (d,)."""
        a, y, tau = self.observations
        z = y - theta @ a
        pull = np.clip(z, -tau, tau)
        # f_tau(z) = c (z - c / 2), where c is z clipped to [-tau, tau].
        return 0.5 * self.ridge * float(theta @ theta) + float(pull @ (z - 0.5 * pull))

    def gradient(self, theta: np.ndarray) -> np.ndarray:
        """Return the gradient (d,) of F at ``theta`` (d,), in one pass over the data."""
        a, y, tau = self.observations
        return self.ridge * theta - a @ np.clip(y - theta @ a, -tau, tau)

    def minimise_with(self, clipped: Any) -> np.ndarray:
        """Return the minimiser (d,) over the ball of the quadratic for a given clipped set.

        Parameters
        ----------
        clipped : tuple
            Indices and signs, as returned by `clipped`.
        """
        indices, signs = clipped
        H, b = self.H, self.b
        if len(indices):
            a, y, tau = self.observations
            if 2 * len(indices) <= len(y):
                out = a[:, indices]
                H, b = H - out @ out.T, b - out @ y[indices]
            else:  # summing over the few unclipped observations is cheaper
                inside = np.ones(len(y), dtype=bool)
                inside[indices] = False
                kept = a[:, inside]
                H, b = self.ridge * np.eye(len(a)) + kept @ kept.T, kept @ y[inside]
            b = b + a[:, indices] @ (tau[indices] * signs)
            H = made_definite(H, JITTER, ROUNDING)
        return minimise_quadratic(H, b, self.radius)[0]

    def reweighted(self, theta: np.ndarray) -> np.ndarray:
        r"""Return the minimiser (d,) over the ball of a quadratic upper bound on F.

        The bound touches F at ``theta`` (d,). It weights the squared residual of observation s by
        $\min(1, \tau_s/|z_s|)$, where $z_s$ is the residual at ``theta``.
        """
        a, y, tau = self.observations
        weights = np.minimum(1.0, tau / np.maximum(np.abs(y - theta @ a), 1e-300))
        weighted = a * weights
        H = self.ridge * np.eye(len(theta)) + weighted @ a.T
        return minimise_quadratic(H, weighted @ y, self.radius)[0]


def solve_newton(regression: HuberRegression, start: np.ndarray, accuracy: float) -> Any:
    """Run the semismooth Newton method from ``start``.

    For a fixed clipped set, F is quadratic, and a step leads to its minimiser. If the clipped set
    is the same there, this point is the exact minimiser of F. Otherwise, the step is halved until F
    decreases, because Newton's method on a piecewise quadratic may cycle.

    Parameters
    ----------
    regression : HuberRegression
    start : (d,) array
    accuracy : float
        Ignored; see `solve_by_gradient`.

    Returns
    -------
    theta : (d,) array
    converged : bool
    """
    theta, clipped = start, regression.clipped(start)
    value = None
    for _ in range(MAX_STEPS):
        target = regression.minimise_with(clipped)
        there = regression.clipped(target)
        if _same(there, clipped):
            return target, True
        value = regression.value(theta) if value is None else value
        point, below = _descend(regression, theta, value, target)
        if point is None:  # no decrease: theta is the minimiser up to rounding
            return theta, True
        clipped = there if point is target else regression.clipped(point)
        theta, value = point, below
    return theta, False


def _same(a, b):
    if len(a[0]) != len(b[0]):
        return False
    return len(a[0]) == 0 or (np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1]))


def _descend(regression, theta, value, target):
    """Return a point between ``theta`` and ``target`` at which F is below ``value``, and F there.

    ``target`` itself is tried first. If no such point is found, return None and ``value``.
    """
    point, share = target, 1.0
    for _ in range(MAX_HALVINGS):
        there = regression.value(point)
        if there < value:
            return point, there
        share *= 0.5
        point = theta + share * (target - theta)
    return None, value


def solve_by_reweighting(regression: HuberRegression, start: np.ndarray, accuracy: float) -> Any:
    """Run iteratively reweighted ridge regression from ``start``.

    This method is slow but reliable, and serves as a cross-check.

    Parameters and return values are as in `solve_newton`.
    """
    theta = start
    for _ in range(MAX_SWEEPS):
        new = regression.reweighted(theta)
        move = new - theta
        theta = new
        if math.sqrt(move @ regression.H @ move) <= SWEEP_TOLERANCE:
            return theta, True
    return theta, False


def solve_by_gradient(regression: HuberRegression, start: np.ndarray, accuracy: float) -> Any:
    r"""Run projected gradient descent from ``start``.

    The step size is $1/\Lambda$ with $\Lambda = \lambda_{\max}(H)$.

    Parameters
    ----------
    regression, start
        As in `solve_newton`.
    accuracy : float
        The method stops once $\Lambda\|\theta^+-\theta\|$, the norm of the gradient mapping, is at
        most this number.

    Returns
    -------
    theta : (d,) array
    converged : bool
    """
    theta = start
    smoothness = float(np.linalg.eigvalsh(regression.H)[-1])
    for _ in range(MAX_GRADIENT_STEPS):
        new = theta - regression.gradient(theta) / smoothness
        new *= min(1.0, regression.radius / math.sqrt(new @ new + 1e-300))
        move = math.sqrt((new - theta) @ (new - theta))
        theta = new
        if smoothness * move <= accuracy:
            return theta, True
    return theta, False


def solve_by_gradient_from_zero(
    regression: HuberRegression, start: np.ndarray, accuracy: float
) -> Any:
    """Run `solve_by_gradient` from the origin instead of ``start``."""
    return solve_by_gradient(regression, np.zeros_like(start), accuracy)


def solve_by_slsqp_in_a_loop(
    regression: HuberRegression, start: np.ndarray, accuracy: float
) -> Any:
    """Run scipy's SLSQP on a loss summed in a Python loop, as in public code.

    This solver is included to compare running times.

    Parameters and return values are as in `solve_newton`.
    """
    from scipy.optimize import minimize

    A, y, tau = regression.observations
    rows = list(zip(A.T.tolist(), y.tolist(), tau.tolist(), strict=True))

    def loss(theta):
        total, point = 0.5 * regression.ridge * float(theta @ theta), theta.tolist()
        for a, y, tau in rows:
            z = abs(y - sum(u * v for u, v in zip(a, point, strict=True)))
            total += 0.5 * z * z if z <= tau else tau * (z - 0.5 * tau)
        return total

    solution = minimize(
        loss, start, method="SLSQP", constraints=[ball_constraint(regression.radius)]
    )
    return solution.x, bool(solution.success)


# Each solver takes (regression, start, accuracy) and returns a minimiser (d,) and ``converged``.
SOLVERS = {
    "newton": solve_newton,
    "irls": solve_by_reweighting,
    "gd_warm": solve_by_gradient,
    "gd_cold": solve_by_gradient_from_zero,
    "slsqp_loop": solve_by_slsqp_in_a_loop,
}
