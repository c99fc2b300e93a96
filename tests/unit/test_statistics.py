"""Intervals and tests against published examples, hand sums and simulation."""

import math

import numpy as np
import pytest

from optimist.numerics import statistics


def test_mean_interval_of_a_textbook_sample():
    # Mean 3, s^2 = 2.5, n = 5; the 97.5 % t quantile with 4 degrees of freedom is 2.776445.
    mean, low, high = statistics.mean_interval([1, 2, 3, 4, 5])
    half = 2.776445105 * math.sqrt(2.5 / 5)
    assert (mean, low, high) == pytest.approx((3.0, 3.0 - half, 3.0 + half), rel=1e-9)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.30850),  # 1 - 0.025^(1/10)
        (10, 10, 0.69150, 1.0),
        (81, 263, 0.25267, 0.36762),  # Newcombe (1998), exact method: .2527 to .3676
    ],
)
def test_clopper_pearson(successes, n, low, high):
    share, found_low, found_high = statistics.proportion_interval(successes, n)
    assert share == successes / n
    assert (found_low, found_high) == pytest.approx((low, high), abs=2e-4)


def test_log_log_slope_of_a_constant_is_zero_whatever_the_constant():
    for constant in (184.0, 3.0, 0.1, 1e6):
        assert statistics.log_log_slope([1, 2, 3, 9], [constant] * 4) == (0.0, 0.0, 0.0)


def test_log_log_slope_by_hand():
    # log2 x = 0, 1, 2 and log2 y = 0, 2, 3: slope 1.5, residuals (-1, 2, -1)/6, s^2 = 1/6 with one
    # degree of freedom (quantile 12.7062), sum of squares of log2 x 2.
    slope, low, high = statistics.log_log_slope([1, 2, 4], [1, 4, 8])
    half = 12.70620474 * math.sqrt(1 / 6 / 2)
    assert (slope, low, high) == pytest.approx((1.5, 1.5 - half, 1.5 + half), rel=1e-8)


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_rate_slope_is_the_growth_per_round(power):
    rounds = np.arange(1, 3001)
    totals = np.cumsum(rounds**power)
    # A mean over a window differs from the value in its middle by less than one per cent.
    assert statistics.rate_slope(rounds, [totals])[0] == pytest.approx(power, abs=0.01)


def test_rate_slope_is_the_mean_of_the_trials_in_the_last_decade():
    rounds = np.arange(1, 3001)
    steady = np.cumsum(np.maximum(rounds, 250.0))  # constant before the last decade
    squares = np.cumsum(np.maximum(rounds, 250.0) ** 2)
    slope, _, high = statistics.rate_slope(rounds, [steady, squares])
    assert slope == pytest.approx(1.5, abs=0.01)
    # Two trials: half their distance times the t quantile with one degree of freedom.
    assert high - slope == pytest.approx(0.5 * 12.7062047, abs=0.1)
    assert statistics.rate_slope(rounds, [steady])[0] == pytest.approx(1.0, abs=0.01)


def test_slopes_of_rows():
    x = np.array([1.0, 2.0, 8.0])
    rows = np.array([3.0 * x**0.5, x**2, [7.0, 7.0, 7.0], [1.0, 0.0, 2.0]])
    found = statistics.log_log_slopes(x, rows)
    assert found[:3] == pytest.approx([0.5, 2.0, 0.0])
    assert found[2] == 0.0
    assert np.isnan(found[3])
    own = statistics.log_log_slopes(rows[:2], rows[:2] ** 3)
    assert own == pytest.approx([3.0, 3.0])
    assert np.isnan(statistics.log_log_slopes([2.0, 2.0], [[1.0, 3.0]])).all()


def test_rates_are_those_of_each_trial():
    rounds = np.arange(1, 3001)
    middles, rates = statistics.window_rates(rounds, [2.0 * rounds, 3.0 * rounds], 4)
    assert len(middles) == 4
    assert 300 < middles[0] < middles[-1] < 3000
    np.testing.assert_allclose(rates, np.repeat([[2.0], [3.0]], 4, axis=1))


def test_the_slope_of_the_last_decade_leaves_out_what_was_before():
    x = np.arange(1.0, 1001.0)
    y = np.maximum(x, 99.0) ** 2
    assert statistics.last_decade_slope(x, y)[0] == pytest.approx(2.0)
    assert statistics.log_log_slope(x, y)[0] < 1.999


def test_bootstrap_bands_are_repeatable_and_agree_with_t_where_that_is_right():
    values = np.random.default_rng(3).normal(5.0, 2.0, (60, 4))
    means, lows, highs = statistics.mean_intervals(values, 0.95, "bootstrap")
    again = statistics.mean_intervals(values, 0.95, "bootstrap")
    np.testing.assert_array_equal([means, lows, highs], again)
    exact = statistics.mean_intervals(values, 0.95)
    np.testing.assert_allclose(means, exact[0])
    np.testing.assert_allclose(lows, exact[1], atol=0.15)
    np.testing.assert_allclose(highs, exact[2], atol=0.15)
    counts = np.random.default_rng(60).multinomial(60, np.full(60, 1 / 60), size=2000)
    tails = np.quantile(counts @ values / 60, [0.025, 0.975], axis=0)
    np.testing.assert_allclose([lows, highs], tails, rtol=1e-12)


def test_normal_bands_are_those_of_the_paper():
    # Liu and Wang (2023), Section 6.1: 1.96 standard deviations over the root of five.
    values = np.random.default_rng(0).normal(size=(5, 3))
    means, lows, highs = statistics.mean_intervals(values, 0.95, "normal")
    middle, half = values.mean(axis=0), 1.959963984540054 * values.std(axis=0, ddof=1) / 5**0.5
    np.testing.assert_allclose([means, lows, highs], [middle, middle - half, middle + half])
    means, lows, _ = statistics.mean_intervals([[3.0, 4.0]], 0.95, "normal")
    assert means.tolist() == [3.0, 4.0]
    assert np.isnan(lows).all()


def test_where_there_are_too_few_numbers_there_is_none():
    nothing = pytest.approx([math.nan] * 3, nan_ok=True)
    assert statistics.mean_interval([7.0]) == pytest.approx((7.0, *[math.nan] * 2), nan_ok=True)
    assert statistics.log_log_slope([1, 10], [1, 100]) == pytest.approx(
        (2.0, *[math.nan] * 2), nan_ok=True
    )
    assert list(statistics.mean_interval([])) == nothing
    assert list(statistics.proportion_interval(0, 0)) == nothing
    assert list(statistics.rate_slope([1], [[0.5]])) == nothing
    assert math.isnan(statistics.log_log_slope([3, 3], [1, 2])[0])
    middles, rates = statistics.window_rates([1], [[0.5], [0.7]])
    assert (middles.shape, rates.shape) == ((0,), (2, 0))
    means, lows, highs = statistics.mean_intervals([[3.0, 4.0]], 0.95, "bootstrap")
    assert means.tolist() == [3.0, 4.0] and np.isnan([lows, highs]).all()
