"""Evidence of several kinds of numbers, made from plain arrays."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from optimist.claims.evidence import (
    NAN,
    RATIO_UNITS,
    Evidence,
    Mapped,
    Mean,
    RatioOfMeans,
)
from optimist.claims.tails import exp, log
from optimist.numerics.statistics import log_log_slopes

# Fewest units with which each kind decides, if they are not `RATIO_UNITS`.
EXPONENT_UNITS, JACKKNIFE_UNITS, TURNS, SPLITS = 50, 30, 5, 5


def from_logarithm(inner: Mean, method: str) -> Mapped:
    """Return evidence of a positive number from that of its logarithm."""
    return Mapped(inner, exp, lambda bound: float(log(bound)) if bound > 0.0 else NAN, method)


def exponent_between(ratio: Evidence, factor: float) -> Mapped:
    r"""Return evidence of the exponent p of a growth $R \propto x^p$ between two ends.

    Bounds and intervals are mapped by $\ln(\cdot)/\ln(x_2/x_1)$, so the test is that of the ratio.

    Parameters
    ----------
    ratio : Evidence
        Of the ratio of what was measured at the two ends.
    factor : float
        x_2 / x_1, the ratio of the two ends; with a ratio of 1 nothing is known.
    """
    width = float(log(factor))
    width = width if math.isfinite(width) and width else NAN
    return Mapped(
        ratio,
        lambda found: float(log(found)) / width,
        lambda bound: exp(bound * width),
        f"{ratio.method}, between two ends",
        factor < 1.0,
    )


@np.errstate(all="ignore")
def mean_difference(top: np.ndarray, bottom: np.ndarray) -> Mean:
    """Return evidence of the mean of paired differences y - x, by Student's t."""
    return Mean(np.asarray(top, dtype=float) - np.asarray(bottom, dtype=float))


@np.errstate(all="ignore")
def spread_ratio(top: np.ndarray, bottom: np.ndarray) -> RatioOfMeans:
    """Return evidence of the ratio of spreads of paired samples (n,).

    A spread is the mean distance from the median, so it is `RatioOfMeans` of |y - med y| and
    |x - med x| (Bonett and Seier 2003, Ratio of dispersions using paired samples). Two of these
    are always equal, which is no certainty.
    """
    sides = (np.asarray(side, dtype=float) for side in (top, bottom))
    u, v = (np.abs(side - np.median(side)) if len(side) else side for side in sides)
    return RatioOfMeans(u, v, method="Fieller, distances from the medians", shown=3)


@np.errstate(all="ignore")
def slope(points: np.ndarray, values: np.ndarray, bottoms: np.ndarray | float = 1.0) -> Mean:
    r"""Return evidence of a log-log slope, by Student's t over the slopes of single units.

    Each unit (instance, trial, turn) is measured at all points and has one least-squares slope of
    $\ln v$ on $\ln x$, see `optimist.numerics.statistics.log_log_slopes`. The units are
    independent, the points of one unit need not be. It is the slope of the typical unit: logarithms
    are averaged.

    Parameters
    ----------
    points : (m,) or (m, n)
        x, positive and not all equal; the same for all units or their own.
    values : (m, n)
        v, positive. With another value in any unit nothing is decided.
    bottoms : (m, n)
        What v is divided by.
    """
    points = np.transpose(points)
    slopes = log_log_slopes(points, np.transpose(values / bottoms))
    return Mean(slopes, TURNS, "t of the slopes", unit=_unit_of_slopes(log(points)))


def slope_of_means(
    points: np.ndarray, values: np.ndarray, bottoms: np.ndarray | None = None
) -> Mean:
    r"""Return evidence of a log-log slope of means over n units, by the jackknife.

    The least-squares slope of $\ln\bar v$ on $\ln\bar x$. Unlike `slope` it speaks of means:
    values that are seldom large, or zero, count as they do in a ratio of means. With noise whose
    deviation is up to the mean, 10 units and a bound on the truth, 3 % of data sets decide on a
    side where 2.5 % should.

    Parameters
    ----------
    points : (m,) or (m, n)
        x, the same for all units or their own.
    values : (m, n)
        v
    bottoms : (m, n) or None
        What each mean of v is divided by.
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
    """Return how a slope changes if growth between the ends of points, (..., m), is e times it."""
    width = float(np.ptp(logs, axis=-1).mean()) if logs.size else 0.0
    return 1.0 / width if width > 0.0 else NAN


def ratio_of_ratios(
    top: np.ndarray, bottom: np.ndarray, base_top: np.ndarray, base_bottom: np.ndarray
) -> Mapped:
    r"""Return evidence of (y / x) / (y' / x'), all means over n units, by the jackknife.

    Student's t of `jackknife_values` of the logarithm gives interval and test. Units are the trials
    that all four have in common.
    """

    def logarithm(means: np.ndarray) -> Any:
        return np.log(means[0]) - np.log(means[1]) - np.log(means[2]) + np.log(means[3])

    columns = np.array([top, bottom, base_top, base_bottom], dtype=float)
    values = jackknife_values(logarithm, columns)
    return from_logarithm(Mean(values, JACKKNIFE_UNITS, unit=1.0), "t of the logarithm, jackknife")


@np.errstate(all="ignore")
def jackknife_values(statistic: Callable[[Any], Any], columns: np.ndarray) -> np.ndarray:
    r"""Return values (n,) whose mean and standard error are those of a function of k means.

    With $\theta$ the function of the means of ``columns`` (k, n), and $\theta_{(-i)}$ that without
    unit i, they are $\theta + (n-1)(\overline{\theta_{(-\cdot)}} - \theta_{(-i)})$: Tukey's
    pseudo-values, moved so that their mean is the estimate itself. In simulations with heavy tails
    intervals around it cover no less than those around the mean of pseudo-values.

    ``statistic`` maps means (k, ...) to (...,).
    """
    n = columns.shape[1]
    if n < 2:  # the value itself, from which nothing is decided
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
    """Return evidence of (y / x) / (y' / x'), by Student's t of logarithms, one of each turn (n,).

    The times of a turn were taken one after the other, in random order (Kalibera and Jones 2013,
    Rigorous benchmarking in reasonable time).
    """
    return turns_mean((log(top) - log(bottom)) - (log(base_top) - log(base_bottom)))


def turns_mean(logs: np.ndarray) -> Mapped:
    """Return evidence of a time, or of a ratio, of whose logarithm each turn gives one value."""
    return from_logarithm(Mean(logs, TURNS, unit=1.0), "t of logarithms in turns")


def splits_mean(values: np.ndarray, folds: int) -> Mean:
    r"""Return evidence of the mean over splits of repeated cross-validation with ``folds`` folds.

    The splits share most of what is trained on, which a plain t test takes for independence. The
    corrected one (Nadeau and Bengio 2003, Inference for the generalization error) has
    $T = \bar d/(s\sqrt{1/J + n_{test}/n_{train}})$ with J - 1 degrees of freedom; with k folds the
    last ratio is 1/(k - 1).
    """
    return Mean(values, SPLITS, "corrected resampled t", extra=1.0 / (folds - 1))
