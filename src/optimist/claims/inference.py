"""Evidence: what trials say about one number, for tests at a bound and for intervals.

Every class here is an `Evidence`: a value with one-sided p-values at any bound, an interval that is
made of the bounds which its test does not reject, and the number of units (trials, turns, splits)
that would decide. The functions below them make evidence of several kinds from plain arrays.

A p-value is small if data speak for its side. It is 1 on both sides where they cannot speak: too
few units, or numbers that are not finite. Exact values have 0 and 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from optimist.claims.tails import (
    NEITHER,
    at_least,
    at_most,
    difference,
    exp,
    largest_rejected,
    log,
    power_of_two,
    quadratic_pieces,
    t_test,
)
from optimist.claims.units import units_of_signs, units_of_t
from optimist.numerics.statistics import log_log_slopes, proportion_interval, t_quantile

NAN = math.nan
# With which a number of units decides.
POWER = 0.8
# Fewest units with which each measure decides.
RATIO_UNITS, EXPONENT_UNITS, JACKKNIFE_UNITS, TURNS, SPLITS = 10, 50, 30, 5, 5


class Evidence(Protocol):
    """What was measured, and what follows from it for any bound.

    Attributes
    ----------
    value : float
        The estimate; nan if there is none.
    n : int or None
        Independent units behind it; None for a value without sampling error.
    method : str
        How interval and p-values come about.
    """

    @property
    def value(self) -> float: ...

    @property
    def n(self) -> int | None: ...

    @property
    def method(self) -> str: ...

    def p_values(self, bound: float) -> tuple[float, float]:
        """Return p of "the truth is below the bound", and of "above"; small if data show it."""

    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the two-sided interval at ``level``: one piece, two, or none."""

    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return the fewest units that decide at ``alpha`` on each side with a power of `POWER`.

        The truth is taken to lie a factor ``ratio`` from the bound, on the side where that takes
        more units; None where this has no meaning or no number suffices. The effect is fixed
        beforehand: a number made from the effect that was observed restates the p-value (Hoenig
        and Heisey 2001, The abuse of power).
        """


# Measures that rest on Student's t.


@dataclass(frozen=True, eq=False)
class RatioOfMeans:
    r"""Ratio of the means of y over x, by the t test of y - b x and its inversion.

    $$T(b) = \frac{\bar y - b\bar x}{s_{y-bx}\sqrt{1/n + \rho}},$$ with n - 1 degrees of freedom:
    for a positive mean of x, "the ratio is below b" is "the mean of y - b x is negative". Swapping
    y with x and b with 1/b only turns the sign of T. The bounds that are not rejected are those of
    Fieller (1954, Some problems in interval estimation), within [0, inf): with $q = t^2(1/n+\rho)$
    $$A b^2 - 2 B b + C \le 0,\quad A = \bar x^2 - q s_{xx},\; B = \bar x\bar y - q s_{xy},\;
    C = \bar y^2 - q s_{yy}.$$ They are between the roots if A > 0, outside them if A < 0 and
    $D = B^2 - AC > 0$, and all if A < 0 and D <= 0.

    Parameters
    ----------
    top, bottom : (n,)
        y and x; the mean of x must not be negative. The pairs must be independent of each other;
        y and x of a pair may be, too.
    least : int
        With fewer units nothing is decided.
    extra : float
        rho, see `splits_mean`.
    shown : int
        With fewer units there is no interval.
    """

    top: np.ndarray
    bottom: np.ndarray
    least: int = RATIO_UNITS
    extra: float = 0.0
    method: str = "Fieller"
    shown: int = 2

    def __post_init__(self) -> None:
        if len(self.top) != len(self.bottom):
            raise ValueError(f"pairs have {len(self.top)} and {len(self.bottom)} values")
        for name in ("top", "bottom"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @property
    def n(self) -> int:
        """The number of pairs."""
        return len(self.top)

    @cached_property
    @np.errstate(all="ignore")
    def value(self) -> float:
        """The ratio of means: inf over a mean of zero, nan over a negative one and for 0 / 0."""
        y, x, factor = self._scaled
        if not self.is_defined or math.isnan(y.mean()):
            return NAN
        if x.mean() > 0.0:
            return float(y.mean() / x.mean() * factor)
        return math.inf if y.mean() > 0.0 else NAN

    @property
    @np.errstate(all="ignore")
    def is_defined(self) -> bool:
        """Whether the mean of x is such that "the ratio is below b" says something."""
        return self.n > 0 and 0.0 <= self._scaled[1].mean() < math.inf

    @np.errstate(all="ignore")
    def p_values(self, bound: float) -> tuple[float, float]:
        """Return p of "the ratio is below the bound", and of "above"."""
        if self.n < max(self.least, 2) or not self.is_defined:
            return NEITHER
        y, x, factor = self._scaled
        return t_test(difference(y, bound / factor * x), self.extra)

    @np.errstate(all="ignore")
    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the ratios that are not rejected, within [0, inf): up to two pieces."""
        y, x, factor = self._scaled
        if self.n < self.shown or not (self.is_defined and np.isfinite(y).all()):
            return []
        q = t_quantile(self.n - 1, level) ** 2 * (1.0 / self.n + self.extra)
        (s_yy, s_xy), (_, s_xx) = q * np.cov(y, x)
        y_mean, x_mean = y.mean(), x.mean()
        roots = quadratic_pieces(x_mean**2 - s_xx, x_mean * y_mean - s_xy, y_mean**2 - s_yy)
        ends = [(max(low, 0.0) * factor, high * factor) for low, high in roots if high >= 0.0]
        return [(float(low), float(high)) for low, high in ends if low <= high]

    @cached_property
    @np.errstate(over="ignore")
    def _scaled(self) -> tuple[np.ndarray, np.ndarray, Any]:
        """Both sides over powers of two near their largest values, and the quotient of these.

        No square is then too large or too small for a float.
        """
        powers = [power_of_two(side) for side in (self.top, self.bottom)]
        y, x = (np.ldexp(side, -p) for side, p in zip((self.top, self.bottom), powers, strict=True))
        return y, x, np.ldexp(1.0, powers[0] - powers[1])

    @np.errstate(all="ignore")
    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return the fewest pairs."""
        if self.n < 2 or not self.is_defined:
            return None
        y, x, factor = self._scaled
        bound = bound / factor
        spread = float(np.std(difference(y, bound * x), ddof=1))
        effect = float((1.0 - 1.0 / ratio) * bound * x.mean())
        return units_of_t(effect, spread, alpha, POWER, self.least, self.extra)


@dataclass(frozen=True, eq=False)
class Mean:
    r"""Mean of independent values, by Student's t: differences, slopes, logarithms.

    $T(b) = (\bar v - b)/(s_v\sqrt{1/n + \rho})$ with n - 1 degrees of freedom.

    Parameters
    ----------
    values : (n,)
        One of each unit.
    least : int
        With fewer units nothing is decided; the interval is there from two on.
    extra : float
        rho, see `splits_mean`.
    unit : float or None
        By how much the value changes if what it is about changes by a factor e; None if the value
        itself is what changes by a factor.
    """

    values: np.ndarray
    least: int = RATIO_UNITS
    method: str = "t"
    extra: float = 0.0
    unit: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", np.asarray(self.values, dtype=float))

    @property
    def n(self) -> int:
        """The number of values."""
        return len(self.values)

    @cached_property
    @np.errstate(all="ignore")
    def value(self) -> float:
        """The mean; nan of no values."""
        return float(self.values.mean()) if self.n else NAN

    @np.errstate(all="ignore")
    def p_values(self, bound: float) -> tuple[float, float]:
        """Return p of "the mean is below the bound", and of "above"."""
        if self.n < max(self.least, 2):
            return NEITHER
        return t_test(difference(self.values, np.full(self.n, float(bound))), self.extra)

    @np.errstate(all="ignore")
    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the t interval."""
        if self.n < 2:
            return []
        error = float(self.values.std(ddof=1)) * math.sqrt(1.0 / self.n + self.extra)
        half = t_quantile(self.n - 1, level) * error
        return [(self.value - half, self.value + half)] if math.isfinite(self.value + half) else []

    @np.errstate(all="ignore")
    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return the fewest units; None if the bound is zero, from which nothing is a factor."""
        if self.n < 2:
            return None
        if self.unit is None:
            effect = (1.0 - 1.0 / ratio) * abs(bound)
        else:
            effect = math.log(ratio) * self.unit
        spread = float(self.values.std(ddof=1))
        return units_of_t(effect, spread, alpha, POWER, self.least, self.extra)


@dataclass(frozen=True)
class Mapped:
    """A number that is a monotone function of another, of which there is evidence.

    Parameters
    ----------
    inner : Evidence
        Of the other number.
    map, back : callable
        The function and its inverse; nan where there is no such number, which decides nothing.
    method : str
    falls : bool
        Whether the function decreases.
    """

    inner: Evidence
    map: Callable[[float], float]
    back: Callable[[float], float]
    method: str
    falls: bool = False

    @property
    def n(self) -> int | None:
        """The units behind the other number."""
        return self.inner.n

    @property
    def value(self) -> float:
        """The number."""
        return self.map(self.inner.value)

    def p_values(self, bound: float) -> tuple[float, float]:
        """Return the p-values of the other number at the bound, mapped back."""
        below, above = self.inner.p_values(self.back(bound))
        return (above, below) if self.falls else (below, above)

    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the interval of the other number, mapped; none where that is not defined."""
        ends = [sorted(map(self.map, piece)) for piece in self.inner.pieces(level)]
        return sorted((low, high) for low, high in ends if low <= high)

    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return the units of the other number; ``ratio`` is a factor there."""
        inner = self.back(bound)
        return None if math.isnan(inner) else self.inner.units_for(inner, ratio, alpha)


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


# Measures without a law of the values.


@dataclass(frozen=True, eq=False)
class MedianRatio:
    r"""Median of y / x over pairs, by the sign test of y - b x at the bound.

    With k of n pairs not on one side, $p = P(\mathrm{Bin}(n, 1/2) \le k)$ for that side, exact or
    too large whatever the law of the values: a tie speaks for the median at the bound, so it counts
    against both sides. The interval is from order statistic j of the ratios to n + 1 - j, where
    j - 1 is the largest k with $P(\mathrm{Bin}(n, 1/2) \le k) \le \alpha$: all bounds that the test
    does not reject. A ratio y / 0 is infinite, 0 / 0 is a tie with every bound. With fewer pairs
    than `fewest_pairs` no p can reach alpha.

    Parameters
    ----------
    top, bottom : (n,)
        y and x, not negative.
    """

    top: np.ndarray
    bottom: np.ndarray
    method: str = "sign test"
    ratios: np.ndarray = field(init=False)

    @np.errstate(all="ignore")
    def __post_init__(self) -> None:
        y, x = np.asarray(self.top, dtype=float), np.asarray(self.bottom, dtype=float)
        if len(y) != len(x):
            raise ValueError(f"pairs have {len(y)} and {len(x)} values")
        known = np.isfinite(y) & np.isfinite(x) & ((x > 0.0) | (y > 0.0))
        ratios = np.divide(y, x, out=np.full(len(y), math.inf), where=x > 0.0)[known]
        for name, array in (("top", y), ("bottom", x), ("ratios", np.sort(ratios))):
            object.__setattr__(self, name, array)

    @property
    def n(self) -> int:
        """The number of pairs."""
        return len(self.top)

    @property
    @np.errstate(all="ignore")
    def value(self) -> float:
        """The median of the ratios."""
        return float(np.median(self.ratios)) if len(self.ratios) else NAN

    @np.errstate(all="ignore")
    def p_values(self, bound: float) -> tuple[float, float]:
        """Return p of "the median is below the bound", and of "above"."""
        differences = difference(self.top, bound * self.bottom)
        if not np.isfinite(differences).all():
            return NEITHER
        below, above = int((differences < 0.0).sum()), int((differences > 0.0).sum())
        return at_most(self.n - below, self.n, 0.5), at_most(self.n - above, self.n, 0.5)

    @np.errstate(all="ignore")
    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return two order statistics of the ratios, none if there are too few."""
        j = largest_rejected(self.n, 0.5 - 0.5 * level) + 1
        ties = np.zeros(self.n - len(self.ratios))
        low, high = np.append(ties, self.ratios), np.append(self.ratios, ties + math.inf)
        return [(float(low[j - 1]), float(high[self.n - j]))] if j else []

    @np.errstate(all="ignore")
    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return the fewest pairs if all ratios were moved until their median is that far off."""
        if not (len(self.ratios) and 0.0 < self.value < math.inf):
            return None
        inside = self.ratios / self.value
        share = min(float((inside < ratio).mean()), float((inside > 1.0 / ratio).mean()))
        return units_of_signs(share, alpha, POWER)


@dataclass(frozen=True)
class Share:
    r"""Share of trials in which something holds, by Clopper and Pearson (1934).

    $p = P(\mathrm{Bin}(n, b) \le k)$ for "below b" and $P(\mathrm{Bin}(n, b) \ge k)$ for "above".
    Units are trials, never rounds of a trial.

    Parameters
    ----------
    successes, n : int
        k and n.
    """

    successes: int
    n: int
    method: str = "Clopper-Pearson"

    @property
    def value(self) -> float:
        """k / n; nan of no trial."""
        return self.successes / self.n if self.n else NAN

    def p_values(self, bound: float) -> tuple[float, float]:
        """Return p of "the share is below the bound", and of "above"."""
        if not self.n or math.isnan(bound):
            return NEITHER
        if not 0.0 <= bound <= 1.0:
            return (0.0, 1.0) if bound > 1.0 else (1.0, 0.0)
        return at_most(self.successes, self.n, bound), at_least(self.successes, self.n, bound)

    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the interval of Clopper and Pearson."""
        _, low, high = proportion_interval(self.successes, self.n, level)
        return [(low, high)] if self.n else []

    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return None: see `detectable_rate` for what a number of trials would show."""
        return None


@dataclass(frozen=True)
class Exact:
    """A value without sampling error: arithmetic, counts, the worst over some trials.

    Parameters
    ----------
    value : float
    n : int or None
        The number of trials it was made from, if it was made from trials.
    """

    value: float
    n: int | None = None
    method: str = "exact"

    def p_values(self, bound: float) -> tuple[float, float]:
        """Return 0 on the side where the value is; (1, 1) on the bound itself, and for nan."""
        if self.value == bound or math.isnan(self.value) or math.isnan(bound):
            return NEITHER
        return (0.0, 1.0) if self.value < bound else (1.0, 0.0)

    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return no interval."""
        return []

    def units_for(self, bound: float, ratio: float, alpha: float) -> int | None:
        """Return None: no number of units changes it."""
        return None


# Kinds of evidence that are one of the above on other numbers.


@np.errstate(all="ignore")
def mean_difference(top: np.ndarray, bottom: np.ndarray, least: int = RATIO_UNITS) -> Mean:
    """Return evidence of the mean of paired differences y - x, by Student's t."""
    return Mean(np.asarray(top, dtype=float) - np.asarray(bottom, dtype=float), least)


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


def median_of(values: np.ndarray) -> MedianRatio:
    """Return evidence of the median of independent values (n,), by the sign test."""
    return MedianRatio(values, np.ones(len(values)))


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
    logs = np.atleast_2d(log(points))
    width = float((logs.max(axis=1) - logs.min(axis=1)).mean()) if logs.size else 0.0
    unit = 1.0 / width if width > 0.0 else NAN
    slopes = log_log_slopes(points, np.transpose(values / bottoms))
    return Mean(slopes, TURNS, "t of the slopes", unit=unit)


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

    def statistic(means):
        logs_x, logs_v, logs_b = np.split(np.log(means), 3)
        centred = logs_x - logs_x.mean(axis=0)
        return (centred * (logs_v - logs_b)).sum(axis=0) / (centred**2).sum(axis=0)

    ends = np.log(x.mean(axis=1)) if x.size else np.empty(0)
    width = float(np.ptp(ends)) if len(ends) else 0.0
    unit = 1.0 / width if width > 0.0 else NAN
    found = jackknife_values(statistic, columns)
    return Mean(found, RATIO_UNITS, "t of the slope of means, jackknife", unit=unit)


def ratio_of_ratios(
    top: np.ndarray, bottom: np.ndarray, base_top: np.ndarray, base_bottom: np.ndarray
) -> Mapped:
    r"""Return evidence of (y / x) / (y' / x'), all means over n units, by the jackknife.

    Student's t of `jackknife_values` of the logarithm gives interval and test. Units are the trials
    that all four have in common.
    """

    def logarithm(means):
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
    return statistic(columns.mean(axis=1)) + (n - 1) * (without.mean() - without)


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
