"""Classes of evidence: tests and intervals for one number estimated from trials.

`optimist.claims.inference` creates such evidence from plain arrays. Every class here has:

- ``value``, the estimate; nan if there is none.
- ``n``, the number of independent units (trials, turns or splits); None if the value comes from no
  trials.
- ``method``, the name of the method used for the interval and the p-values.
- ``p_values(bound)``, except in `Exact`: a p-value for "the truth is below the bound" and one for
  "the truth is above the bound". A p-value is small if the data support its statement. Both are 1
  if the data allow no conclusion, because there are too few units or some numbers are not finite.
- ``pieces(level)``: the set of bounds that a two-sided test does not reject at the confidence
  level ``level``, as a list of zero, one or two pairs (low, high).
- ``power(bound, ratio, n, alpha)``: the probability that n units show on which side of the bound
  the truth lies, with an error of at most ``alpha`` on each side; nan if it is undefined. The truth
  is assumed to differ from the bound by a factor ``ratio``; of the two sides, the one with the
  smaller probability is taken. This effect is fixed in advance, because a power computed from the
  observed effect only restates the p-value (Hoenig and Heisey 2001, The abuse of power).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from optimist.claims import tails
from optimist.claims.tails import NEITHER, power_of_signs, power_of_t
from optimist.numerics.statistics import proportion_interval, t_quantile

NAN = math.nan
# Default for the smallest number of units needed to decide.
RATIO_UNITS = 10


# Measures that use Student's t.


@dataclass(frozen=True, eq=False)
class RatioOfMeans:
    r"""Ratio of the mean of y to the mean of x, by a t test of y - b x at each bound b.

    The test uses $$T(b) = \frac{\bar y - b\bar x}{s_{y-bx}\sqrt{1/n + \rho}}$$ with n - 1 degrees
    of freedom. If the mean of x is positive, "the ratio is below b" is equivalent to "the mean of
    y - b x is negative". Swapping y with x and b with 1/b only changes the sign of T. The bounds
    that the test does not reject form the interval of Fieller (1954, Some problems in interval
    estimation), here restricted to [0, inf). With $q = t^2(1/n+\rho)$, they satisfy
    $$A b^2 - 2 B b + C \le 0,\quad A = \bar x^2 - q s_{xx},\; B = \bar x\bar y - q s_{xy},\;
    C = \bar y^2 - q s_{yy}.$$ This set lies between the roots if A > 0, and outside them if A < 0
    and $D = B^2 - AC > 0$; if A < 0 and D <= 0, it contains every bound.

    Parameters
    ----------
    top, bottom : (n,)
        y and x; the mean of x must not be negative. The pairs must be independent of each other,
        but y and x may be dependent within a pair.
    least : int
        Smallest number of units needed for the test to decide.
    extra : float
        rho (see `splits_mean`).
    shown : int
        Smallest number of units needed for an interval.
    """

    top: np.ndarray
    bottom: np.ndarray
    least: int = RATIO_UNITS
    extra: float = 0.0
    method: str = "Fieller"
    shown: int = 2

    def __post_init__(self) -> None:
        for name in ("top", "bottom"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))

    @property
    def n(self) -> int:
        return len(self.top)

    @cached_property
    @np.errstate(all="ignore")
    def value(self) -> float:
        """The ratio of the means.

        It is inf if only the mean of x is 0, and nan if both means are 0 or the mean of x is
        negative.
        """
        y, x, factor = self._scaled
        if not self.is_defined or math.isnan(y.mean()):
            return NAN
        if x.mean() > 0.0:
            return float(y.mean() / x.mean() * factor)
        return math.inf if y.mean() > 0.0 else NAN

    @property
    @np.errstate(all="ignore")
    def is_defined(self) -> bool:
        """Whether bounds on the ratio are meaningful: the mean of x is finite and at least 0."""
        return self.n > 0 and 0.0 <= self._scaled[1].mean() < math.inf

    @np.errstate(all="ignore")
    def p_values(self, bound: float) -> tuple[float, float]:
        if self.n < max(self.least, 2) or not self.is_defined:
            return NEITHER
        y, x, factor = self._scaled
        return tails.t_test(tails.difference(y, bound / factor * x), self.extra)

    @np.errstate(all="ignore")
    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the ratios in [0, inf) that the test does not reject, as at most two intervals."""
        y, x, factor = self._scaled
        if self.n < self.shown or not (self.is_defined and np.isfinite(y).all()):
            return []
        q = t_quantile(self.n - 1, level) ** 2 * (1.0 / self.n + self.extra)
        (s_yy, s_xy), (_, s_xx) = q * np.cov(y, x)
        y_mean, x_mean = y.mean(), x.mean()
        roots = tails.quadratic_pieces(x_mean**2 - s_xx, x_mean * y_mean - s_xy, y_mean**2 - s_yy)
        ends = [(max(low, 0.0) * factor, high * factor) for low, high in roots if high >= 0.0]
        return [(float(low), float(high)) for low, high in ends if low <= high]

    @cached_property
    def _scaled(self) -> tuple[np.ndarray, np.ndarray, Any]:
        """y and x, each divided by a power of two, and the quotient of the two powers.

        Each power is close to the largest value it divides, so that squares neither overflow nor
        underflow.
        """
        powers = [tails.power_of_two(side) for side in (self.top, self.bottom)]
        y, x = (np.ldexp(side, -p) for side, p in zip((self.top, self.bottom), powers, strict=True))
        return y, x, np.ldexp(1.0, powers[0] - powers[1])

    @np.errstate(all="ignore")
    def power(self, bound: float, ratio: float, n: int, alpha: float) -> float:
        if self.n < 2 or not self.is_defined:
            return NAN
        y, x, factor = self._scaled
        bound = bound / factor
        spread = float(np.std(tails.difference(y, bound * x), ddof=1))
        effect = float((1.0 - 1.0 / ratio) * bound * x.mean())
        return power_of_t(effect, spread, n, alpha, self.extra)


@dataclass(frozen=True, eq=False)
class Mean:
    r"""Mean of independent values (differences, slopes, logarithms), by Student's t.

    The test uses $T(b) = (\bar v - b)/(s_v\sqrt{1/n + \rho})$ with n - 1 degrees of freedom.

    Parameters
    ----------
    values : (n,)
        One value per unit.
    least : int
        Smallest number of units needed for the test to decide; two suffice for an interval.
    extra : float
        rho (see `splits_mean`).
    unit : float or None
        Change in a value when the underlying quantity is multiplied by e; None if the value is
        itself that quantity.
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
        return len(self.values)

    @cached_property
    @np.errstate(all="ignore")
    def value(self) -> float:
        """The mean; nan if there are no values."""
        return float(self.values.mean()) if self.n else NAN

    def p_values(self, bound: float) -> tuple[float, float]:
        if self.n < max(self.least, 2):
            return NEITHER
        return tails.t_test(tails.difference(self.values, bound), self.extra)

    @np.errstate(all="ignore")
    def pieces(self, level: float) -> list[tuple[float, float]]:
        if self.n < 2:
            return []
        error = float(self.values.std(ddof=1)) * math.sqrt(1.0 / self.n + self.extra)
        half = t_quantile(self.n - 1, level) * error
        return [(self.value - half, self.value + half)] if math.isfinite(self.value + half) else []

    @np.errstate(all="ignore")
    def power(self, bound: float, ratio: float, n: int, alpha: float) -> float:
        """Return the power with n units; nan if ``unit`` is None and the bound is zero.

        The reason for nan is that no value differs from zero by a factor.
        """
        if self.n < 2:
            return NAN
        effect = (1.0 - 1.0 / ratio) * abs(bound)
        if self.unit is not None:
            effect = math.log(ratio) * self.unit
        return power_of_t(effect, float(self.values.std(ddof=1)), n, alpha, self.extra)


@dataclass(frozen=True)
class Mapped:
    """Evidence about f(z) for a monotone function f, derived from evidence about z.

    Parameters
    ----------
    inner : Mean, RatioOfMeans or MedianRatio
        Evidence about z.
    map, back : callable
        f and its inverse. Outside its domain, each returns nan, which decides nothing.
    falls : bool
        Whether f is decreasing.
    pairs : (array, array) or None
        For a ratio of ratios of means: the numerator and the denominator in each trial.
    """

    inner: "Mean | RatioOfMeans | MedianRatio"
    map: Callable[[float], float]
    back: Callable[[float], float]
    method: str
    falls: bool = False
    pairs: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def n(self) -> int | None:
        return self.inner.n

    @property
    def value(self) -> float:
        return self.map(self.inner.value)

    def p_values(self, bound: float) -> tuple[float, float]:
        """Return the p-values from the test of z at the inverse image of the bound."""
        below, above = self.inner.p_values(self.back(bound))
        return (above, below) if self.falls else (below, above)

    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the images under f of the intervals for z, omitting those with a nan end."""
        ends = [sorted(map(self.map, piece)) for piece in self.inner.pieces(level)]
        return sorted((low, high) for low, high in ends if low <= high)

    def power(self, bound: float, ratio: float, n: int, alpha: float) -> float:
        """Return the power of the test of z; ``ratio`` is a factor on z, not on f(z)."""
        return self.inner.power(self.back(bound), ratio, n, alpha)


# Measures that assume no particular distribution.


@dataclass(frozen=True, eq=False)
class MedianRatio:
    r"""Median of y / x over pairs, by the sign test of y - b x at the bound b.

    The p-value for "the median is below b" is $P(\mathrm{Bin}(n, 1/2) \le k)$ if y - b x is zero or
    positive in k of the n pairs. For "above b", k counts the pairs in which it is zero or negative.
    Both p-values are exact or conservative for any distribution: a tie supports a median at the
    bound, so it counts against both statements. The interval contains all bounds that the test does
    not reject. It runs from order statistic j of the ratios to order statistic n + 1 - j, where
    j - 1 is the largest k with $P(\mathrm{Bin}(n, 1/2) \le k) \le \alpha$. A ratio y / 0 is
    infinite, and 0 / 0 is a tie with every bound. With fewer pairs than `fewest_pairs` returns, no
    p-value can reach alpha.

    Parameters
    ----------
    top, bottom : (n,)
        y and x, which must be nonnegative.
    """

    top: np.ndarray
    bottom: np.ndarray
    method: str = "sign test"
    ratios: np.ndarray = field(init=False)

    @np.errstate(all="ignore")
    def __post_init__(self) -> None:
        y, x = np.asarray(self.top, dtype=float), np.asarray(self.bottom, dtype=float)
        is_counted = np.isfinite(y) & np.isfinite(x) & ((x > 0.0) | (y > 0.0))
        ratios = np.divide(y, x, out=np.full(len(y), math.inf), where=x > 0.0)[is_counted]
        for name, array in (("top", y), ("bottom", x), ("ratios", np.sort(ratios))):
            object.__setattr__(self, name, array)

    @property
    def n(self) -> int:
        return len(self.top)

    @property
    @np.errstate(all="ignore")
    def value(self) -> float:
        return float(np.median(self.ratios)) if len(self.ratios) else NAN

    @np.errstate(all="ignore")
    def p_values(self, bound: float) -> tuple[float, float]:
        differences = tails.difference(self.top, bound * self.bottom)
        if not np.isfinite(differences).all():
            return NEITHER
        below, above = int((differences < 0.0).sum()), int((differences > 0.0).sum())
        return tails.at_most(self.n - below, self.n, 0.5), tails.at_most(
            self.n - above, self.n, 0.5
        )

    def pieces(self, level: float) -> list[tuple[float, float]]:
        """Return the interval between two order statistics, or none if there are too few pairs."""
        j = tails.largest_rejected(self.n, 0.5 - 0.5 * level) + 1
        ties = np.zeros(self.n - len(self.ratios))
        low, high = np.append(ties, self.ratios), np.append(self.ratios, ties + math.inf)
        return [(float(low[j - 1]), float(high[self.n - j]))] if j else []

    @np.errstate(all="ignore")
    def power(self, bound: float, ratio: float, n: int, alpha: float) -> float:
        """Return the power with n pairs, estimated from the observed ratios after scaling.

        The scaling makes their median differ from the bound by the factor ``ratio``.
        """
        if not (len(self.ratios) and 0.0 < self.value < math.inf):
            return NAN
        inside = self.ratios / self.value
        share = min(float((inside < ratio).mean()), float((inside > 1.0 / ratio).mean()))
        return power_of_signs(share, n, alpha)


@dataclass(frozen=True)
class Share:
    r"""Share of trials with a property, by the method of Clopper and Pearson (1934).

    The p-value is $P(\mathrm{Bin}(n, b) \le k)$ for "below b" and $P(\mathrm{Bin}(n, b) \ge k)$ for
    "above b". The units are trials, never the rounds of a trial.

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
        """k / n; nan if there are no trials."""
        return self.successes / self.n if self.n else NAN

    def p_values(self, bound: float) -> tuple[float, float]:
        if not self.n or math.isnan(bound):
            return NEITHER
        if not 0.0 <= bound <= 1.0:
            return (0.0, 1.0) if bound > 1.0 else (1.0, 0.0)
        return tails.at_most(self.successes, self.n, bound), tails.at_least(
            self.successes, self.n, bound
        )

    def pieces(self, level: float) -> list[tuple[float, float]]:
        _, low, high = proportion_interval(self.successes, self.n, level)
        return [(low, high)] if self.n else []

    def power(self, bound: float, ratio: float, n: int, alpha: float) -> float:
        return NAN  # see `detectable_rate` for the rate that n trials can detect


@dataclass(frozen=True)
class Exact:
    """A value without sampling error: a computed number, a count, or the largest value over trials.

    Parameters
    ----------
    value : float
    n : int or None
        The number of trials that gave the value; None if it does not come from trials.
    """

    value: float
    n: int | None = None
    method: str = "exact"

    def pieces(self, level: float) -> list[tuple[float, float]]:
        return []

    def power(self, bound: float, ratio: float, n: int, alpha: float) -> float:
        return NAN


Evidence = RatioOfMeans | Mean | Mapped | MedianRatio | Share | Exact


def for_typical_trial(evidence: Evidence) -> Evidence:
    """Return evidence about the typical trial in place of a ratio of means.

    Other evidence is returned as it is.
    """
    if isinstance(evidence, RatioOfMeans):
        return MedianRatio(evidence.top, evidence.bottom)
    if isinstance(evidence, Mapped) and evidence.pairs is not None:
        return MedianRatio(*evidence.pairs)
    return evidence
