"""Tail probabilities for p-values, the power of tests, and arithmetic that emits no warnings.

The two p-values of a test are (1, 1) if the data allow no conclusion.
"""

import math
from bisect import bisect_right
from functools import lru_cache
from typing import Any

import numpy as np

from optimist.numerics.statistics import t_quantile

NEITHER = (1.0, 1.0)
# A difference of at most this share of the sum of the operands' absolute values may be due to
# rounding, so it is taken to be zero.
ROUNDING = 1e-12


@np.errstate(all="ignore")
def difference(y: Any, x: Any) -> np.ndarray:
    """Return y - x, with zeros in place of differences that may be due to rounding."""
    left = np.subtract(y, x)
    return np.where(np.abs(left) <= ROUNDING * (np.abs(y) + np.abs(x)), 0.0, left)


@np.errstate(all="ignore")
def log(values: Any) -> np.ndarray:
    """Return natural logarithms, which are -inf for zero and nan for negative numbers."""
    return np.asarray(np.log(np.asarray(values, dtype=float)))


@np.errstate(all="ignore")
def exp(value: float) -> float:
    """Return e to the power of ``value``, or inf if the result is too large for a float."""
    return float(np.exp(value))


def power_of_two(values: np.ndarray) -> int:
    """Return the exponent of the smallest power of two that exceeds |v| for every finite value v.

    Return 0 if all finite values are zero.
    """
    sizes = np.abs(values[np.isfinite(values)])
    return int(np.frexp(sizes.max(initial=0.0))[1])


def t_test(differences: np.ndarray, extra: float = 0.0) -> tuple[float, float]:
    r"""Return the p-values for "the mean difference is negative" and for "it is positive".

    The test is Student's t test with $T = \bar d/(s\sqrt{1/n + \rho})$, where $\rho$ is ``extra``.
    It needs at least two differences.
    """
    if not np.isfinite(differences).all():
        return NEITHER
    from scipy.special import stdtr

    scaled, n = np.ldexp(differences, -power_of_two(differences)), len(differences)
    mean, error = float(scaled.mean()), float(scaled.std(ddof=1)) * math.sqrt(1.0 / n + extra)
    if error == 0.0:
        return NEITHER if mean == 0.0 else (0.0, 1.0) if mean < 0.0 else (1.0, 0.0)
    return float(stdtr(n - 1, mean / error)), float(stdtr(n - 1, -mean / error))


def at_most(successes: int, n: int, share: float) -> float:
    """Return P(Bin(n, share) <= successes)."""
    from scipy.special import betainc

    return 1.0 if successes >= n else float(betainc(n - successes, successes + 1, 1.0 - share))


def at_least(successes: int, n: int, share: float) -> float:
    """Return P(Bin(n, share) >= successes)."""
    from scipy.special import betainc

    return 1.0 if successes <= 0 else float(betainc(successes, n - successes + 1, share))


@lru_cache(maxsize=4096)
def largest_rejected(n: int, alpha: float) -> int:
    """Return the largest k with P(Bin(n, 1/2) <= k) <= alpha, or -1 if there is none."""
    return bisect_right(range(n + 1), alpha, key=lambda k: at_most(k, n, 0.5)) - 1


def quadratic_pieces(a: float, b: float, c: float) -> list[tuple[float, float]]:
    """Return the real intervals on which a r^2 - 2 b r + c <= 0."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return []
    everything = [(-math.inf, math.inf)]
    if a == 0.0:
        if b == 0.0:
            return everything if c <= 0.0 else []
        return [(c / (2.0 * b), math.inf)] if b > 0.0 else [(-math.inf, c / (2.0 * b))]
    discriminant = b * b - a * c
    if discriminant <= 0.0:
        # If a > 0, one point remains even if rounding makes the discriminant negative, because the
        # test never rejects the estimate.
        return [(b / a, b / a)] if a > 0.0 else everything
    # To avoid cancellation, compute the root of larger magnitude first; the product of the roots
    # then gives the other one.
    far = b + math.copysign(math.sqrt(discriminant), b)
    low, high = sorted((far / a, c / far))
    return [(low, high)] if a > 0.0 else [(-math.inf, low), (high, math.inf)]


# The power of tests, and the number of trials, turns or pairs.


def fewest_pairs(alpha: float) -> int:
    """Return the smallest number of pairs for which a one-sided sign test can reach ``alpha``."""
    return math.ceil(-math.log2(alpha))


def detectable_rate(n: int, delta: float, alpha: float, power: float = 0.8) -> float:
    r"""Return the smallest failure rate above ``delta`` that n trials can detect with ``power``.

    The trials show that the rate exceeds ``delta`` if at least k of them fail, where k is the
    smallest number with $P(\mathrm{Bin}(n, \delta) \ge k) \le \alpha$. The returned rate is the p
    for which $P(\mathrm{Bin}(n, p) \ge k)$ equals ``power``. It is nan if no number of failures
    suffices.
    """
    from scipy.special import betaincinv

    fatal = [k for k in range(1, n + 1) if at_least(k, n, delta) <= alpha]
    return float(betaincinv(fatal[0], n - fatal[0] + 1, power)) if fatal else math.nan


@np.errstate(all="ignore")
def power_of_t(effect: float, spread: float, n: int, alpha: float, extra: float = 0.0) -> float:
    """Return the probability that a one-sided t test with n units shows an effect.

    The probability is computed from the noncentral t distribution; it is nan unless the effect is
    positive. ``spread`` is the standard deviation of the tested values; ``extra`` is added to
    1 / n, as in `t_test`.
    """
    from scipy.special import nctdtr

    if n < 2 or not (effect > 0.0 and 0.0 <= spread < math.inf):
        return math.nan
    noncentral = effect / np.float64(spread * math.sqrt(1.0 / n + extra))
    missed = float(nctdtr(n - 1, noncentral, t_quantile(n - 1, 1.0 - 2.0 * alpha)))
    return 1.0 if math.isnan(missed) else 1.0 - missed  # nan for very large effects


def power_of_signs(share: float, n: int, alpha: float) -> float:
    """Return the probability that a sign test with n pairs shows that ``share`` exceeds 1/2.

    ``share`` is the true share of pairs on the tested side.
    """
    few = largest_rejected(n, alpha)
    return at_most(few, n, 1.0 - share) if few >= 0 else 0.0
