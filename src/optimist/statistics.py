r"""Intervals and tests for means, ratios, shares and growth rates.

Every interval is two-sided at a given level. Where the data do not determine one (a single trial,
a denominator of zero) its bounds are nan and nothing is decided by it.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

NAN = math.nan


@lru_cache(maxsize=4096)
def t_quantile(freedom, level):
    """Return the two-sided Student t quantile of a level for ``freedom`` degrees of freedom."""
    # scipy.special alone: importing scipy.stats takes longer than the sums of a whole paper.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2.0)) if freedom > 0 else NAN


class Estimate(NamedTuple):
    """An estimate with its standard error and the degrees of freedom of its t distribution."""

    value: float
    error: float
    freedom: float

    def interval(self, level=0.95):
        """Return (value, low, high)."""
        half = t_quantile(self.freedom, level) * self.error
        return self.value, self.value - half, self.value + half

    def p_value(self, bound):
        """Return the two-sided p-value of the hypothesis that the truth equals ``bound``."""
        from scipy.special import stdtr

        distance = abs(self.value - bound)
        if not math.isfinite(distance) or math.isnan(self.error):
            return NAN
        if self.error == 0.0:
            return float(distance == 0.0)
        return float(2.0 * stdtr(self.freedom, -distance / self.error))


def mean_estimate(values):
    """Return the `Estimate` of the mean of independent values (n,)."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return Estimate(float(values[0]) if n else NAN, NAN, 0)
    # Spelled out: called for every point of every curve, where numpy's std takes most of the time.
    mean = float(values.sum()) / n
    deviation = values - mean
    return Estimate(mean, math.sqrt(float(deviation @ deviation) / (n - 1) / n), n - 1)


def mean_interval(values, level=0.95):
    """Return (mean, low, high) by Student's t; the bounds of a single value are nan."""
    return mean_estimate(values).interval(level)


def ratio_estimate(numerator, denominator):
    r"""Return the `Estimate` of a ratio of means of paired samples, both (n,).

    $\hat R = \bar y/\bar x$ with the linearised standard error
    $$s(\hat R)^2 = \frac{1}{n\bar x^2}\,\frac{\sum_i(y_i - \hat R x_i)^2}{n - 1},$$
    Cochran, Sampling Techniques (3rd edition, 1977), section 6.4, without finite-population
    correction; n - 1 degrees of freedom.
    """
    y, x = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if len(x) != len(y):
        raise ValueError(f"paired samples have {len(y)} and {len(x)} values")
    n = len(x)
    if n == 0 or x.mean() == 0.0:
        return Estimate(NAN, NAN, 0)
    ratio = y.mean() / x.mean()
    residual = mean_estimate(y - ratio * x)
    return Estimate(float(ratio), abs(residual.error / float(x.mean())), residual.freedom)


def quotient(top, bottom):
    r"""Return the `Estimate` of a quotient of two independent estimates.

    First-order propagation, $s(R)^2 = (s_y^2 + R^2s_x^2)/x^2$, with the degrees of freedom of
    Welch and Satterthwaite.
    """
    if bottom.value == 0.0 or math.isnan(bottom.value):
        return Estimate(NAN, NAN, 0)
    ratio = top.value / bottom.value
    parts = (top.error / bottom.value) ** 2, (ratio * bottom.error / bottom.value) ** 2
    if min(top.freedom, bottom.freedom) < 1:
        return Estimate(ratio, NAN, 0)
    weights = parts[0] ** 2 / top.freedom + parts[1] ** 2 / bottom.freedom
    freedom = sum(parts) ** 2 / weights if weights > 0.0 else top.freedom + bottom.freedom
    return Estimate(ratio, math.sqrt(sum(parts)), freedom)


def proportion_interval(successes, n, level=0.95):
    """Return (share, low, high) by Clopper and Pearson (1934); nan if ``n`` is 0."""
    if n == 0:
        return NAN, NAN, NAN
    from scipy.stats import binomtest

    bounds = binomtest(int(successes), int(n)).proportion_ci(level, method="exact")
    return successes / n, float(bounds.low), float(bounds.high)


def holm(p_values):
    """Return p-values (m,) adjusted by Holm's step-down method (1979), in the given order.

    A nan stays nan and counts in m.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)  # nan last
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def log_log_slope(x, y, level=0.95):
    """Return (slope, low, high) of the least-squares line of log y on log x, both (n,) positive.

    The bounds need at least three points.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = (x > 0) & (y > 0)
    if len(np.unique(x[usable])) < 2:
        return NAN, NAN, NAN
    if usable.sum() > 2 and np.ptp(y[usable]) == 0.0:
        return 0.0, 0.0, 0.0  # exactly; rounding of its logarithm would say otherwise
    from scipy.stats import linregress

    fit = linregress(np.log(x[usable]), np.log(y[usable]))
    return Estimate(float(fit.slope), float(fit.stderr), usable.sum() - 2).interval(level)


def last_decade_slope(x, y, level=0.95):
    """Return `log_log_slope` over the last decade of x."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    use = x >= x.max(initial=0.0) / 10.0
    return log_log_slope(x[use], y[use], level)


def rate_slope(rounds, totals, level=0.95, windows=12):
    """Return (slope, low, high) of the log-log growth, per round, of a cumulative quantity.

    Parameters
    ----------
    rounds : (n,)
        Recorded rounds in increasing order; with fewer than two all results are nan.
    totals : (trials, n)
        The quantity (seconds, say) up to each round.
    windows : int
        The last decade of rounds is cut into this many windows of equal length on the log axis;
        the slope is that of the increment per round in a window, median over trials, against the
        window's middle.
    """
    rounds = np.asarray(rounds, dtype=float)
    if len(rounds) < 2:
        return NAN, NAN, NAN
    edges = np.geomspace(max(rounds[0], rounds[-1] / 10.0), rounds[-1], windows + 1)
    spent = [np.diff(np.interp(edges, rounds, trial)) for trial in np.asarray(totals, dtype=float)]
    rates = np.median(spent, axis=0) / np.diff(edges)
    return log_log_slope(np.sqrt(edges[1:] * edges[:-1]), rates, level)
