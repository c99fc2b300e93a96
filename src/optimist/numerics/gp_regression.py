r"""Gaussian-process regression with hyper-parameters fitted to the data.

The covariance is $s\,k(x\oslash\ell,x'\oslash\ell)+\tau^2\mathbb 1[x=x']$, with a lengthscale
$\ell_j$ per coordinate; the mean is a constant c. For $C = sK+\tau^2I$ and $\alpha = C^{-1}(y-c)$,
the log-likelihood and its derivatives are
$$\log p = -\tfrac12(y-c)^\top\alpha-\tfrac12\log\det C-\tfrac n2\log2\pi,\qquad
  \partial\log p = \tfrac12\mathrm{tr}\{(\alpha\alpha^\top-C^{-1})\,\partial C\}.$$
The log-densities of the priors of $(\ell,s,\tau^2)$ are added to the log-likelihood. For given
$(\ell,s,\tau^2)$, the best c is $1^\top C^{-1}y / 1^\top C^{-1}1$.

Rasmussen and Williams (2006), "Gaussian Processes for Machine Learning", equations 2.30 and 5.9.
`fit` runs L-BFGS-B to convergence; `fit_by_adam` takes the same steps as the public code of
Eriksson et al. (2019), "Scalable Global Optimization via Local Bayesian Optimization".
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from optimist.numerics import compiled
from optimist.numerics.adam import Adam

ADAM_STEPS, ADAM_RATE = 50, 0.1
WORST = 1e25  # objective where the likelihood cannot be computed


class Flat:
    """A flat prior. Starting values are drawn log-uniformly between the bounds."""

    def log_density(self, log_theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the log-density at exp(``log_theta``), up to a constant, and its derivative.

        The derivative is with respect to ``log_theta``. Both arrays have shape (m,).
        """
        return np.zeros_like(log_theta), np.zeros_like(log_theta)

    def draw(self, rng: np.random.Generator, size: Any, low: float, high: float) -> np.ndarray:
        """Draw ``size`` values between ``low`` and ``high``, and return their logarithms."""
        return rng.uniform(math.log(low), math.log(high), size)


@dataclass(frozen=True)
class Gamma(Flat):
    r"""A gamma prior, with density proportional to $\theta^{a-1}e^{-b\theta}$.

    Attributes
    ----------
    shape, rate : float
        a and b.
    """

    shape: float
    rate: float

    def log_density(self, log_theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        theta = np.exp(log_theta)
        slope = (self.shape - 1.0) - self.rate * theta
        return (self.shape - 1.0) * log_theta - self.rate * theta, slope

    def draw(self, rng: np.random.Generator, size: Any, low: float, high: float) -> np.ndarray:
        draws = rng.gamma(self.shape, 1.0 / self.rate, size)
        return np.log(np.clip(draws, low, high))


@dataclass(frozen=True)
class LogNormal(Flat):
    r"""A log-normal prior, $\ln\theta\sim N(m,v)$; its density includes the factor $1/\theta$.

    Attributes
    ----------
    mean, variance : float
        m and v.
    """

    mean: float
    variance: float

    def log_density(self, log_theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = (log_theta - self.mean) / self.variance
        return -log_theta - 0.5 * self.variance * z * z, -1.0 - z

    def draw(self, rng: np.random.Generator, size: Any, low: float, high: float) -> np.ndarray:
        draws = rng.normal(self.mean, math.sqrt(self.variance), size)
        return np.clip(draws, math.log(low), math.log(high))


@dataclass(frozen=True)
class Hyper:
    """A hyper-parameter's bounds, starting value and prior.

    Attributes
    ----------
    low, high : float
        Positive bounds.
    start : float
        First starting value of the fit, between the bounds.
    prior : Flat
        An instance of `Flat` or a subclass.
    """

    low: float
    high: float
    start: float
    prior: Flat


@dataclass(frozen=True)
class Scheme:
    """A Gaussian process's hyper-parameters and how they are fitted.

    Attributes
    ----------
    kernel : Kernel
        A stationary kernel with lengthscale 1.
    lengthscale, noise : Hyper
        Specifications of each coordinate's lengthscale and of the noise variance.
    amplitude : Hyper or None
        Specification of the amplitude s, or None to fix s at 1.
    free_mean : bool
        Whether to fit the mean c; otherwise, it is 0.
    draws : int
        Number of additional starting points, drawn from the priors.
    spare : bool
        Whether to stop at the first start that succeeds, instead of trying all starts and keeping
        the best result.
    """

    kernel: Any
    lengthscale: Hyper
    noise: Hyper
    amplitude: Hyper | None = None
    free_mean: bool = True
    draws: int = 0
    spare: bool = False

    def blocks(self, dimension: int) -> Any:
        """Return a list of (`Hyper`, slice) pairs, and the number p of hyper-parameters.

        Each slice selects the elements of a parameter vector (p,) specified by its `Hyper`.
        """
        kinds = [(self.lengthscale, dimension), (self.noise, 1)]
        if self.amplitude is not None:
            kinds.append((self.amplitude, 1))
        blocks, end = [], 0
        for kind, size in kinds:
            blocks.append((kind, slice(end, end + size)))
            end += size
        return blocks, end

    def starts(self, dimension: int, rng: np.random.Generator | None) -> np.ndarray:
        """Return the logarithms of the starting points, as an array of shape (1 + draws, p).

        Parameters
        ----------
        dimension : int
            d, the number of coordinates of a point.
        rng : Generator or None
            Random generator for all starts but the first; may be None if ``draws`` is 0.
        """
        blocks, size = self.blocks(dimension)
        points = np.empty((1 + self.draws, size))
        for kind, part in blocks:
            width = part.stop - part.start
            points[0, part] = math.log(kind.start)
            for row in points[1:]:
                row[part] = kind.prior.draw(rng, width, kind.low, kind.high)
        return points

    def bounds(self, dimension: int) -> np.ndarray:
        """Return the logarithms of the lower and upper bounds, as an array of shape (p, 2)."""
        blocks, size = self.blocks(dimension)
        bounds = np.empty((size, 2))
        for kind, part in blocks:
            bounds[part] = math.log(kind.low), math.log(kind.high)
        return bounds


def log_posterior(
    log_theta: np.ndarray, scheme: Scheme, X: np.ndarray, y: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the log-posterior of the hyper-parameters, up to a constant, and its gradient.

    Parameters
    ----------
    log_theta : (p,) array
        Logarithms of the lengthscales, the noise variance and, if fitted, the amplitude.
    scheme : Scheme
    X, y : (n, d) and (n,) arrays

    Raises
    ------
    LinAlgError
        If the covariance matrix is singular.
    """
    return _log_posterior(log_theta, scheme, X, y)[:2]


def _log_posterior(log_theta, scheme, X, y, mean=None):
    """Return the log-posterior, its gradient and its derivative with respect to c.

    All three are evaluated at c = ``mean``. If this is None, c is the best value for a scheme with
    a free mean, and 0 for other schemes.
    """
    lengthscales, noise, amplitude = _unpack(log_theta, scheme, X.shape[1])
    U = X / lengthscales
    K, S = scheme.kernel.with_slope(U, U)
    inverse, log_det = _inverse(amplitude * K, noise)
    if mean is None:
        mean = _best_mean(inverse, y) if scheme.free_mean else 0.0
    residual = y - mean
    alpha = inverse @ residual
    value = -0.5 * (residual @ alpha) - 0.5 * log_det - 0.5 * len(y) * math.log(2.0 * math.pi)
    M = np.outer(alpha, alpha) - inverse
    P = M * S
    gradient = np.empty(len(log_theta))
    # For each coordinate,
    # sum_ab P_ab (u_a - u_b)^2 = 2 sum_a (P 1)_a u_a^2 - 2 sum_a u_a (P u)_a.
    d = X.shape[1]
    gradient[:d] = amplitude * (P.sum(axis=1) @ (U * U) - np.einsum("aj,aj->j", U, P @ U))
    gradient[d] = 0.5 * noise * np.trace(M)
    if scheme.amplitude is not None:
        gradient[d + 1] = 0.5 * amplitude * np.vdot(M, K)
    for kind, part in scheme.blocks(d)[0]:
        densities, slopes = kind.prior.log_density(log_theta[part])
        value += float(densities.sum())
        gradient[part] += slopes
    return value, gradient, float(alpha.sum())


def _unpack(log_theta, scheme, dimension):
    theta = np.exp(log_theta)
    amplitude = 1.0 if scheme.amplitude is None else float(theta[dimension + 1])
    return theta[:dimension], float(theta[dimension]), amplitude


def _inverse(K, noise):
    """Return the inverse and the log-determinant of K + noise I."""
    C = K.copy()
    C.flat[:: len(C) + 1] += noise
    L, fault = compiled.lapack.dpotrf(C.T, lower=1, overwrite_a=1, clean=1)
    if fault:
        raise np.linalg.LinAlgError("the covariance matrix is singular")
    log_det = 2.0 * float(np.log(L.diagonal()).sum())
    inverse, _ = compiled.lapack.dpotri(L, lower=1, overwrite_c=1)
    inverse = inverse + inverse.T
    inverse.flat[:: len(C) + 1] *= 0.5
    return inverse, log_det


def _best_mean(inverse, y):
    weights = inverse.sum(axis=0)
    return float(weights @ y) / float(weights.sum())


def fit(
    scheme: Scheme, X: np.ndarray, y: np.ndarray, rng: np.random.Generator | None = None
) -> tuple["GaussianProcess", int]:
    """Return the fitted `GaussianProcess` and the number of starts that failed.

    Parameters
    ----------
    scheme : Scheme
    X, y : (n, d) and (n,) arrays
    rng : Generator or None
        Random generator for all starts but the first; may be None if ``scheme.draws`` is 0.
    """

    from scipy.optimize import minimize

    def objective(log_theta):
        try:
            value, gradient = log_posterior(log_theta, scheme, X, y)
        except np.linalg.LinAlgError:
            return WORST, np.zeros_like(log_theta)
        return -value, -gradient

    d = X.shape[1]
    bounds, starts = scheme.bounds(d), scheme.starts(d, rng)
    ends, failed = [], 0
    for start in starts:
        end = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
        if end.fun >= WORST:
            failed += 1
            continue
        ends.append(end)
        if scheme.spare:
            break
    best = min(ends, key=lambda end: end.fun).x if ends else starts[0]
    return GaussianProcess(scheme, X, y, best), failed


def fit_by_adam(scheme: Scheme, X: np.ndarray, y: np.ndarray) -> "GaussianProcess":
    r"""Return the `GaussianProcess` fitted by 50 Adam steps on the log-posterior divided by n.

    A hyper-parameter with bounds l and h is written as $l+(h-l)/(1+e^{-z})$. The steps update the
    mean c, starting from 0, and each hyper-parameter's z, starting from the value set by the
    scheme.

    Parameters
    ----------
    scheme : Scheme
        A scheme with a free mean and no additional starts.
    X, y : (n, d) and (n,) arrays

    Raises
    ------
    LinAlgError
        If a covariance matrix is singular.
    """
    d = X.shape[1]
    low, high = np.exp(scheme.bounds(d)).T
    start = np.exp(scheme.starts(d, None)[0])
    point = np.append(np.log((start - low) / (high - start)), 0.0)
    adam = Adam(point.shape, ADAM_RATE)
    for _ in range(ADAM_STEPS):
        point += adam.step(_within(point, low, high, scheme, X, y)[1] / len(y))
    theta = low + (high - low) * scipy.special.expit(point[:-1])
    return GaussianProcess(scheme, X, y, np.log(theta), float(point[-1]))


def _within(point, low, high, scheme, X, y):
    """Return the log-posterior and its gradient at ``point`` (p + 1,), which is z followed by c."""
    theta = low + (high - low) * scipy.special.expit(point[:-1])
    value, gradient, by_mean = _log_posterior(np.log(theta), scheme, X, y, point[-1])
    by_z = gradient * (theta - low) * (high - theta) / ((high - low) * theta)
    return value, np.append(by_z, by_mean)


class GaussianProcess:
    """The posterior of a function, given noisy values and fixed hyper-parameters.

    Parameters
    ----------
    scheme : Scheme
    X, y : (n, d) and (n,) arrays
    log_theta : (p,) array
        As in `log_posterior`.
    mean : float or None
        The mean c. By default, the best value if the scheme has a free mean, and 0 otherwise.
    """

    def __init__(
        self,
        scheme: Scheme,
        X: np.ndarray,
        y: np.ndarray,
        log_theta: np.ndarray,
        mean: float | None = None,
    ) -> None:
        self.kernel = scheme.kernel
        self.lengthscales, self.noise, self.amplitude = _unpack(log_theta, scheme, X.shape[1])
        self.U = X / self.lengthscales
        C = self.amplitude * self.kernel(self.U, self.U) + self.noise * np.eye(len(y))
        self.L = np.asfortranarray(np.linalg.cholesky(C))
        self.mean = 0.0 if mean is None else mean
        if scheme.free_mean and mean is None:
            weights = scipy.linalg.cho_solve((self.L, True), np.ones(len(y)))
            self.mean = float(weights @ y) / float(weights.sum())
        self.alpha = scipy.linalg.cho_solve((self.L, True), y - self.mean)

    def predict(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return posterior means and standard deviations (m,) at the rows of ``Z`` (m, d)."""
        k = self.amplitude * self.kernel(self.U, Z / self.lengthscales)
        half = scipy.linalg.solve_triangular(self.L, k, lower=True)
        variance = self.amplitude - np.einsum("nm,nm->m", half, half)
        return self.mean + self.alpha @ k, np.sqrt(np.maximum(variance, 1e-16))

    def predict_with_gradients(self, Z: np.ndarray) -> Any:
        """Return the results of `predict`, then the gradient (m, d) of each."""
        V = Z / self.lengthscales
        k, slope = self.kernel.with_slope(self.U, V)
        slope = self.amplitude * slope
        k = self.amplitude * k
        weights, _ = compiled.lapack.dpotrs(self.L, k, lower=1)
        variance = self.amplitude - np.einsum("nm,nm->m", k, weights)
        deviation = np.sqrt(np.maximum(variance, 1e-16))
        along_deviation = self._towards(weights * slope, V) / -deviation[:, None]
        along_mean = self._towards(self.alpha[:, None] * slope, V)
        return self.mean + self.alpha @ k, deviation, along_mean, along_deviation

    def _towards(self, weights, V):
        """Return the gradients (m, d) in z of weighted sums of k(u_a, v) over the data points a.

        Here v is z divided by the lengthscales. The gradient of k(u_a, v) is slope (u_a - v) /
        lengthscale, and ``weights`` (n, m) contains the weights times the slopes.
        """
        sums = weights.T @ self.U
        sums -= weights.sum(axis=0)[:, None] * V
        sums /= self.lengthscales
        return sums

    def draw(self, Z: np.ndarray, rng: np.random.Generator, *, noise: bool = True) -> np.ndarray:
        """Draw observations or function values at m points from their joint posterior.

        Parameters
        ----------
        Z : (m, d) array
            The points.
        rng : Generator
        noise : bool
            Whether to draw observations rather than function values.

        Raises
        ------
        LinAlgError
            If the covariance matrix of the points is singular.
        """
        V = Z / self.lengthscales
        k = self.amplitude * self.kernel(self.U, V)
        half = scipy.linalg.solve_triangular(self.L, k, lower=True)
        # C is symmetric, so the transpose only changes the memory order. From here on, only lower
        # triangles are used.
        C = self.kernel.gram(V).T
        dsyrk = compiled.blas.dsyrk
        C = dsyrk(-1.0, half, beta=self.amplitude, c=C, trans=1, lower=1, overwrite_c=1)
        # If points are close, rounding errors of about 1e-12 s would make C indefinite.
        C[np.diag_indices_from(C)] += self.noise if noise else 1e-8 * self.amplitude
        L, fault = compiled.lapack.dpotrf(C, lower=1, overwrite_a=1, clean=0)
        if fault:
            raise np.linalg.LinAlgError("the covariance matrix of the points is singular")
        deviations = compiled.blas.dtrmv(L, rng.standard_normal(len(Z)), lower=1)
        return self.mean + self.alpha @ k + deviations
