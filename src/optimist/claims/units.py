"""Functions that relate the power of tests to the number of trials, turns or pairs."""

import math

import numpy as np

from optimist.claims.tails import at_least, at_most, largest_rejected
from optimist.numerics.statistics import t_quantile


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
    1 / n, as in `tails.t_test`.
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
