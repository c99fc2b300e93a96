r"""Acquisition functions for a Gaussian posterior with mean m and standard deviation v.

Let $y^+$ be the best observed value, $u = (m-y^+)/v$ and $h(u)=u\Phi(u)+\varphi(u)$. Then
$$\mathrm{EI} = v\,h(u),\qquad \mathrm{PI} = \Phi(u),\qquad \mathrm{UCB} = m+\sqrt\beta\,v .$$
Far below the best value, EI and PI underflow in double precision, but their logarithms do not. For
$u<-1$, $\log h(u) = \log\varphi(u)+\log\big(1-|u|\sqrt{\pi/2}\,\mathrm{erfcx}(|u|/\sqrt2)\big)$.
For $u<-10^3$, the last term is computed as $-2\log|u|-3/u^2$.

Each acquisition function returns its value and its derivatives with respect to m and v, all with
the shape of m and v.

Sources: Jones, Schonlau and Welch (1998) for EI, Kushner (1964) for PI, and Srinivas et al. (2010)
for UCB.
"""

import math

import numpy as np
import scipy

ROOT_HALF_PI = math.sqrt(math.pi / 2.0)
LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def log_h(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""Return $\log h(u)$ and its derivative $\Phi(u)/h(u)$, with the shape of ``u``."""
    if np.ndim(u) == 0:
        return _log_h_left(u) if u < -1.0 else _log_h_right(u)
    left = u < -1.0
    values = np.empty((2, *np.shape(u)))
    values[:, left] = _log_h_left(u[left])
    values[:, ~left] = _log_h_right(u[~left])
    return tuple(values)


def _log_h_right(u):
    below = scipy.special.ndtr(u)
    h = u * below + np.exp(-0.5 * u * u - LOG_ROOT_TWO_PI)
    return np.log(h), below / h


def _log_h_left(u):
    mills = ROOT_HALF_PI * scipy.special.erfcx(-u / math.sqrt(2.0))  # Phi / phi
    far = u < -1e3
    log_rest = np.where(
        far, -2.0 * np.log(-u) - 3.0 / (u * u), np.log1p(np.where(far, 0.0, u * mills))
    )
    return -0.5 * u * u - LOG_ROOT_TWO_PI + log_rest, mills * np.exp(-log_rest)


def log_expected_improvement(
    m: np.ndarray, v: np.ndarray, best: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the logarithm of the expected improvement over ``best``, and its derivatives.

    Parameters
    ----------
    m, v : arrays of the same shape
        Means and positive standard deviations.
    best : float
        $y^+$, in the units of m.

    Returns
    -------
    value, along_m, along_v : arrays of the same shape
    """
    u = (m - best) / v
    value, slope = log_h(u)
    return np.log(v) + value, slope / v, (1.0 - slope * u) / v


def expected_improvement(
    m: np.ndarray, v: np.ndarray, best: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the expected improvement over ``best`` and its derivatives.

    All three underflow to 0 if the mean is far below ``best``.

    Parameters and return values are as in `log_expected_improvement`.
    """
    u = (m - best) / v
    density = np.exp(-0.5 * u * u - LOG_ROOT_TWO_PI)
    return v * (u * scipy.special.ndtr(u) + density), scipy.special.ndtr(u), density


def log_probability_of_improvement(
    m: np.ndarray, v: np.ndarray, best: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the logarithm of the probability of improvement over ``best``, and its derivatives.

    Parameters and return values are as in `log_expected_improvement`.
    """
    u = (m - best) / v
    value = scipy.special.log_ndtr(u)
    left = np.minimum(u, 0.0)
    # The derivative of log Phi is phi / Phi. For u < 0, where both may underflow, use the
    # reciprocal of Mills' ratio at -u.
    mills = 1.0 / (ROOT_HALF_PI * scipy.special.erfcx(-left / math.sqrt(2.0)))
    slope = np.where(u < 0.0, mills, np.exp(-0.5 * u * u - LOG_ROOT_TWO_PI - value))
    return value, slope / v, -slope * u / v


def probability_of_improvement(
    m: np.ndarray, v: np.ndarray, best: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probability of improvement over ``best`` and its derivatives.

    All three underflow to 0 if the mean is far below ``best``.

    Parameters and return values are as in `log_expected_improvement`.
    """
    u = (m - best) / v
    density = np.exp(-0.5 * u * u - LOG_ROOT_TWO_PI)
    return scipy.special.ndtr(u), density / v, -density * u / v


def upper_bound(
    m: np.ndarray, v: np.ndarray, beta: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the upper confidence bound and its derivatives.

    Parameters
    ----------
    m, v
        As in `log_expected_improvement`.
    beta : float
        Squared weight of the standard deviation.

    Returns
    -------
    value, along_m, along_v : arrays of the same shape as m and v
    """
    root = math.sqrt(beta)
    return m + root * v, np.ones_like(m), np.full_like(v, root)
