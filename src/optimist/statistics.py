"""Intervals of means, shares and growth rates, as panels and tables show them.

Every interval is two-sided at a given level. Where the data do not determine one (a single trial,
two points) its bounds are nan. What decides claims is in `optimist.claims.inference`.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

NAN = math.nan
BOOTSTRAP_SAMPLES = 2000


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, level: float) -> float:
    """Return the two-sided Student t quantile of a level for ``freedom`` degrees of freedom."""
    # scipy.special alone: importing scipy.stats takes longer than the sums of a whole paper.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2.0)) if freedom > 0 else NAN


def mean_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Return (mean, low, high) by Student's t; the bounds of a single value are nan."""
    values = np.asarray(values, dtype=float)
    n = len(values)
    if n < 2:
        return float(values[0]) if n else NAN, NAN, NAN
    # Spelled out: called for every point of every curve, where numpy's std takes most of the time.
    mean = float(values.sum()) / n
    deviation = values - mean
    error = math.sqrt(float(deviation @ deviation) / (n - 1) / n)
    return _t_interval(mean, error, n - 1, level)


def _t_interval(value, error, freedom, level):
    half = t_quantile(freedom, level) * error
    return value, value - half, value + half


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


def proportion_interval(successes: int, n: int, level: float = 0.95) -> tuple[float, float, float]:
    """Return (share, low, high) by Clopper and Pearson (1934); nan if ``n`` is 0."""
    if n == 0:
        return NAN, NAN, NAN
    from scipy.special import betaincinv

    tail, failures = 0.5 - 0.5 * level, n - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1.0 - tail)) if failures else 1.0
    return successes / n, low, high


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
    return _t_interval(float(fit.slope), float(fit.stderr), usable.sum() - 2, level)


def last_decade_slope(x: Any, y: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return `log_log_slope` over the last decade of x."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    use = x >= x.max(initial=0.0) / 10.0
    return log_log_slope(x[use], y[use], level)


@np.errstate(all="ignore")
def log_log_slopes(x: Any, y: Any) -> np.ndarray:
    r"""Return the least-squares slope of log y on log x of each row, (n,).

    $\sum_j (\ln x_j - \overline{\ln x})\ln y_j / \sum_j (\ln x_j - \overline{\ln x})^2$; nan where
    a number is not positive or the x do not differ.

    Parameters
    ----------
    x : (m,) or (n, m)
        The same for all rows, or their own.
    y : (n, m)
    """
    x, y = np.log(np.atleast_2d(np.asarray(x, dtype=float))), np.log(np.asarray(y, dtype=float))
    if x.shape[1] < 2:
        return np.full(len(y), NAN)
    centred = x - x.mean(axis=1, keepdims=True)
    # Against the first point: a constant then has slope zero, whatever its logarithm.
    slopes = (centred * (y - y[:, :1])).sum(axis=1) / (centred**2).sum(axis=1)
    return np.where(np.isfinite(slopes), slopes, NAN)


def rate_slope(rounds: Any, totals: Any, level: float = 0.95) -> tuple[float, float, float]:
    """Return (slope, low, high) of the log-log growth, per round, of a cumulative quantity.

    The mean over trials of the slopes of `window_rates`, and its t interval; parameters are theirs.
    """
    return mean_interval(log_log_slopes(*window_rates(rounds, totals)), level)


def window_rates(rounds: Any, totals: Any, windows: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Return the middles of windows of rounds, and the increment per round of totals in each.

    Parameters
    ----------
    rounds : (n,)
        Recorded rounds in increasing order.
    totals : (trials, n)
        A cumulative quantity (seconds, say) up to each round.
    windows : int
        The last decade of rounds is cut into this many, of equal length on the log axis.

    Returns
    -------
    (windows,), (trials, windows)
        Without windows if there are fewer than two rounds.
    """
    rounds, totals = np.asarray(rounds, dtype=float), np.asarray(totals, dtype=float)
    if len(rounds) < 2:
        return np.empty(0), np.empty((len(totals), 0))
    edges = np.geomspace(max(rounds[0], rounds[-1] / 10.0), rounds[-1], windows + 1)
    spent = [np.diff(np.interp(edges, rounds, trial)) for trial in totals]
    middles = np.sqrt(edges[1:] * edges[:-1])
    return middles, np.reshape(spent, (len(totals), windows)) / np.diff(edges)
