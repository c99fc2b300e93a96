r"""Intervals and tests for means, ratios, shares and growth rates.

Every interval is two-sided at a given level. Where the data do not determine one (a single trial,
a denominator of zero) its bounds are nan and nothing is decided by it.
"""

import math
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

NAN = math.nan
BOOTSTRAP_SAMPLES = 2000
FEW_PAIRS = 5  # fewer do not tell how deviations vary


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, level: float) -> float:
    """Return the two-sided Student t quantile of a level for ``freedom`` degrees of freedom."""
    # scipy.special alone: importing scipy.stats takes longer than the sums of a whole paper.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2.0)) if freedom > 0 else NAN


class Estimate(NamedTuple):
    """An estimate with its standard error and the degrees of freedom of its t distribution."""

    value: float
    error: float
    freedom: float

    def interval(self, level: float = 0.95) -> tuple[float, float, float]:
        """Return (value, low, high)."""
        half = t_quantile(self.freedom, level) * self.error
        return self.value, self.value - half, self.value + half

    def p_value(self, bound: float) -> float:
        """Return the two-sided p-value of the hypothesis that the truth equals ``bound``."""
        from scipy.special import stdtr

        distance = abs(self.value - bound)
        if not math.isfinite(distance) or math.isnan(self.error):
            return NAN
        if self.error == 0.0:
            return float(distance == 0.0)
        return float(2.0 * stdtr(self.freedom, -distance / self.error))


def mean_estimate(values: np.ndarray) -> Estimate:
    """Return the `Estimate` of the mean of independent values (n,)."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return Estimate(float(values[0]) if n else NAN, NAN, 0)
    # Spelled out: called for every point of every curve, where numpy's std takes most of the time.
    mean = float(values.sum()) / n
    deviation = values - mean
    return Estimate(mean, math.sqrt(float(deviation @ deviation) / (n - 1) / n), n - 1)


def mean_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Return (mean, low, high) by Student's t; the bounds of a single value are nan."""
    return mean_estimate(values).interval(level)


def mean_intervals(values: np.ndarray, level: float = 0.95, interval: str = "t") -> np.ndarray:
    """Return (means, lows, highs), (3, columns), of trials in rows, ``values`` (n, columns).

    ``interval`` is "t", see `mean_interval`, "bootstrap", see `bootstrap_intervals`, or "normal",
    the mean plus and minus the normal quantile times its standard error (Wald).
    """
    if interval == "bootstrap":
        return bootstrap_intervals(values, level)
    if interval == "normal":
        return normal_intervals(values, level)
    columns = np.ascontiguousarray(np.transpose(values))
    return np.array([mean_interval(column, level) for column in columns]).T


def normal_intervals(values: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Return (means, lows, highs), (3, columns), of the rows, with normal quantiles."""
    from scipy.special import ndtri

    values = np.asarray(values, dtype=float)
    n = len(values)
    means = values.mean(axis=0) if n else np.full(values.shape[1], NAN)
    error = values.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.full_like(means, NAN)
    half = float(ndtri(0.5 + level / 2.0)) * error
    return np.array([means, means - half, means + half])


def bootstrap_intervals(values: np.ndarray, level: float = 0.95) -> np.ndarray:
    """Return (means, lows, highs), (3, columns), by the percentile bootstrap over the rows.

    ``values`` (n, columns) has one independent trial per row, none missing. The resamples are the
    same whenever n is; the bounds of a single row are nan.
    """
    values = np.asarray(values, dtype=float)
    n = len(values)
    means = values.mean(axis=0) if n else np.full(values.shape[1], NAN)
    if n < 2:
        return np.array([means, np.full_like(means, NAN), np.full_like(means, NAN)])
    rng = np.random.default_rng(n)
    counts = rng.multinomial(n, np.full(n, 1.0 / n), size=BOOTSTRAP_SAMPLES)
    tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
    return np.array([means, *np.quantile(counts @ values / n, tails, axis=0)])


def median_ratio_interval(
    numerator: np.ndarray, denominator: np.ndarray, level: float = 0.95
) -> tuple[float, float, float]:
    """Return (ratio, low, high) of the medians of paired samples (n,), by a bootstrap over pairs.

    The bounds are percentiles; nan with fewer than two pairs or a median of zero below.
    """
    pairs = np.array([numerator, denominator], dtype=float)
    n = pairs.shape[1]
    top, bottom = np.median(pairs, axis=1) if n else (NAN, NAN)
    if n < 2 or not bottom > 0.0:
        return NAN, NAN, NAN
    return float(top / bottom), *_bootstrap_ratios(pairs, partial(np.median, axis=2), level)


def _bootstrap_ratios(pairs, statistic, level):
    """Return the percentiles of the ratio of a statistic of paired samples (2, n).

    ``statistic`` reduces the last axis of (2, draws, n). A ratio to zero is infinite, and one of
    zero to zero is left out.
    """
    n = pairs.shape[1]
    draws = np.random.default_rng(n).integers(n, size=(BOOTSTRAP_SAMPLES, n))
    tops, bottoms = statistic(pairs[:, draws])
    known = (tops > 0.0) | (bottoms > 0.0)
    ratios = np.full(BOOTSTRAP_SAMPLES, np.inf)
    np.divide(tops, bottoms, out=ratios, where=bottoms > 0.0)
    low = np.quantile(ratios[known], 0.5 - 0.5 * level, method="lower")
    high = np.quantile(ratios[known], 0.5 + 0.5 * level, method="higher")
    return float(low), float(high)


def deviation_ratio_interval(
    numerator: np.ndarray, denominator: np.ndarray, level: float = 0.95
) -> tuple[float, float, float]:
    """Return (ratio, low, high) of the standard deviations of paired samples (n,).

    The bounds are percentiles of a bootstrap over pairs; nan with fewer than five of them, or where
    a deviation below is zero.
    """
    pairs = np.array([numerator, denominator], dtype=float)
    n = pairs.shape[1]
    top, bottom = pairs.std(axis=1, ddof=1) if n > 1 else (NAN, 0.0)
    if not bottom > 0.0:
        return NAN, NAN, NAN
    if n < FEW_PAIRS:
        return float(top / bottom), NAN, NAN
    return float(top / bottom), *_bootstrap_ratios(pairs, partial(np.std, axis=2, ddof=1), level)


def bootstrap_slope(
    x: Any, samples: Any, statistic: Any = np.median, level: float = 0.95
) -> tuple[float, float, float]:
    """Return (slope, low, high) of log statistic(sample) on log x, by a bootstrap of each sample.

    ``x`` (m,) are positive, ``samples`` m arrays of independent values with positive statistics;
    with fewer than two x, or two values in a sample, all or the bounds are nan.
    """
    logs = np.log(np.asarray(x, dtype=float))
    if len(np.unique(logs)) < 2:
        return NAN, NAN, NAN
    weights = (logs - logs.mean()) / ((logs - logs.mean()) ** 2).sum()
    slope = float(weights @ np.log([statistic(sample) for sample in samples]))
    if min(map(len, samples)) < 2:
        return slope, NAN, NAN
    rng = np.random.default_rng(len(samples))
    slopes = np.zeros(BOOTSTRAP_SAMPLES)
    for weight, sample in zip(weights, samples, strict=True):
        values = np.asarray(sample, dtype=float)
        draws = values[rng.integers(len(values), size=(BOOTSTRAP_SAMPLES, len(values)))]
        slopes += weight * np.log(np.maximum(statistic(draws, axis=1), 1e-300))
    low, high = np.quantile(slopes, [0.5 - 0.5 * level, 0.5 + 0.5 * level])
    return slope, float(low), float(high)


def ratio_estimate(numerator: np.ndarray, denominator: np.ndarray) -> Estimate:
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


def quotient(top: Estimate, bottom: Estimate) -> Estimate:
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


def proportion_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float, float]:
    """Return (share, low, high) by Clopper and Pearson (1934); nan if ``n`` is 0."""
    if n == 0:
        return NAN, NAN, NAN
    from scipy.stats import binomtest

    bounds = binomtest(int(successes), int(n)).proportion_ci(level, method="exact")
    return successes / n, float(bounds.low), float(bounds.high)


def holm(p_values: Any) -> np.ndarray:
    """Return p-values (m,) adjusted by Holm's step-down method (1979), in the given order.

    A nan stays nan and counts in m.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)  # nan last
    stepped = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def log_log_slope(x: Any, y: Any, level: float = 0.95) -> tuple[float, float, float]:
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


def last_decade_slope(x: Any, y: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return `log_log_slope` over the last decade of x."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    use = x >= x.max(initial=0.0) / 10.0
    return log_log_slope(x[use], y[use], level)


def rate_slope(
    rounds: Any, totals: Any, level: float = 0.95, windows: int = 12
) -> tuple[float, float, float]:
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
