"""Rates of wrong and right decisions of the evidence behind claims, in worlds whose truth is known.

Each side may err with probability 0.025; three standard errors of the replicates are allowed.
"""

import math

import numpy as np
import pytest
from replicates import replicates, spare

from optimist.claims.evidence import MedianRatio, RatioOfMeans, Share
from optimist.claims.inference import ratio_of_ratios, slope, splits_mean, spread_ratio, turns_mean

pytestmark = pytest.mark.statistical

REPLICATES = replicates(4000)
ALPHA = 0.025
LIMIT = ALPHA + spare(ALPHA, REPLICATES)
BOTH = 0.02 + spare(0.05, REPLICATES)  # of both sides together
BOUND = 1.5


def gamma(rng, shape):
    return rng.gamma(4.0, 0.25, shape)


def lognormal(rng, shape):
    """Mean 1, with tails so heavy that the largest of 30 trials makes a third of their sum."""
    return np.exp(rng.normal(0.0, 1.5, shape) - 1.125)


def pairs(law, q, n, seed=1):
    """Replicates of n trials, (REPLICATES, n) each, whose means have the ratio 1.5 q."""
    rng = np.random.default_rng([seed, n])
    common = rng.lognormal(0.0, 0.3, (REPLICATES, n))
    return BOUND * q * common * law(rng, common.shape), common * law(rng, common.shape)


def rates(evidence, bound=BOUND, alpha=ALPHA):
    """Return the shares of replicates that decide "below" and "above"."""
    p = np.array([found.p_values(bound) for found in evidence])
    return (p <= alpha).mean(axis=0)


# On the bound.


@pytest.mark.parametrize(
    ("law", "n"), [(gamma, 10), (gamma, 60), (lognormal, 10), (lognormal, 30), (lognormal, 100)]
)
def test_a_ratio_on_the_bound_is_decided_rarely(law, n):
    assert rates(map(RatioOfMeans, *pairs(law, 1.0, n))).max() <= LIMIT


@pytest.mark.parametrize("make", [MedianRatio, spread_ratio])
@pytest.mark.parametrize(("law", "n"), [(gamma, 10), (lognormal, 30), (gamma, 100)])
def test_a_median_or_a_spread_on_the_bound_is_decided_rarely(make, law, n):
    assert rates(map(make, *pairs(law, 1.0, n))).max() <= LIMIT


def test_the_sign_test_uses_what_the_law_of_coins_leaves():
    # With 30 pairs of which at most 9 are on one side: 0.0214, exactly.
    found = rates(map(MedianRatio, *pairs(lognormal, 1.0, 30)))
    assert found == pytest.approx(0.0214, abs=spare(0.0214, REPLICATES))


@pytest.mark.parametrize(("law", "n"), [(gamma, 30), (lognormal, 30), (lognormal, 100)])
def test_a_ratio_of_ratios_on_the_bound_is_decided_rarely(law, n):
    four = *pairs(law, 1.0, n, seed=3), *pairs(law, 1.0 / BOUND, n, seed=4)
    assert rates(map(ratio_of_ratios, *four)).max() <= LIMIT


@pytest.mark.parametrize(("law", "n"), [(gamma, 10), (lognormal, 10)])
def test_a_slope_on_the_bound_is_decided_rarely(law, n):
    rng = np.random.default_rng([5, n])
    points = np.array([1.0, 2.0, 4.0])
    common = rng.lognormal(0.0, 0.3, (REPLICATES, n, 1))
    values = points**0.5 * common * law(rng, (REPLICATES, n, 3))
    assert rates((slope(points, one.T) for one in values), 0.5).max() <= LIMIT


# Away from the bound.


@pytest.mark.parametrize(("q", "side"), [(0.8, 0), (1.25, 1)])
@pytest.mark.parametrize(("n", "right"), [(60, 0.63), (200, 0.99)])
def test_a_ratio_off_the_bound_is_decided_with_its_power(q, side, n, right):
    found = rates(map(RatioOfMeans, *pairs(gamma, q, n)))
    assert found[side] == pytest.approx(right, abs=0.02 + spare(right, REPLICATES))
    assert found[1 - side] <= 0.001


def test_the_planned_number_of_trials_has_its_power():
    # The truth is 1.25 below the bound, the harder side; the spread is that of the trials.
    y, x = (side.ravel()[:20000] for side in pairs(gamma, 0.8, 10, seed=6))
    power = RatioOfMeans(y, x).power(BOUND, 1.25, 90, ALPHA)
    assert 0.5 < power < 0.95
    assert rates(map(RatioOfMeans, *pairs(gamma, 0.8, 90)))[0] == pytest.approx(
        power, abs=0.01 + spare(power, REPLICATES)
    )


# Guarantees.


@pytest.mark.parametrize(("rate", "low", "high"), [(0.01, 0.0, LIMIT), (0.1, 0.8, 1.0)])
def test_violations_are_found_where_there_are_some(rate, low, high):
    failures = np.random.default_rng(7).binomial(60, rate, REPLICATES)
    violated = rates((Share(60 - int(k), 60) for k in failures), 1.0 - 0.01)[0]
    assert low <= violated <= high


# Times.


def turns(n, ratio, period=None):
    """Replicates of n log ratios of two of three rivals, timed in turns in random order.

    The noise of a measurement is 0.05, with a spike of up to 0.3 in one of twenty; the speed is a
    sine of amplitude ln(2)/2 whose period is log-uniform in 10 to 300 measurements.
    """
    rng = np.random.default_rng([8, n])
    shape = REPLICATES, n, 3
    place = rng.permuted(np.broadcast_to(np.arange(3), shape), axis=2)
    time = place + 3 * np.arange(n)[:, None]
    periods = np.exp(rng.uniform(math.log(10), math.log(300), (REPLICATES, 1, 1)))
    phase = rng.uniform(size=(REPLICATES, 1, 1))
    logs = 0.5 * math.log(2.0) * np.sin(2.0 * math.pi * (time / (period or periods) + phase))
    logs += rng.normal(0.0, 0.05, shape) + (rng.random(shape) < 0.05) * rng.uniform(0.0, 0.3, shape)
    return logs[..., 0] - logs[..., 1] + math.log(ratio)


@pytest.mark.parametrize(("n", "right"), [(5, 0.44), (10, 0.74), (20, 0.93), (40, 0.99)])
def test_turns_decide_with_their_power_and_err_as_they_may(n, right):
    tolerance = 0.02 + spare(right, REPLICATES)
    assert rates(map(turns_mean, turns(n, 0.9)), 1.0)[0] == pytest.approx(right, abs=tolerance)
    assert rates(map(turns_mean, turns(n, 1.0)), 1.0).sum() == pytest.approx(0.05, abs=BOTH)


def test_drift_within_a_turn_does_little_in_random_order():
    assert rates(map(turns_mean, turns(5, 1.0, period=3.3)), 1.0).sum() <= 0.06 + BOTH


# Repeated cross-validation.


def splits(n):
    """Replicates of n differences of mean 0 with a correlation of 0.2 between all of them."""
    rng = np.random.default_rng([9, n])
    shared, own = rng.normal(size=(REPLICATES, 1)), rng.normal(size=(REPLICATES, n))
    return math.sqrt(0.2) * shared + math.sqrt(0.8) * own


@pytest.mark.parametrize("n", [5, 10, 50, 100])
def test_splits_err_as_they_may(n):
    corrected = rates((splits_mean(one, 5) for one in splits(n)), 0.0).sum()
    assert corrected == pytest.approx(0.05, abs=BOTH)


def test_ratios_over_splits_err_as_they_may():
    found = splits(25)
    tops = (10.0 + one for one in found)
    ratios = (RatioOfMeans(top, np.full(25, 10.0), extra=0.25) for top in tops)
    assert rates(ratios, 1.0).sum() == pytest.approx(0.05, abs=BOTH)
