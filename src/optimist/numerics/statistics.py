"""Intervals for means, proportions and growth rates, used in panels and tables.

Every interval is two-sided at a given level. Its bounds are nan if the data do not determine them
(a single trial, or two points for a slope). `optimist.claims.evidence` contains the inference for
claims.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

NAN = math.nan
BOOTSTRAP_SAMPLES = 2000


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, level: float) -> float:
    """Return the two-sided Student t quantile for a level and ``freedom`` degrees of freedom."""
    # Importing scipy.stats would take longer than computing all intervals of a paper.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2.0)) if freedom > 0 else NAN


def mean_interval(values: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return (mean, low, high) of Student's t interval; for a single value, the bounds are nan."""
    mean, low, high = mean_intervals(np.reshape(values, (-1, 1)), level)[:, 0].tolist()
    return mean, low, high


def mean_intervals(values: Any, level: float = 0.95, interval: str = "t") -> np.ndarray:
    """Return means, lower bounds and upper bounds over trials, as an array of shape (3, columns).

    ``values`` (n, columns) has one trial per row; with a single row, the bounds are nan.
    ``interval`` is one of

    - "t": Student's t,
    - "normal": the mean plus and minus the normal quantile times the standard error (Wald),
    - "bootstrap": the percentile bootstrap over the rows, which must not contain nan. The resamples
      depend only on n.
    """
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        means = values[0] if n else np.full(values.shape[1], NAN)
        return np.array([means, np.full_like(means, NAN), np.full_like(means, NAN)])
    # If rows are contiguous, numpy sums them pairwise, which is more accurate.
    columns = np.ascontiguousarray(values.T)
    means = columns.sum(axis=1) / n
    if interval == "bootstrap":
        # Sorting rows is ten times as fast as `numpy.quantile`.
        resampled = np.sort((_resamples(n) @ values / n).T.copy(), axis=1)
        places = np.array([0.5 - 0.5 * level, 0.5 + 0.5 * level]) * (BOOTSTRAP_SAMPLES - 1)
        below = places.astype(int)
        steps = resampled[:, below + 1] - resampled[:, below]
        return np.array([means, *(resampled[:, below] + (places - below) * steps).T])
    if interval == "normal":
        from scipy.special import ndtri

        quantile = float(ndtri(0.5 + level / 2.0))
    else:
        quantile = t_quantile(n - 1, level)
    half = quantile * columns.std(axis=1, ddof=1) / math.sqrt(n)
    return np.array([means, means - half, means + half])


@lru_cache(maxsize=32)
def _resamples(n: int) -> np.ndarray:
    """Return how often each resample contains each of n rows, as an array (samples, n)."""
    rng = np.random.default_rng(n)
    counts = rng.multinomial(n, np.full(n, 1.0 / n), size=BOOTSTRAP_SAMPLES)
    return counts.astype(float)  # numpy multiplies integer matrices without BLAS


# Names of the rows returned by `summaries`. The last three are quartiles.
SUMMARIES = ("mean", "low", "high", "lower", "median", "upper")


def summaries(values: np.ndarray, level: float, interval: str) -> np.ndarray:
    """Return the `SUMMARIES` of each column of ``values``, as an array of shape (6, columns)."""
    quartiles = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
    return np.concatenate([mean_intervals(values, level, interval), quartiles])


def proportion_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float, float]:
    """Return (share, low, high), where (low, high) is the Clopper-Pearson (1934) interval.

    All three are nan if ``n`` is 0.
    """
    if n == 0:
        return NAN, NAN, NAN
    from scipy.special import betaincinv

    tail, failures = 0.5 - 0.5 * level, n - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1.0 - tail)) if failures else 1.0
    return successes / n, low, high


def log_log_slope(x: Any, y: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return (slope, low, high) of the least-squares line of log y on log x.

    ``x`` and ``y`` have shape (n,); only pairs of positive numbers are used. With fewer than
    three such pairs, the bounds are nan.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = (x > 0) & (y > 0)
    if len(np.unique(x[usable])) < 2:
        return NAN, NAN, NAN
    if usable.sum() > 2 and np.ptp(y[usable]) == 0.0:
        return 0.0, 0.0, 0.0  # exact; logarithms would add rounding errors
    from scipy.stats import linregress

    fit = linregress(np.log(x[usable]), np.log(y[usable]))
    slope, half = float(fit.slope), t_quantile(usable.sum() - 2, level) * float(fit.stderr)
    return slope, slope - half, slope + half


def last_decade_slope(x: Any, y: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return the `log_log_slope` of the points in the last decade of x."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    use = x >= x.max(initial=0.0) / 10.0
    return log_log_slope(x[use], y[use], level)


@np.errstate(all="ignore")
def log_log_slopes(x: Any, y: Any) -> np.ndarray:
    r"""Return the least-squares slopes (n,) of log y on log x, one for each row of y.

    A slope is $\sum_j (\ln x_j - \overline{\ln x})\ln y_j / \sum_j (\ln x_j - \overline{\ln x})^2$,
    or nan if any number is not positive or all x are equal.

    Parameters
    ----------
    x : (m,) or (n, m)
        One row shared by all rows of y, or one per row of y.
    y : (n, m)
    """
    x, y = np.log(np.atleast_2d(np.asarray(x, dtype=float))), np.log(np.asarray(y, dtype=float))
    if x.shape[1] < 2:
        return np.full(len(y), NAN)
    centred = x - x.mean(axis=1, keepdims=True)
    # Differences from the first point make the slope of a constant exactly zero.
    slopes = (centred * (y - y[:, :1])).sum(axis=1) / (centred**2).sum(axis=1)
    return np.where(np.isfinite(slopes), slopes, NAN)


def rate_slope(rounds: Any, totals: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return the log-log slope of a quantity's increase per round, as (slope, low, high).

    The result is the mean over trials of the slopes of `window_rates`, with its t interval. The
    parameters are as in `window_rates`.
    """
    return mean_interval(log_log_slopes(*window_rates(rounds, totals)), level)


def window_rates(rounds: Any, totals: Any, windows: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Return the midpoints of windows of rounds, and the increase of ``totals`` per round in each.

    Parameters
    ----------
    rounds : (n,)
        Recorded rounds in increasing order.
    totals : (trials, n)
        A cumulative quantity (seconds, say) up to each round.
    windows : int
        Number of windows into which the last decade of rounds is divided evenly on the log axis.

    Returns
    -------
    midpoints, rates : arrays of shapes (windows,) and (trials, windows)
        With fewer than two rounds, there are no windows.
    """
    rounds, totals = np.asarray(rounds, dtype=float), np.asarray(totals, dtype=float)
    if len(rounds) < 2:
        return np.empty(0), np.empty((len(totals), 0))
    edges = np.geomspace(max(rounds[0], rounds[-1] / 10.0), rounds[-1], windows + 1)
    spent = [np.diff(np.interp(edges, rounds, trial)) for trial in totals]
    middles = np.sqrt(edges[1:] * edges[:-1])
    return middles, np.reshape(spent, (len(totals), windows)) / np.diff(edges)
