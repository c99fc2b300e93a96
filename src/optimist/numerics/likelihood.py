r"""Negative log-likelihoods of generalized linear models and their minimisers.

For rows $x_i$, weights $n_i$ and $b = \sum_s r_s X_s$, a sum over all plays,
$$\mathcal L(\theta) = \frac1g\Big(\sum_i n_i\,m(x_i^\top\theta) - b^\top\theta\Big)
  + \frac\lambda2\|\theta\|^2 .$$
Rewards enter only through b. A raw history has one row per round and unit weights; an aggregated
history has one row per distinct arm, weighted by its number of plays. Both give the same function.
"""

import math
from typing import Any

import numpy as np

from optimist.core.errors import one_of
from optimist.numerics.ball import minimise_quadratic
from optimist.numerics.growing import GrowingArray
from optimist.numerics.linear import add_to_diagonal, dots, made_definite, norms
from optimist.numerics.links import Link

HISTORIES = ("raw", "aggregated")
# Hessians are singular until the plays span the space, so the larger of JITTER and ROUNDING times
# the trace is added to their diagonals.
JITTER = 1e-9
ROUNDING = 1e-14
MAX_NEWTON_STEPS = 100
DECREMENT_TOLERANCE = 1e-12


class History:
    """An algorithm's plays, and the sum b of their features times their rewards.

    Parameters
    ----------
    dimension : int
    mode : {"raw", "aggregated"}
        "raw" stores one row per round. "aggregated" stores one row per distinct arm, and requires
        an arm set that never changes.

    Raises
    ------
    ConfigError
        If ``mode`` is neither "raw" nor "aggregated".
    """

    def __init__(self, dimension: int, mode: str = "raw") -> None:
        self.mode = one_of("history", mode, HISTORIES)
        self.dimension = dimension
        self.plays = 0
        self.longest = 0.0  # largest norm of a row
        self.reward_sum = np.zeros(dimension)  # b
        self._row_of_arm: dict[int, int] = {}
        self._features = GrowingArray(dimension)
        self._products = GrowingArray(dimension * dimension)
        self._weights = GrowingArray()

    @property
    def features(self) -> np.ndarray:
        """The rows x_i, as an array of shape (n, d)."""
        return self._features.values

    @property
    def products(self) -> np.ndarray:
        """The matrices x_i x_i^T, each flattened into one row of an array of shape (n, d * d).

        With this array, a Hessian takes a single matrix product.
        """
        return self._products.values

    @property
    def weights(self) -> np.ndarray:
        """Number of plays of each row, as an array of shape (n,)."""
        return self._weights.values

    @property
    def nbytes(self) -> int:
        """Number of bytes in use, excluding reserved memory."""
        columns = self.reward_sum, self._features, self._products, self._weights
        return sum(column.nbytes for column in columns) + 16 * len(self._row_of_arm)

    def append(self, index: int, x: np.ndarray, reward: float) -> None:
        """Add a play of arm ``index`` with features ``x`` (d,) and the given ``reward``."""
        self.plays += 1
        self.reward_sum += reward * x
        row = self._row_of_arm.get(index) if self.mode == "aggregated" else None
        if row is not None:
            self.weights[row] += 1.0
            return
        if self.mode == "aggregated":
            self._row_of_arm[index] = len(self._weights)
        self.longest = max(self.longest, math.sqrt(x @ x))
        self._features.append(x)
        self._products.append(np.multiply.outer(x, x).ravel())
        self._weights.append(1.0)

    def extend(self, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Add plays with features ``rows`` (n, d) and ``rewards`` (n,) to a raw history."""
        n = len(rows)
        self._features.extend(rows)
        self._products.extend((rows[:, :, None] * rows[:, None, :]).reshape(n, -1))
        self._weights.extend(np.ones(n))
        self.longest = max(self.longest, float(norms(rows).max(initial=0.0)))
        self.reward_sum += rewards @ rows
        self.plays += n


class Likelihood:
    """The penalised negative log-likelihood of a history, for one or several parameter vectors.

    Parameters
    ----------
    link : optimist.numerics.links.Link
    history : History
    ridge : float
        lambda; the penalty is lambda / 2 times the squared norm.
    tilt : (d,) array or float
        The vector c of an additional linear term -c^T theta.
    """

    def __init__(self, link: Link, history: History, ridge: float = 0.0, tilt: Any = 0.0) -> None:
        self.link = link
        self.history = history
        self.ridge = ridge
        self.linear = history.reward_sum / link.dispersion + tilt

    def values(self, thetas: np.ndarray) -> np.ndarray:
        """Return L at each row of ``thetas`` (m, d), as an array of shape (m,)."""
        m = self.link.log_partition(thetas @ self.history.features.T)
        fit = m @ self.history.weights / self.link.dispersion - thetas @ self.linear
        return fit + 0.5 * self.ridge * dots(thetas, thetas)

    def gradients(self, thetas: np.ndarray) -> np.ndarray:
        """Return the gradients (m, d) of L at the rows of ``thetas`` (m, d)."""
        mu = self.link.mean(thetas @ self.history.features.T) * self.history.weights
        return mu @ self.history.features / self.link.dispersion - self.linear + self.ridge * thetas

    def derivatives(self, thetas: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return values (m,), gradients (m, d) and Hessians (m, d, d) at the rows of ``thetas``."""
        history, g = self.history, self.link.dispersion
        m, mu, slope = self.link.jet(thetas @ history.features.T)
        d = history.dimension
        if history.mode == "aggregated":
            mu, slope = mu * history.weights, slope * history.weights
        values = m @ history.weights / g - thetas @ self.linear
        gradients = mu @ history.features / g - self.linear
        hessians = (slope @ history.products).reshape(-1, d, d) / g
        if self.ridge:
            values = values + 0.5 * self.ridge * dots(thetas, thetas)
            gradients += self.ridge * thetas
            add_to_diagonal(hessians, self.ridge)
        return values, gradients, hessians

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return value, gradient (d,) and Hessian (d, d) at one ``theta`` (d,)."""
        value, gradient, hessian = self.derivatives(theta[None])
        return float(value[0]), gradient[0], hessian[0]


def minimise(likelihood: Likelihood, start: np.ndarray, radius: float | None = None) -> Any:
    r"""Minimise a likelihood over $\mathbb R^d$ or over the ball of ``radius``, by Newton's method.

    Each step goes towards the minimiser of the local quadratic model (over the ball, if any), with
    Armijo backtracking. The last step is a full step whose predicted decrease is below 1e-12 of the
    value. The error before this step is about 1e-6, and the step squares it.

    Parameters
    ----------
    likelihood : Likelihood
    start : (d,) array
        A point outside the ball is first scaled onto the sphere.
    radius : float or None
        S if the domain is a ball; None if it is the whole space.

    Returns
    -------
    theta : (d,) array
    converged : bool
    """
    length = float(np.linalg.norm(start))
    theta = start if radius is None or length <= radius else start * (radius / length)
    theta, _, step, converged = _descend(likelihood, theta, likelihood.at(theta), radius)
    return theta + step, converged


def descend(
    likelihood: Likelihood, theta: np.ndarray, derivatives: Any, radius: float | None = None
) -> Any:
    """Minimise a likelihood as `minimise` does, from a point with known derivatives.

    Parameters
    ----------
    likelihood : Likelihood
    theta : (d,) array
        Starting point, in the domain.
    derivatives : tuple of float, (d,) and (d, d) arrays
        Value, gradient and Hessian at the start.
    radius : float or None
        S if the domain is a ball; None if it is the whole space.

    Returns
    -------
    theta : (d,) array
    derivatives : tuple
        Derivatives at theta.
    converged : bool
    """
    theta, derivatives, step, converged = _descend(likelihood, theta, derivatives, radius)
    if step.any():
        theta = theta + step
        derivatives = likelihood.at(theta)
    return theta, derivatives, converged


def _descend(likelihood, theta, derivatives, radius):
    """Return the last iterate, the derivatives there, the last step, and ``converged``.

    The last step is not taken, because the caller may not need the derivatives after it.
    """
    value, gradient, hessian = derivatives
    none = np.zeros_like(theta)
    for _ in range(MAX_NEWTON_STEPS):
        H = made_definite(hessian, JITTER, ROUNDING)
        step = _newton_step(theta, gradient, H, radius)
        slope = float(gradient @ step)
        if -slope <= DECREMENT_TOLERANCE * max(1.0, abs(value)):
            return theta, (value, gradient, hessian), step, True
        size = 1.0
        while True:
            candidate = theta + size * step
            new_value, new_gradient, new_hessian = likelihood.at(candidate)
            if new_value <= value + 1e-4 * size * slope:
                break
            size *= 0.5
            if size < 1e-10:  # no further decrease in floating point
                converged = -slope <= 1e-8 * max(1.0, abs(value))
                return theta, (value, gradient, hessian), none, converged
        theta, value, gradient, hessian = candidate, new_value, new_gradient, new_hessian
    return theta, (value, gradient, hessian), none, False


def ball_constraint(radius: float) -> dict[str, Any]:
    r"""Return the constraint $\|\theta\| \le S$ in the form required by scipy's SLSQP."""
    return {
        "type": "ineq",
        "fun": lambda theta: radius**2 - theta @ theta,
        "jac": lambda theta: -2.0 * theta,
    }


def minimise_by_slsqp(
    likelihood: Likelihood, start: np.ndarray, radius: float | None = None, tolerance: float = 1e-5
) -> Any:
    """Minimise a likelihood with scipy's SLSQP, as in public code.

    Parameters
    ----------
    likelihood, start, radius
        As in `minimise`, except that ``start`` is not scaled.
    tolerance : float
        SLSQP's ``ftol``.

    Returns
    -------
    theta : (d,) array
    converged : bool
    """
    from scipy.optimize import minimize

    solution = minimize(
        lambda theta: likelihood.values(theta[None])[0],
        start,
        jac=lambda theta: likelihood.gradients(theta[None])[0],
        constraints=[] if radius is None else [ball_constraint(radius)],
        method="SLSQP",
        options={"ftol": tolerance},
    )
    return solution.x, bool(solution.success)


def _newton_step(theta, gradient, H, radius):
    """Return the step (d,) from ``theta`` to the minimiser of the quadratic model."""
    if radius is None:
        return -np.linalg.solve(H, gradient)
    return minimise_quadratic(H, H @ theta - gradient, radius)[0] - theta
