"""The power of tests as a function of the number of trials, turns or pairs."""

import math

import numpy as np

from optimist.claims.tails import at_least, at_most, largest_rejected
from optimist.numerics.statistics import t_quantile


def fewest_pairs(alpha: float) -> int:
    """Return the fewest pairs with which a sign test can reach ``alpha`` on one side."""
    return math.ceil(-math.log2(alpha))


def detectable_rate(n: int, delta: float, alpha: float, power: float = 0.8) -> float:
    r"""Return the failure rate that n trials can distinguish from ``delta`` with this ``power``.

    The trials show a higher rate if at least k of them fail, for the smallest k with
    $P(\mathrm{Bin}(n, \delta) \ge k) \le \alpha$. The returned rate is the p at which
    $P(\mathrm{Bin}(n, p) \ge k)$ equals the power. It is nan if no number of failures suffices.
    """
    from scipy.special import betaincinv

    fatal = [k for k in range(1, n + 1) if at_least(k, n, delta) <= alpha]
    return float(betaincinv(fatal[0], n - fatal[0] + 1, power)) if fatal else math.nan


@np.errstate(all="ignore")
def power_of_t(effect: float, spread: float, n: int, alpha: float, extra: float = 0.0) -> float:
    """Return the chance that a one-sided t test of n units shows an effect; nan for zero effect.

    The chance comes from the noncentral t distribution. ``spread`` is the standard deviation of the
    tested values; ``extra`` is added to 1 / n, as in `tails.t_test`.
    """
    from scipy.special import nctdtr

    if n < 2 or not (effect > 0.0 and 0.0 <= spread < math.inf):
        return math.nan
    noncentral = effect / np.float64(spread * math.sqrt(1.0 / n + extra))
    missed = float(nctdtr(n - 1, noncentral, t_quantile(n - 1, 1.0 - 2.0 * alpha)))
    return 1.0 if math.isnan(missed) else 1.0 - missed  # nan: the effect is too large to miss


def power_of_signs(share: float, n: int, alpha: float) -> float:
    """Return the chance that a sign test of n pairs shows that a true ``share`` exceeds 1/2."""
    few = largest_rejected(n, alpha)
    return at_most(few, n, 1.0 - share) if few >= 0 else 0.0
