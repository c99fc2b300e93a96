"""Functions that compute evidence from plain arrays."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from optimist.claims.evidence import (
    NAN,
    RATIO_UNITS,
    Mapped,
    Mean,
    MedianRatio,
    RatioOfMeans,
)
from optimist.claims.tails import exp, log
from optimist.numerics.statistics import log_log_slopes

# The smallest numbers of units needed to decide with these kinds of evidence; for all other kinds,
# the number is `RATIO_UNITS`.
EXPONENT_UNITS, JACKKNIFE_UNITS, TURNS, SPLITS = 50, 30, 5, 5


def from_logarithm(inner: Mean, method: str) -> Mapped:
    """Return evidence about a positive number from evidence about its logarithm."""
    return Mapped(inner, exp, lambda bound: float(log(bound)) if bound > 0.0 else NAN, method)


def exponent_between(ratio: RatioOfMeans | MedianRatio, factor: float) -> Mapped:
    r"""Return evidence about the exponent p of $R \propto x^p$, from R at $x_1$ and at $x_2$.

    The map $\ln(\cdot)/\ln(x_2/x_1)$ turns an interval for the ratio of the two values into an
    interval for p. Its inverse turns a bound on p into a bound on the ratio, at which the test is
    made.

    Parameters
    ----------
    ratio : RatioOfMeans or MedianRatio
        Evidence about R at x_2 divided by R at x_1.
    factor : float
        x_2 / x_1; if this is 1, the evidence decides nothing.
    """
    width = float(log(factor))
    width = width if math.isfinite(width) and width else NAN
    return Mapped(
        ratio,
        lambda value: float(log(value)) / width,
        lambda bound: exp(bound * width),
        f"{ratio.method}, between two ends",
        factor < 1.0,
    )


@np.errstate(all="ignore")
def mean_difference(top: np.ndarray, bottom: np.ndarray) -> Mean:
    """Return evidence about the mean of the paired differences y - x, by Student's t."""
    return Mean(np.asarray(top, dtype=float) - np.asarray(bottom, dtype=float))


@np.errstate(all="ignore")
def spread_ratio(top: np.ndarray, bottom: np.ndarray) -> RatioOfMeans:
    """Return evidence about the ratio of the spreads of two paired samples of shape (n,).

    A spread is the mean distance from the median, so the evidence is a `RatioOfMeans` of
    |y - med y| and |x - med x| (Bonett and Seier 2003, Ratio of dispersions using paired samples).
    An interval needs three units: with two units, the two distances in each sample are equal, and
    the interval would have no width.
    """
    sides = (np.asarray(side, dtype=float) for side in (top, bottom))
    u, v = (np.abs(side - np.median(side)) if len(side) else side for side in sides)
    return RatioOfMeans(u, v, method="Fieller, distances from the medians", shown=3)


@np.errstate(all="ignore")
def slope(points: np.ndarray, values: np.ndarray, bottoms: np.ndarray | float = 1.0) -> Mean:
    r"""Return evidence about a log-log slope, by Student's t on the slopes of single units.

    Each unit (instance, trial or turn) is measured at all points. Its slope is the least-squares
    slope of $\ln v$ on $\ln x$ (see `optimist.numerics.statistics.log_log_slopes`). The units must
    be independent of each other, but the values of a single unit need not be. Because the slope is
    a mean over logarithms, it describes the typical unit.

    Parameters
    ----------
    points : (m,) or (m, n)
        x, positive and not all equal; either shared by all units or one column per unit.
    values : (m, n)
        v, positive. If any value is not positive, the evidence decides nothing.
    bottoms : (m, n) or float
        Divisors of v.
    """
    points = np.transpose(points)
    slopes = log_log_slopes(points, np.transpose(values / bottoms))
    return Mean(slopes, TURNS, "t of the slopes", unit=_unit_of_slopes(log(points)))


def slope_of_means(
    points: np.ndarray, values: np.ndarray, bottoms: np.ndarray | None = None
) -> Mean:
    r"""Return evidence about a log-log slope of means over n units, by the jackknife.

    The slope is the least-squares slope of $\ln\bar v$ on $\ln\bar x$. Unlike `slope`, it describes
    means, so zeros and rare large values count as they do in a ratio of means. The test is slightly
    too liberal: with 10 units and noise whose standard deviation is at most the mean, it rejects a
    true bound on a given side in 3 % of data sets instead of 2.5 %.

    Parameters
    ----------
    points : (m,) or (m, n)
        x, either shared by all units or one column per unit.
    values : (m, n)
        v, which is averaged over units.
    bottoms : (m, n) or None
        Divisors, averaged over units like v; None if there are none.
    """
    given = np.asarray(points, dtype=float)
    x = np.broadcast_to(given[:, None] if given.ndim == 1 else given, np.shape(values))
    columns = np.concatenate([x, values, np.ones_like(x) if bottoms is None else bottoms])

    def statistic(means: np.ndarray) -> Any:
        logs_x, logs_v, logs_b = np.split(np.log(means), 3)
        centred = logs_x - logs_x.mean(axis=0)
        return (centred * (logs_v - logs_b)).sum(axis=0) / (centred**2).sum(axis=0)

    slopes = jackknife_values(statistic, columns)
    unit = _unit_of_slopes(log(x.mean(axis=1)) if x.size else x)
    return Mean(slopes, RATIO_UNITS, "t of the slope of means, jackknife", unit=unit)


def _unit_of_slopes(logs: np.ndarray) -> float:
    """Return the change in a slope when the growth over the range of points is multiplied by e.

    ``logs`` has shape (..., m) and holds the logarithms of m points.
    """
    width = float(np.ptp(logs, axis=-1).mean()) if logs.size else 0.0
    return 1.0 / width if width > 0.0 else NAN


def ratio_of_ratios(
    top: np.ndarray, bottom: np.ndarray, base_top: np.ndarray, base_bottom: np.ndarray
) -> Mapped:
    r"""Return evidence about (y / x) / (y' / x') for four means over n units, by the jackknife.

    The interval and the test apply Student's t to the `jackknife_values` of the logarithm. The
    units are the trials common to all four samples.
    """

    def logarithm(means: np.ndarray) -> Any:
        return np.log(means[0]) - np.log(means[1]) - np.log(means[2]) + np.log(means[3])

    columns = np.array([top, bottom, base_top, base_bottom], dtype=float)
    mean = Mean(jackknife_values(logarithm, columns), JACKKNIFE_UNITS, unit=1.0)
    with np.errstate(over="ignore"):
        pairs = columns[0] * columns[3], columns[1] * columns[2]
    return replace(from_logarithm(mean, "t of the logarithm, jackknife"), pairs=pairs)


@np.errstate(all="ignore")
def jackknife_values(statistic: Callable[[Any], Any], columns: np.ndarray) -> np.ndarray:
    r"""Return n values whose mean and standard error are estimates for a function of k means.

    Let $\theta$ be the function's value at the means of ``columns``, of shape (k, n), and
    $\theta_{(-i)}$ its value without unit i. The returned values are
    $\theta + (n-1)(\overline{\theta_{(-\cdot)}} - \theta_{(-i)})$: Tukey's pseudo-values, shifted
    so that their mean is the estimate $\theta$. In simulations with heavy tails, intervals around
    $\theta$ cover the truth at least as often as intervals around the mean of the pseudo-values.

    ``statistic`` maps means of shape (k, ...) to values of shape (...,).
    """
    n = columns.shape[1]
    if n < 2:  # too few for a test, so return the estimate itself
        return np.full(n, statistic(columns.mean(axis=1)) if n else NAN)
    without = statistic((columns.sum(axis=1, keepdims=True) - columns) / (n - 1))
    values: np.ndarray = statistic(columns.mean(axis=1)) + (n - 1) * (without.mean() - without)
    return values


@np.errstate(all="ignore")
def turns_ratio(
    top: np.ndarray,
    bottom: np.ndarray,
    base_top: np.ndarray | float = 1.0,
    base_bottom: np.ndarray | float = 1.0,
) -> Mapped:
    """Return evidence about (y / x) / (y' / x'), by Student's t on one logarithm per turn.

    The arrays have shape (n,) for n turns. The times in a turn were measured one after another, in
    random order (Kalibera and Jones 2013, Rigorous benchmarking in reasonable time).
    """
    return turns_mean((log(top) - log(bottom)) - (log(base_top) - log(base_bottom)))


def turns_mean(logs: np.ndarray) -> Mapped:
    """Return evidence about a time or a ratio of times, given its logarithm in each turn."""
    return from_logarithm(Mean(logs, TURNS, unit=1.0), "t of logarithms in turns")


def splits_mean(values: np.ndarray, folds: int) -> Mean:
    r"""Return evidence about a mean over the splits of repeated cross-validation.

    A plain t test assumes independence, but the splits share most training rows. For J splits, the
    corrected test (Nadeau and Bengio 2003, Inference for the generalization error) uses
    $T = \bar d/(s\sqrt{1/J + n_{test}/n_{train}})$ with J - 1 degrees of freedom. With k folds
    (``folds``) in each repetition, $n_{test}/n_{train}$ is 1/(k - 1).
    """
    return Mean(values, SPLITS, "corrected resampled t", extra=1.0 / (folds - 1))
