"""How many trials, turns or pairs would decide, and what a number of them can show."""

import math
from bisect import bisect_left
from functools import lru_cache

import numpy as np

from optimist.claims.tails import at_least, at_most, largest_rejected
from optimist.numerics.statistics import t_quantile

# Beyond so many units their number comes from the normal approximation.
MANY = 10_000


def fewest_pairs(alpha: float) -> int:
    """Return the fewest pairs with which a sign test can reach ``alpha`` on one side."""
    return math.ceil(-math.log2(alpha))


def detectable_rate(n: int, delta: float, alpha: float, power: float = 0.8) -> float:
    r"""Return the rate of failures that n trials would tell from ``delta`` with this ``power``.

    They do if k of them fail, the fewest with $P(\mathrm{Bin}(n, \delta) \ge k) \le \alpha$; the
    answer p has $P(\mathrm{Bin}(n, p) \ge k)$ equal to the power. It is nan if no number of
    failures would do.
    """
    from scipy.special import betaincinv

    fatal = [k for k in range(1, n + 1) if at_least(k, n, delta) <= alpha]
    return float(betaincinv(fatal[0], n - fatal[0] + 1, power)) if fatal else math.nan


@np.errstate(all="ignore")
def units_of_t(
    effect: float, spread: float, alpha: float, power: float, least: int, extra: float = 0.0
) -> int | None:
    """Return the fewest units with which a one-sided t test shows an effect with this power.

    By the noncentral t. ``spread`` is the standard deviation of what is tested, ``least`` the
    fewest units that count, ``extra`` is added to 1 / n as in `tails.t_test`. None if there is no
    effect, or no number of units shows it.
    """
    from scipy.special import nctdtr, ndtri

    if not (effect > 0.0 and 0.0 <= spread < math.inf):
        return None
    least = max(least, 2)
    # What 1 / n + extra may be if the law of T were normal; nan and inf without spread.
    wanted = float((effect / np.float64(spread) / (ndtri(1.0 - alpha) + ndtri(power))) ** 2)
    if not wanted > extra:
        return None
    if 1.0 / least + extra <= wanted / 100.0:
        return least
    guess = 1.0 / (wanted - extra)
    if guess > MANY:
        return math.ceil(guess) if math.isfinite(guess) else None

    def is_enough(n):
        noncentral = effect / (spread * math.sqrt(1.0 / n + extra))
        missed = nctdtr(n - 1, noncentral, t_quantile(n - 1, 1.0 - 2.0 * alpha))
        return not missed > 1.0 - power  # nan beyond a noncentrality of 37, where nothing is missed

    most = 4 * max(least, math.ceil(guess))
    if not is_enough(most):
        return None
    return bisect_left(range(least, most), True, key=is_enough) + least


@lru_cache(maxsize=4096)
def units_of_signs(share: float, alpha: float, power: float) -> int | None:
    """Return the fewest pairs with which a sign test shows that a ``share`` is above one half."""
    from scipy.special import ndtri

    if not share > 0.5:
        return None
    z = float(ndtri(1.0 - alpha)), float(ndtri(power))
    guess = ((0.5 * z[0] + z[1] * math.sqrt(share * (1.0 - share))) / (share - 0.5)) ** 2
    if guess > MANY:
        return math.ceil(guess)

    def is_enough(n):
        few = largest_rejected(n, alpha)
        return few >= 0 and at_most(few, n, 1.0 - share) >= power

    least = fewest_pairs(alpha)
    start = max(least, int(0.5 * guess))
    return next((n for n in range(start, 4 * start + 40) if is_enough(n)), None)
