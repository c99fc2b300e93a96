"""Evidence: worked examples, what test and interval share, invariances and extreme numbers."""

import math
import warnings

import numpy as np
import pytest
from scipy.stats import nct, t

from optimist.claims.claim import Check
from optimist.claims.evidence import Exact, Mean, MedianRatio, RatioOfMeans, Share
from optimist.claims.inference import (
    exponent_between,
    jackknife_values,
    mean_difference,
    ratio_of_ratios,
    slope,
    slope_of_means,
    splits_mean,
    spread_ratio,
    turns_mean,
    turns_ratio,
)
from optimist.claims.results import p_values
from optimist.claims.tails import (
    detectable_rate,
    fewest_pairs,
    power_of_signs,
    power_of_t,
    quadratic_pieces,
)

# Pairs of y and x by hand: a bounded interval; one end; no end; two pieces.
ONE = [13, 15, 11, 15, 16, 12, 18, 12], [10, 12, 9, 11, 14, 10, 13, 9]
TWO = [30, 36, 28, 41, 33, 29, 35, 32], [10, 12, 9, 95, 14, 10, 13, 9]
THREE = [3, 2, 4, 5, 3, 60, 2, 4], [1, 2, 1, 40, 2, 1, 3, 2]
FOUR = [5, 6, 4, 100, 7, 5, 6, 4], [8, 10, 7, 107, 11, 8, 9, 7]
TURNS = np.log([0.88, 0.93, 0.85, 0.97, 0.90, 0.86, 0.95, 0.91])
SPLITS = [0.012, -0.004, 0.008, 0.015, 0.003, 0.010, 0.001, 0.006, 0.009, 0.004]
SIX_DIGITS = 5e-7


def median_of(values):
    """Evidence of a median of single values."""
    return MedianRatio(values, np.ones(len(values)))


def eight(pair):
    """Evidence of a ratio that decides with the eight pairs above."""
    return RatioOfMeans(*pair, least=8)


# Worked examples.


@pytest.mark.parametrize(
    ("evidence", "value", "pieces"),
    [
        (eight(ONE), 112 / 88, [(1.194836, 1.354904)]),
        (eight(ONE[::-1]), 88 / 112, [(0.738059, 0.836935)]),
        (eight(TWO), 264 / 172, [(0.768729, math.inf)]),
        (eight(THREE), 83 / 52, [(0.0, math.inf)]),
        (eight(FOUR), 137 / 167, [(0.0, 0.903452), (1.319620, math.inf)]),
        (exponent_between(eight(ONE), 2.0), math.log2(112 / 88), [(0.256812, 0.438191)]),
        (MedianRatio(*ONE), 1.275, [(1.142857, 1.384615)]),
        (spread_ratio(*ONE), 1.333333, [(0.789300, 2.794729)]),
        (turns_mean(TURNS), 0.905384, [(0.870696, 0.941454)]),
        (splits_mean(SPLITS, 5), 0.0064, [(-0.001097, 0.013897)]),
        (Share(58, 60), 58 / 60, [(0.884719, 0.995937)]),
    ],
)
def test_values_and_intervals_of_the_worked_examples(evidence, value, pieces):
    assert evidence.value == pytest.approx(value, abs=SIX_DIGITS)
    found = evidence.pieces(0.95)
    assert np.shape(found) == np.shape(pieces)
    np.testing.assert_allclose(found, pieces, rtol=0.0, atol=SIX_DIGITS)


def test_tests_of_the_worked_examples():
    # T is 7.937254 at 1 and 0.683130 at 1.25 with seven degrees of freedom, from tables.
    assert eight(ONE).p_values(1.0)[1] == pytest.approx(0.000048, abs=SIX_DIGITS)
    assert eight(ONE).p_values(1.25) == pytest.approx((0.741755, 0.258245), abs=SIX_DIGITS)
    assert eight(TWO).p_values(0.5)[1] == pytest.approx(0.000550, abs=SIX_DIGITS)
    # Below 1, though the interval reaches beyond it: T is not monotone in the bound.
    assert eight(FOUR).p_values(1.0)[0] < 1e-4


@pytest.mark.parametrize(("n", "j"), [(6, 1), (10, 2), (30, 10), (100, 40)])
def test_order_statistics_of_the_median(n, j):
    values = np.random.default_rng(0).permutation(np.arange(1.0, n + 1.0))
    assert median_of(values).pieces(0.95) == [(j, n + 1 - j)]


def test_the_sign_test_needs_six_pairs_or_seven():
    assert fewest_pairs(0.025) == 6
    assert fewest_pairs(0.5 - 0.5 * 0.98) == 7
    for n, level in ((5, 0.95), (6, 0.98)):
        few, enough = (median_of(np.arange(1.0, m + 1.0)) for m in (n, n + 1))
        assert few.p_values(0.5)[1] > 0.5 - 0.5 * level >= enough.p_values(0.5)[1]
        assert few.pieces(level) == []
        assert enough.pieces(level) == [(1.0, n + 1.0)]


def test_folds_decide_from_that_distance_on():
    # In standard deviations: 1.86 with five splits, 1.11 with 25, never below 0.98.
    for n, distance in ((5, 1.86), (25, 1.11), (10**6, 0.98)):
        rng = np.random.default_rng(n)
        d = rng.normal(size=n)
        d = (d - d.mean()) / d.std(ddof=1)
        assert splits_mean(d + distance - 0.01, 5).p_values(0.0)[1] > 0.025
        assert splits_mean(d + distance + 0.01, 5).p_values(0.0)[1] < 0.025


def test_failures_that_sixty_trials_would_show():
    assert detectable_rate(60, 0.01, 0.025) == pytest.approx(0.07, abs=0.0005)
    assert math.isnan(detectable_rate(1, 0.5, 0.025))
    # Two failures of 60 are within a failure probability of 0.01, three are not.
    assert Share(58, 60).p_values(0.99)[0] > 0.025 >= Share(57, 60).p_values(0.99)[0]
    # With ten times that rate they show in 95 % of cases.
    share = sum(math.comb(60, k) * 0.1**k * 0.9 ** (60 - k) for k in range(3))
    assert 1.0 - share > 0.8


# Test and interval are one.

RNG = np.random.default_rng(1)
X = RNG.lognormal(0.0, 0.5, 60)
Y = 1.4 * X * RNG.lognormal(0.0, 0.3, 60)
U, V = RNG.lognormal(0.0, 0.5, (2, 60))
ALL = {
    "ratio of means": RatioOfMeans(Y, X),
    "ratio of means over splits": RatioOfMeans(Y, X, extra=0.25),
    "difference": mean_difference(Y, X),
    "median": MedianRatio(Y, X),
    "spread": spread_ratio(Y, X),
    "exponent": exponent_between(RatioOfMeans(Y, X), 8.0),
    "shrinking exponent": exponent_between(RatioOfMeans(Y, X), 1.0 / 8.0),
    "ratio of ratios": ratio_of_ratios(Y, X, U, V),
    "slope": slope([1.0, 3.0, 7.0], np.array([X, 2.0 * Y, 4.0 * U])),
    "turns": turns_ratio(Y, X),
    "splits": splits_mean(Y - X, 5),
    "share": Share(41, 60),
}


@pytest.fixture(params=ALL)
def evidence(request):
    return ALL[request.param]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.98])
def test_the_interval_ends_where_the_test_starts_to_reject(evidence, level):
    alpha, ((low, high),) = 0.5 - 0.5 * level, evidence.pieces(level)
    assert low < evidence.value < high
    for inside, outside in ((1.0, -1.0), (-1.0, 1.0)):
        end, side = (low, 1) if inside > 0.0 else (high, 0)
        assert evidence.p_values(end + inside * 1e-6)[side] > alpha
        assert evidence.p_values(end + outside * 1e-6)[side] <= alpha


def test_the_two_tails_are_one_unless_values_are_counted(evidence):
    for bound in (0.3, 0.9, 1.5):
        below, above = evidence.p_values(bound)
        if evidence.method in ("sign test", "Clopper-Pearson"):
            assert below + above >= 1.0
        else:
            assert below + above == pytest.approx(1.0)


# Invariances.

PAIRED = {
    "mean": RatioOfMeans,
    "splits": lambda y, x: RatioOfMeans(y, x, extra=0.25),
    "median": MedianRatio,
    "spread": spread_ratio,
    "turns": turns_ratio,
}


@pytest.mark.parametrize("make", PAIRED.values(), ids=PAIRED)
def test_swapping_sides_swaps_the_tails_and_inverts_the_interval(make):
    for bound in (0.7, 1.2, 1.4, 1.5, 3.0):
        swapped = make(X, Y).p_values(1.0 / bound)
        assert make(Y, X).p_values(bound) == pytest.approx(swapped[::-1], rel=1e-9)
    ((low, high),), ((other_low, other_high),) = make(Y, X).pieces(0.95), make(X, Y).pieces(0.95)
    assert (low, high) == pytest.approx((1.0 / other_high, 1.0 / other_low), rel=1e-9)


@pytest.mark.parametrize("make", PAIRED.values(), ids=PAIRED)
@pytest.mark.parametrize("scale", [1e-200, 3.7, 1e150])
def test_scales_do_not_matter(make, scale):
    plain, both, one = make(Y, X), make(scale * Y, scale * X), make(3.0 * Y, X)
    assert both.value == pytest.approx(plain.value)
    for bound in (0.7, 1.4, 1.5):
        assert both.p_values(bound) == pytest.approx(plain.p_values(bound), rel=1e-9)
        assert one.p_values(3.0 * bound) == pytest.approx(plain.p_values(bound), rel=1e-9)
    assert both.pieces(0.95)[0] == pytest.approx(plain.pieces(0.95)[0])


# Few units.


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (lambda n: RatioOfMeans(Y[:n], 9.0 * X[:n]), 10),
        (lambda n: mean_difference(Y[:n], 9.0 * X[:n] + 9.0), 10),
        (lambda n: spread_ratio(Y[:n], 99.0 * X[:n]), 10),
        (lambda n: ratio_of_ratios(Y[:n], 99.0 * X[:n], X[:n], Y[:n]), 30),
        (lambda n: slope([1.0, 2.0], np.array([9.0 * X[:n], Y[:n]])), 5),
        (lambda n: turns_ratio(Y[:n], 9.0 * X[:n]), 5),
        (lambda n: splits_mean(Y[:n] / 1e6 - X[:n] - 9.0, 5), 5),
    ],
)
def test_too_few_units_decide_nothing_and_show_their_interval(make, least):
    assert make(least - 1).p_values(0.9) == (1.0, 1.0)
    assert len(make(least - 1).pieces(0.95)) == 1
    assert make(least).p_values(0.9)[0] < 0.025
    assert make(1).p_values(0.9) == (1.0, 1.0)
    assert make(1).pieces(0.95) == []
    assert make(0).pieces(0.95) == []
    assert math.isnan(make(0).value)


# Extreme numbers.


def test_no_spread_leaves_no_doubt_and_equality_none_either_way():
    twice = RatioOfMeans([2.0] * 10, [1.0] * 10)
    assert twice.p_values(1.9) == (1.0, 0.0)
    assert twice.p_values(2.1) == (0.0, 1.0)
    assert twice.p_values(2.0) == (1.0, 1.0)
    assert twice.pieces(0.95)[0] == pytest.approx((2.0, 2.0))
    assert Mean([0.1 + 0.2] * 10).p_values(0.3) == (1.0, 1.0)


def test_rounding_is_no_difference():
    x = np.arange(1.0, 21.0) / 7.0
    assert RatioOfMeans(1.1 * x, x).p_values(1.1) == (1.0, 1.0)
    assert RatioOfMeans(x * 1.1 / 3.0, x / 3.0).p_values(1.1) == (1.0, 1.0)
    assert MedianRatio(x * 1.1 / 3.0, x / 3.0).p_values(1.1) == (1.0, 1.0)


def test_ratios_over_nothing():
    zeros, ones = np.zeros(10), np.ones(10)
    assert RatioOfMeans(ones, zeros).value == math.inf
    assert RatioOfMeans(ones, zeros).p_values(5.0) == (1.0, 0.0)
    assert RatioOfMeans(zeros, ones).p_values(5.0) == (0.0, 1.0)
    assert RatioOfMeans(zeros, zeros).p_values(5.0) == (1.0, 1.0)
    # 1 / 0 is infinite, 0 / 0 a tie with every bound.
    most = MedianRatio([1.0] * 9 + [0.0], [0.0] * 10)
    assert most.value == math.inf
    assert most.p_values(5.0) == (1.0, 11.0 / 1024.0)
    assert most.pieces(0.95) == [(math.inf, math.inf)]
    half = MedianRatio([1.0] * 6 + [0.0] * 4, [0.0] * 10)
    assert half.p_values(5.0) == (1.0, 386.0 / 1024.0)
    assert half.pieces(0.95) == [(0.0, math.inf)]
    assert math.isnan(MedianRatio(zeros, zeros).value)


def test_a_median_with_ties_is_tested_as_its_interval_says():
    # Twenty ties at 1 and eight ratios of 1.1: the median is 1, and not above it.
    found = MedianRatio([1.0] * 20 + [1.1] * 8, np.ones(28))
    assert (found.value, found.pieces(0.975)) == (1.0, [(1.0, 1.1)])
    assert min(found.p_values(1.0)) > 0.5
    rng = np.random.default_rng(5)
    for _ in range(200):
        y, x = rng.integers(0, 4, (2, 15)).astype(float)
        found = MedianRatio(y, x)
        ((low, high),) = found.pieces(0.9)
        for bound in (0.0, 0.3, 1.0 / 3.0, 0.5, 0.7, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 9.0):
            below, above = found.p_values(bound)
            assert (below <= 0.05, above <= 0.05) == (high < bound, bound < low)


def test_roots_of_very_different_size_keep_their_digits():
    ((low, high),) = quadratic_pieces(1e-12, 1.0, 1e-3)
    assert (low, high) == pytest.approx((5e-4, 2e12), rel=1e-12)
    # Without the square: half a line, all of it or nothing.
    assert quadratic_pieces(0.0, 2.0, 4.0) == [(1.0, math.inf)]
    assert quadratic_pieces(0.0, -2.0, 4.0) == [(-math.inf, -1.0)]
    assert quadratic_pieces(0.0, 0.0, -1.0) == [(-math.inf, math.inf)]
    assert quadratic_pieces(0.0, 0.0, 1.0) == []


def test_a_negative_mean_below_has_no_ratio():
    found = RatioOfMeans(Y, -X)
    assert math.isnan(found.value)
    assert found.p_values(1.0) == (1.0, 1.0)
    assert found.pieces(0.95) == []


def test_ends_that_do_not_differ_have_no_exponent():
    for factor in (1.0, 0.0, math.nan, math.inf):
        found = exponent_between(RatioOfMeans(Y, X), factor)
        assert math.isnan(found.value)
        assert found.p_values(0.5) == (1.0, 1.0)
        assert found.pieces(0.95) == []
    assert math.isnan(slope([2.0, 2.0], np.array([X, Y])).value)


def test_two_pieces_of_a_ratio_are_two_of_an_exponent():
    found = exponent_between(eight(FOUR), 2.0).pieces(0.95)
    assert found[0] == pytest.approx((-math.inf, math.log2(0.903452)), abs=1e-5)
    assert found[1] == pytest.approx((math.log2(1.319620), math.inf), abs=1e-5)


def test_shares_at_the_ends():
    assert Share(0, 5).pieces(0.95)[0] == pytest.approx((0.0, 1.0 - 0.025**0.2))
    assert Share(5, 5).pieces(0.95)[0] == pytest.approx((0.025**0.2, 1.0))
    assert Share(5, 5).p_values(1.0) == (1.0, 1.0)
    assert Share(4, 5).p_values(1.0) == (0.0, 1.0)
    assert Share(0, 5).p_values(0.0) == (1.0, 1.0)
    assert Share(0, 0).p_values(0.5) == (1.0, 1.0)
    assert Share(0, 0).pieces(0.95) == []


def test_exact_values_are_on_one_side():
    for bound, values in ((22.0, (0.0, 1.0)), (20.0, (1.0, 0.0)), (21.0, (1.0, 0.0))):
        assert p_values(Check("fact", "value", {}, "below", bound), Exact(21.0)) == values
    below = Check("fact", "value", {}, "below", 1.0)
    assert p_values(below, Exact(math.nan)) == (1.0, 1.0)
    assert p_values(below, Exact(math.inf)) == (1.0, 0.0)
    assert Exact(21.0).pieces(0.95) == []
    assert Exact(21.0, 3).n == 3


ODD = (
    *([], [1.0], [0.0] * 12, [5.0] * 12, [math.inf] * 12, [1.0] * 11 + [math.inf]),
    *([math.nan] * 12, [1.0] * 11 + [math.nan], [1e308] * 12, [1e-320] * 12, [-1.0] * 12),
    *([1e300] + [1e-300] * 11, [0.0] * 11 + [1.0], [-math.inf] + [1.0] * 11, np.arange(60.0)),
)


def evidence_of(a, b):
    """All evidence that can be made of two samples."""
    made = [median_of(a), Mean(a), turns_mean(a)]
    if len(a) == len(b):
        made += [make(a, b) for make in (*PAIRED.values(), mean_difference)]
        made += [ratio_of_ratios(a, b, b, a), slope([1.0, 2.0], np.array([a, b]))]
        made += [exponent_between(RatioOfMeans(a, b), factor) for factor in (2.0, 1.0, math.nan)]
        made += [exponent_between(MedianRatio(a, b), 2.0), splits_mean(a, 5)]
    return made


@pytest.mark.parametrize("first", range(len(ODD)))
def test_any_numbers_have_an_answer(first):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for second in ODD:
            for found in evidence_of(np.array(ODD[first]), np.array(second)):
                answers_in_form(found)


def answers_in_form(found):
    assert type(found.value) is float
    for bound in (-1.0, 0.0, 0.5, 1.0, 1e300, math.inf, math.nan):
        p = found.p_values(bound)
        assert [type(q) for q in p] == [float, float]
        assert min(p) >= 0.0 and 1.0 - 1e-9 <= sum(p) <= 2.0
        for n in (2, 30, 10**9):
            power = found.power(bound, 1.25, n, 0.025)
            assert type(power) is float and (math.isnan(power) or 0.0 <= power <= 1.0)
    for low, high in found.pieces(0.95):
        assert low <= high


# How many units would decide.


@pytest.mark.parametrize(
    ("effect", "n", "alpha"), [(0.4, 52, 0.025), (0.4, 65, 0.01), (0.9, 12, 0.025)]
)
def test_the_power_of_a_t_test_is_the_share_that_it_decides(effect, n, alpha):
    noncentral = nct(n - 1, effect * math.sqrt(n))
    power = noncentral.sf(t.isf(alpha, n - 1))
    assert power == pytest.approx(0.8, abs=0.04)
    assert power_of_t(effect, 1.0, n, alpha) == pytest.approx(power, rel=1e-6)


def test_power_is_that_of_normal_numbers_where_units_are_many_and_one_where_nothing_is_missed():
    for n in (10**6, 10**8):
        power = power_of_t(2.8016 / math.sqrt(n), 1.0, n, 0.025)
        assert power == pytest.approx(0.8, abs=1e-4)
    assert power_of_t(38.0 / math.sqrt(101), 1.0, 101, 0.0125) == 1.0
    assert power_of_t(1.0, 0.0, 2, 0.025) == 1.0
    for effect, spread, n in ((0.0, 1.0, 30), (-1.0, 1.0, 30), (1.0, math.inf, 30), (1.0, 1.0, 1)):
        assert math.isnan(power_of_t(effect, spread, n, 0.025))


def test_the_power_of_a_ratio_is_that_a_factor_from_the_bound():
    z = np.random.default_rng(4).normal(size=1000)
    z = (z - z.mean()) / z.std(ddof=1)
    ratio = RatioOfMeans(1.0 + 0.9 * z, np.ones(1000))
    # The effect is a fifth of the bound, on the side that takes more: v = 0.9.
    for factor, effect in ((1.25, 0.2), (2.0, 0.5)):
        expected = pytest.approx(power_of_t(effect, 0.9, 60, 0.01))
        assert ratio.power(1.0, factor, 60, 0.01) == expected
    same = ratio.power(1.0, 1.25, 60, 0.01)
    assert exponent_between(ratio, 4.0).power(0.0, 1.25, 60, 0.01) == same
    assert math.isnan(ratio.power(0.0, 1.25, 60, 0.01))


def test_the_power_of_times_and_slopes_is_that_of_logarithms():
    logs = 0.3 * np.array([-1.0, 1.0] * 10) / math.sqrt(20 / 19)
    power = turns_mean(logs).power(0.9, 1.25, 12, 0.025)
    assert power == pytest.approx(power_of_t(math.log(1.25), 0.3, 12, 0.025))
    # Between points a factor e^2 apart a slope is half a logarithm, of what it is about as well.
    flat = slope([1.0, math.e**2], np.exp(np.array([np.zeros(20), logs])))
    assert flat.power(0.25, 1.25, 12, 0.025) == pytest.approx(power)
    means = slope_of_means([1.0, math.e**2], np.exp(np.array([np.zeros(20), logs])))
    spread = 2.0 * means.values.std(ddof=1)
    expected = power_of_t(math.log(1.25), spread, 12, 0.025)
    assert means.power(0.25, 1.25, 12, 0.025) == pytest.approx(expected)


def test_differences_need_a_bound_that_is_not_zero():
    d = np.array([-1.0, 1.0] * 10) / math.sqrt(20 / 19)
    assert math.isnan(Mean(d).power(0.0, 1.25, 60, 0.025))
    assert Mean(d).power(2.0, 1.25, 60, 0.025) == pytest.approx(power_of_t(0.4, 1.0, 60, 0.025))
    # No number of splits shows what is within the variance that they share.
    assert splits_mean(d, 5).power(2.0, 1.25, 10**9, 0.025) < 0.8
    assert splits_mean(d, 5).power(10.0, 1.25, 60, 0.025) > 0.8


def test_the_power_of_a_sign_test_by_hand():
    # All on one side: the fewest pairs. Three quarters: the binomial power by hand.
    assert [power_of_signs(1.0, n, 0.025) for n in (5, 6)] == [0.0, 1.0]
    assert power_of_signs(0.5, 10**6, 0.025) <= 0.025
    for n in (6, 20, 33):
        law = [math.comb(n, k) * 0.25**k * 0.75 ** (n - k) for k in range(n + 1)]
        coin = np.cumsum([math.comb(n, k) / 2**n for k in range(n + 1)])
        power = sum(p for p, tail in zip(law, coin, strict=True) if tail <= 0.025)
        assert power_of_signs(0.75, n, 0.025) == pytest.approx(power)
    assert MedianRatio(Y, X).power(1.4, 1e9, 6, 0.025) == 1.0


def test_exact_values_and_shares_have_no_power():
    assert math.isnan(Exact(1.0).power(2.0, 1.25, 30, 0.025))
    assert math.isnan(Share(1, 2).power(0.9, 1.25, 30, 0.025))


# Slopes and jackknives.


def test_slopes_of_power_laws_and_of_constants():
    x = np.array([2.0, 3.0, 5.0, 40.0])
    powers = np.outer(x**1.5, np.arange(1.0, 13.0))
    assert slope(x, powers).pieces(0.95)[0] == pytest.approx((1.5, 1.5))
    flat = slope(x, np.outer(np.ones(4), np.arange(1.0, 13.0)))
    assert flat.value == 0.0
    assert flat.p_values(0.25) == (0.0, 1.0)
    own = slope(powers, powers**0.5)
    assert own.value == pytest.approx(0.5)
    assert slope(x, powers, powers**2).value == pytest.approx(-1.5)


def test_a_slope_is_the_mean_of_least_squares_lines():
    rng = np.random.default_rng(5)
    x, values = np.array([1.0, 2.0, 8.0]), rng.lognormal(size=(11, 3))
    lines = [np.polyfit(np.log(x), np.log(row), 1)[0] for row in values]
    assert slope(x, values.T).value == pytest.approx(np.mean(lines))


def test_jackknife_values_of_a_mean_are_its_values():
    values = jackknife_values(lambda means: means[0], np.array([X]))
    np.testing.assert_allclose(values, X)
    ratio = ratio_of_ratios(Y, X, U, V)
    assert ratio.value == pytest.approx(Y.mean() / X.mean() / (U.mean() / V.mean()))


def test_a_ratio_of_ratios_with_one_constant_side_is_a_ratio():
    one = np.ones(60)
    found, plain = ratio_of_ratios(Y, X, one, one), RatioOfMeans(Y, X)
    assert found.value == pytest.approx(plain.value)
    assert found.pieces(0.95)[0] == pytest.approx(plain.pieces(0.95)[0], rel=0.02)
    inverse = ratio_of_ratios(X, Y, one, one)
    assert inverse.p_values(1 / 1.3) == pytest.approx(found.p_values(1.3)[::-1])


# Slopes of means.


def test_a_slope_of_means_is_that_of_the_means_by_hand():
    # Means 2, 8 and 32 at 1, 2 and 4: slope 2, though logarithms of single units average to less.
    values = np.array([[1.0, 3.0], [15.0, 1.0], [2.0, 62.0]])
    assert slope_of_means(np.array([1.0, 2.0, 4.0]), values).value == pytest.approx(2.0)
    halves = slope_of_means(np.array([1.0, 2.0, 4.0]), values, values)
    assert halves.value == pytest.approx(0.0, abs=1e-12)
    points = np.array([[0.5, 1.5], [3.0, 1.0], [4.0, 4.0]])
    assert slope_of_means(points, values).value == pytest.approx(2.0)


def test_a_slope_of_means_bears_zeros_and_decides_what_logarithms_get_wrong():
    # In three of ten trials the regret is eleven times as high, and in one nothing is lost.
    rng = np.random.default_rng(3)
    last = np.where(rng.random(60) < 0.3, 11.0, 1.0)
    last[0] = 0.0
    found = slope_of_means(np.array([16.0, 64.0]), np.array([np.ones(60), last]))
    assert found.value == pytest.approx(np.log(last.mean()) / np.log(4.0))
    assert found.p_values(0.75)[0] > 0.025


@pytest.mark.statistical
@pytest.mark.parametrize("shape", [400.0, 11.0, 1.0])
def test_a_slope_of_means_errs_as_often_as_it_says(shape):
    rng = np.random.default_rng(5)
    points = np.array([18.0, 127.0, 882.0, 5000.0])
    wrong = np.zeros(2)
    for _ in range(2000):
        values = rng.gamma(shape, 1.0 / shape, (4, 10))
        p = slope_of_means(points, values).p_values(0.0)
        wrong += [side <= 0.025 for side in p]
    assert (wrong / 2000 <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / 2000) + 0.005).all()
