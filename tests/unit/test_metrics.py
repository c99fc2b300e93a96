"""Metrics of regret at its best, of medians and horizons, and of times up to a round, by hand."""

import numpy as np
import pandas as pd
import pytest
from claim_tables import finals, measure, times

from optimist import claims
from optimist.label import name_of
from optimist.plan.config import claims_path, load_claims, paper_names
from optimist.statistics import bootstrap_slope, median_ratio_interval

RATIO = {"setting": "here", "numerator": "a", "denominator": "b"}


def test_the_ratio_of_medians_is_over_common_trials():
    tables = [finals("here", "a", [1.0, 30.0, 4.0, 9.0]), finals("here", "b", [2.0, 2.0, 2.0])]
    found = measure("median_regret_ratio", RATIO, finals=tables).measurement
    # Trials 0 to 2 are in both: medians 4 and 2.
    assert (found.value, found.trials, found.interval) == (2.0, 3, "95% bootstrap")
    assert 0.5 <= found.low <= found.value <= found.high <= 15.0


def test_each_method_is_taken_at_its_best_by_trials_that_do_not_count():
    # In the first two trials a is best at s, b at r; what comes later decides nothing of that.
    tables = [
        finals("r", "a", [9.0, 9.0, 1.0, 1.0, 1.0]),
        finals("s", "a", [5.0, 5.0, 6.0, 8.0, 10.0]),
        finals("r", "b", [1.0, 1.0, 2.0, 2.0, 2.0]),
        finals("s", "b", [3.0, 3.0, 1.0, 1.0, 1.0]),
    ]
    arguments = {"numerator": "a", "denominator": "b", "settings": ["r", "s"], "tuning": 2}
    found = measure("tuned_regret_ratio", arguments, finals=tables).measurement
    assert (found.value, found.trials) == (4.0, 3)


def test_the_exponent_is_the_slope_of_medians_against_horizons():
    tables = [
        finals(f"t{T}", "a", [0.1, 3.0 * T**0.7, 1e9]).assign(round=T) for T in (10, 100, 1000)
    ]
    arguments = {"algorithm": "a", "settings": ["t10", "t100", "t1000"]}
    found = measure("regret_exponent", {**arguments, "statistic": "median"}, finals=tables)
    assert found.measurement.value == pytest.approx(0.7)
    mean = measure("regret_exponent", {**arguments, "statistic": "mean"}, finals=tables)
    assert mean.measurement.value == pytest.approx(0.0, abs=1e-4)


def test_the_exponent_of_exact_data_has_no_width_and_that_of_noisy_data_covers():
    exact = bootstrap_slope([1.0, 2.0, 4.0], [[3.0 * x**0.5] * 5 for x in (1.0, 2.0, 4.0)])
    assert exact == pytest.approx((0.5, 0.5, 0.5))
    rng, inside = np.random.default_rng(1), 0
    for _ in range(100):
        samples = [x**0.5 * rng.lognormal(0.0, 1.0, 40) for x in (1.0, 4.0, 16.0, 64.0)]
        _, low, high = bootstrap_slope([1.0, 4.0, 16.0, 64.0], samples, level=0.9)
        inside += low <= 0.5 <= high
    assert inside >= 80
    assert np.isnan(bootstrap_slope([1.0, 2.0], [[1.0], [2.0]])[1:]).all()


def test_the_ratio_across_settings_is_over_common_trials():
    tables = [finals("there", "a", [4.0, 8.0, 100.0]), finals("here", "b", [1.0, 2.0])]
    arguments = {"numerator": "a", "setting": "there", "denominator": "b", "base": "here"}
    found = measure("regret_ratio_across", arguments, finals=tables).measurement
    assert (found.value, found.trials) == (4.0, 2)


@pytest.mark.parametrize("name", paper_names())
def test_settings_that_are_paired_share_their_noise(name):
    for claim in load_claims(claims_path(name))["claims"]:
        for check in claims.expand(claim):
            if check.metric in ("tuned_regret_ratio", "regret_ratio_across"):
                names = check.arguments.get("settings") or [
                    check.arguments[key] for key in ("setting", "base")
                ]
                assert len(set(map(name_of, names))) == 1, check.label


def by_round(algorithm, curves):
    """Rows of every round: ``curves`` holds the cumulative regret of each trial."""
    return pd.concat(
        pd.DataFrame(
            {"setting": "here", "algorithm": algorithm, "trial": trial, "status": "ok"}
            | {"round": range(1, len(regret) + 1), "regret": regret}
        )
        for trial, regret in enumerate(curves)
    )


def test_regret_up_to_a_round_and_after_it():
    regrets = [
        by_round("a", [[1.0, 4.0, 6.0, 6.0], [1.0, 2.0, 2.0, 4.0]]),
        by_round("b", [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]),
    ]
    until = measure("regret_ratio_until", {**RATIO, "rounds": 2}, regrets=regrets).measurement
    assert (until.value, until.trials) == (6.0 / 4.0, 2)
    since = measure("regret_ratio_since", {**RATIO, "since": 2}, regrets=regrets).measurement
    assert (since.value, since.trials) == (4.0 / 4.0, 2)
    late = {"setting": "here", "algorithm": "a", "since": 2}
    assert measure("late_regret", late, regrets=regrets).measurement.value == 4.0 / 10.0
    rate = measure("late_rate", late, regrets=regrets).measurement
    assert (rate.value, rate.trials) == ((2.0 + 2.0) / 2.0 / 2.0, 2)
    # What lies beyond the last round is missing, and not nothing.
    for name, arguments in (
        ("late_regret", {**late, "since": 4}),
        ("regret_ratio_since", {**RATIO, "since": 4}),
        ("regret_ratio_until", {**RATIO, "rounds": 5}),
    ):
        beyond = measure(name, arguments, regrets=regrets)
        assert beyond.measurement is None
        assert "5 in trials of 4 rounds" in beyond.remark
    missing = measure("late_regret", {**late, "algorithm": "c"}, regrets=regrets)
    assert missing.remark == "no here/c (regret lane)"


def test_the_spread_is_that_of_common_trials():
    few = [finals("here", "a", [0.0, 4.0, 8.0, 99.0]), finals("here", "b", [1.0, 2.0, 3.0])]
    found = measure("regret_spread_ratio", RATIO, finals=few).measurement
    assert (found.value, found.trials) == (4.0, 3)
    assert np.isnan(found.low)
    b = [1.0, 2.0, 3.0, 5.0, 8.0, 13.0]
    many = [finals("here", "a", [4.0 * v for v in b]), finals("here", "b", b)]
    found = measure("regret_spread_ratio", RATIO, finals=many).measurement
    assert (found.value, found.low, found.high) == pytest.approx((4.0, 4.0, 4.0))


def test_differences_of_regret_are_per_round():
    tables = [finals("here", "a", [3.0, 5.0, 9.0]), finals("here", "b", [1.0, 2.0, 3.0])]
    arguments = {"setting": "here", "one": "a", "other": "b"}
    found = measure("regret_difference", arguments, finals=tables).measurement
    assert found.value == pytest.approx((2.0 + 3.0 + 6.0) / 3.0 / 100.0)
    assert found.low < found.value < found.high


def test_intervals_overlap_or_leave_a_gap():
    tables = [finals("here", "a", [9.0, 10.0, 11.0]), finals("here", "b", [1.0, 2.0, 3.0])]
    arguments = {"setting": "here", "worse": "a", "better": "b"}
    half = 4.302652729911275 / np.sqrt(3.0)  # t quantile with two degrees of freedom
    found = measure("interval_gap", arguments, finals=tables).measurement
    assert found.value == pytest.approx(10.0 - half - (2.0 + half))


def test_largest_values_and_quotients_are_over_trials():
    tables = [finals("here", "a", [1.0, 2.0, 3.0], u=[1.0, 6.0, 2.0], v=[2.0, 3.0, 4.0])]
    about = {"setting": "here", "algorithm": "a"}
    found = measure("largest", {**about, "column": "u"}, finals=tables).measurement
    assert found.value == 6.0
    quotient = {**about, "top": "u", "bottom": "v"}
    assert measure("largest_quotient", quotient, finals=tables).measurement.value == 2.0


TIMINGS = [
    times("here", "a", [[1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 4.0, 16.0]]),
    times("here", "b", [[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]),
]


def test_the_ratio_of_times_up_to_a_round():
    arguments = {**RATIO, "rounds": 3}
    found = measure("time_ratio_until", arguments, times=TIMINGS).measurement
    assert (found.value, found.low, found.high) == pytest.approx((4 / 3, 4 / 3, 4 / 3))
    between = measure("time_ratio_until", {**RATIO, "rounds": 2.5}, times=TIMINGS).measurement
    assert between.value == pytest.approx(3.0 / 2.5)


def test_the_growth_of_the_ratio_of_times():
    arguments = {**RATIO, "rounds": 4, "since": 3}
    found = measure("time_ratio_growth", arguments, times=TIMINGS).measurement
    # Ratios 4/3 up to round 3; 2 to 4, median 3, up to round 4.
    assert (found.value, found.low, found.high) == pytest.approx((2.25, 1.5, 3.0))


def test_medians_have_intervals_that_cover():
    rng, inside = np.random.default_rng(0), 0
    for _ in range(200):
        common = rng.exponential(size=30)
        top, bottom = 2.0 * common * rng.lognormal(0.0, 0.3, 30), common
        _, low, high = median_ratio_interval(top, bottom, 0.9)
        inside += low <= 2.0 <= high
    assert inside >= 165  # 90 % nominal; a bootstrap of medians is conservative


def test_few_pairs_and_zero_medians_decide_nothing():
    for pair in (([], []), ([1.0], [1.0]), ([1.0, 2.0, 3.0], [0.0, 0.0, 1.0])):
        assert all(np.isnan(median_ratio_interval(*pair)))
    # A median of zero in a resample is an infinite ratio, not one of zero.
    ratio, low, high = median_ratio_interval([1.0] * 5, [0.0, 0.0, 1.0, 1.0, 1.0])
    assert (ratio, low, high) == (1.0, 1.0, np.inf)


def test_metrics_name_what_is_missing():
    arguments = {"numerator": "a", "denominator": "b", "settings": ["r", "s"], "tuning": 2}
    found = measure("tuned_regret_ratio", arguments, finals=[finals("r", "a", [1.0] * 4)])
    assert found.outcome == "missing"
    assert "s/a" in found.remark
    alone = pd.concat([finals(s, x, [1.0] * 2) for s in "rs" for x in "ab"])
    assert measure("tuned_regret_ratio", arguments, finals=alone).outcome == "missing"
