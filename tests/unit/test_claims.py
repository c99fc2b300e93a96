"""Claims: metrics by hand on small tables, outcomes, verdicts, and the first paper's claims."""

import math
import string
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import yaml
from claim_tables import SPREAD, facts, finals, judge, measure, one_claim, times

from optimist import claims
from optimist.claims.metrics import metric, metric_arguments
from optimist.errors import ConfigError, ResultError
from optimist.layout import LANES
from optimist.panels import studies
from optimist.plan.config import claims_path, load_claims, load_paper, paper_names
from optimist.runs import trials


def about_fact(relation, bound, name="kappa", **keys):
    arguments = {"name": name, "setting": "here"}
    return {"metric": "fact", "arguments": arguments, "relation": relation, "bound": bound, **keys}


RATIO = {"setting": "here", "numerator": "a", "denominator": "b"}


def about_ratio(relation, bound, **keys):
    return {
        "metric": "regret_ratio",
        "arguments": RATIO,
        "relation": relation,
        "bound": bound,
        **keys,
    }


def ten(shift=0.0):
    """Finals of a and b whose ratio is 10 + shift with a standard error of sqrt(1/2)."""
    return [
        finals("here", "a", [10.0 + shift + z for z in SPREAD]),
        finals("here", "b", [1.0] * 5),
    ]


# Relations and outcomes.


@pytest.mark.parametrize(
    ("relation", "bound", "keys", "outcome"),
    [
        ("below", 21.1, {}, "holds"),
        ("below", 21, {}, "fails"),
        ("above", 20.9, {}, "holds"),
        ("above", 21, {}, "fails"),
        ("between", [21, 22], {}, "holds"),
        ("between", [20, 20.9], {}, "fails"),
        ("between", [21.1, 22], {}, "fails"),
        ("equals", 20.5, {"tolerance": 0.5}, "holds"),
        ("equals", 20.4, {"tolerance": 0.5}, "fails"),
        ("equals", 21, {"tolerance": 0}, "holds"),
    ],
)
def test_relations_of_a_value_without_sampling_error(relation, bound, keys, outcome):
    verdict = judge(about_fact(relation, bound, **keys), facts=facts(kappa=21.0))
    assert verdict.results[0].outcome == outcome


@pytest.mark.parametrize(
    ("relation", "bound", "keys", "outcome"),
    [
        # The 95 % interval is 10 +- 2.776445 * 0.707107, that is 8.0368 to 11.9632.
        ("below", 11.97, {}, "holds"),
        ("below", 11.95, {}, "undecided"),
        ("below", 8.02, {}, "fails"),
        ("above", 8.03, {}, "holds"),
        ("above", 8.05, {}, "undecided"),
        ("above", 11.97, {}, "fails"),
        ("between", [8.03, 11.97], {}, "holds"),
        ("between", [8.05, 11.97], {}, "undecided"),
        ("between", [1, 8.03], {}, "fails"),
        ("equals", 10, {"tolerance": 1.97}, "holds"),
        ("equals", 10, {"tolerance": 1.96}, "undecided"),
    ],
)
def test_relations_of_an_interval(relation, bound, keys, outcome):
    verdict = judge(about_ratio(relation, bound, **keys), finals=ten())
    assert verdict.results[0].outcome == outcome


def test_the_interval_follows_the_level():
    # 99 %: quantile 4.604095, interval up to 13.2556.
    assert judge(about_ratio("below", 13.2), finals=ten(), level=0.99).verdict == "undecided"
    verdict = judge(about_ratio("below", 13.3), finals=ten(), level=0.99)
    assert verdict.verdict == "reproduced"
    assert verdict.results[0].measurement.high == pytest.approx(13.25559, abs=1e-5)
    assert verdict.results[0].measurement.interval == "99% t"


def test_a_single_trial_decides_nothing():
    tables = [finals("here", "a", [1.0]), finals("here", "b", [100.0])]
    verdict = judge(about_ratio("below", 1), finals=tables)
    assert verdict.verdict == "undecided"
    assert verdict.results[0].measurement.value == pytest.approx(0.01)


def test_trials_are_paired_by_index_and_only_common_ones_count():
    tables = [
        finals("here", "a", [99.0, 2.0, 4.0, 9.0], first=2)[::-1],  # trials 2 to 5
        finals("here", "b", [1.0, 2.0, 3.0, 99.0], first=3),  # trials 3 to 6
    ]
    result = measure("regret_ratio", RATIO, finals=tables)
    assert result.measurement.value == pytest.approx(15 / 6)
    assert result.measurement.trials == 3


def test_no_common_trial_is_missing():
    tables = [finals("here", "a", [1.0, 2.0]), finals("here", "b", [1.0, 2.0], first=2)]
    result = measure("regret_ratio", RATIO, finals=tables)
    assert result.outcome == "missing"
    assert "both" in result.remark


def test_incomplete_trials_are_left_out_and_reported():
    status = ["ok", "timeout", "unconverged", "failed: singular"]
    tables = [
        finals("here", "a", [2.0, 1000.0, 4.0, 1000.0], status=status),
        finals("here", "b", [1.0, 1.0, 2.0, 1.0]),
    ]
    result = measure("regret_ratio", RATIO, finals=tables)
    assert result.measurement.value == pytest.approx(2.0)
    assert result.measurement.trials == 2
    assert "here/a: 2 of 4 trials left out (1 failed: singular, 1 timeout)" in result.remark
    assert "here/a: 1 of 4 trials unconverged" in result.remark
    assert "here/b" not in result.remark


def test_a_cell_without_a_complete_trial_is_missing_and_says_why():
    tables = [
        finals("here", "a", [1.0, 2.0], status="timeout"),
        finals("here", "b", [1.0, 2.0]),
    ]
    verdict = judge(about_ratio("below", 1), finals=tables)
    assert verdict.verdict == "missing"
    assert "here/a (regret lane, no complete trial: 2 timeout)" in verdict.results[0].remark


@pytest.mark.parametrize("tables", [{}, {"finals": None}, {"finals": pd.DataFrame()}])
def test_missing_cells_are_named(tables):
    verdict = judge(about_ratio("below", 1), **tables)
    assert verdict.verdict == "missing"
    assert verdict.results[0].measurement is None
    for name in ("here/a (regret lane)", "here/b (regret lane)"):
        assert name in verdict.results[0].remark


# Holm.

# Each alone: t = 3 with 4 degrees of freedom, p = 0.0399.
LONELY = about_ratio("below", 10 + 3 * math.sqrt(0.5))


def test_one_comparison_is_not_corrected():
    verdict = judge(LONELY, finals=ten())
    assert verdict.verdict == "reproduced"
    assert verdict.results[0].p_adjusted == pytest.approx(0.03994, abs=1e-5)


def test_two_comparisons_are_corrected():
    verdict = judge(LONELY, LONELY, finals=ten())
    assert [r.outcome for r in verdict.results] == ["undecided", "undecided"]
    assert verdict.results[0].p_adjusted == pytest.approx(0.07988, abs=2e-5)
    assert verdict.family == 2


def test_holm_steps_down():
    # The clear one takes the factor two; what is left stands alone.
    verdict = judge(LONELY, about_ratio("below", 1000), finals=ten())
    assert [r.outcome for r in verdict.results] == ["holds", "holds"]


def test_what_does_not_count_or_has_no_test_is_outside_the_family():
    verdict = judge(
        LONELY,
        {**LONELY, "informative": True},
        about_ratio("between", [0, 100]),
        about_fact("below", 1),
        finals=ten(),
        facts=facts(kappa=0.0),
    )
    assert verdict.family == 1
    assert verdict.verdict == "reproduced"


def test_missing_comparisons_do_not_join_the_family():
    other = {**LONELY, "arguments": {**RATIO, "numerator": "absent"}}
    verdict = judge(LONELY, other, finals=ten())
    assert [r.outcome for r in verdict.results] == ["holds", "missing"]


# Verdicts.


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([0.5, 0.5], "reproduced"),
        ([0.5, 2.0], "not reproduced"),
        ([2.0, 2.0], "not reproduced"),
        ([0.5, math.nan], "undecided"),
        ([2.0, math.nan], "not reproduced"),
        ([math.nan, math.nan], "undecided"),
    ],
)
def test_verdict_from_outcomes_in_one_setting(values, verdict):
    checks = [about_fact("below", 1, name=name) for name in ("x", "y")]
    assert judge(*checks, facts=facts(x=values[0], y=values[1])).verdict == verdict


def over(*settings, name="x"):
    """Check that a fact is below 1 in each setting."""
    arguments, each = {"name": name}, {"setting": list(settings)}
    return {"metric": "fact", "arguments": arguments, "each": each, "relation": "below", "bound": 1}


def facts_of(**rows):
    """Facts x, y, ... by setting."""
    return pd.DataFrame(
        [(name, s, v) for s, values in rows.items() for name, v in zip("xy", values, strict=True)],
        columns=["name", "setting", "value"],
    )


@pytest.mark.parametrize(
    ("here", "there", "verdict"),
    [
        ([0.5, 0.5], [2.0, 2.0], "partly"),
        ([0.5, 0.5], [0.5, math.nan], "partly"),
        ([0.5, 2.0], [2.0, 0.5], "not reproduced"),
        ([0.5, math.nan], [0.5, 2.0], "not reproduced"),
        ([0.5, math.nan], [math.nan, 0.5], "undecided"),
    ],
)
def test_partly_needs_one_setting_in_which_all_hold(here, there, verdict):
    checks = over("here", "there"), over("here", "there", name="y")
    assert judge(*checks, facts=facts_of(here=here, there=there)).verdict == verdict


def test_a_check_without_a_setting_is_common_to_all_settings():
    areas = pd.DataFrame(
        [("area", "a", 2.0), ("area", "b", 1.0)], columns=["name", "setting", "value"]
    )
    ratio = {"name": "area", "numerator": "a", "denominator": "b"}
    common = {"metric": "fact_ratio", "arguments": ratio, "relation": "below"}
    table = pd.concat([facts_of(here=[0.5, 0], there=[2.0, 0]), areas])
    both = over("here", "there")
    assert judge({**common, "bound": 3}, both, facts=table).verdict == "partly"
    assert judge({**common, "bound": 1}, both, facts=table).verdict == "not reproduced"


def test_configurations_come_before_settings():
    # All checks in one setting hold, but those of no configuration.
    checks = [
        {**over("here", "there"), "configuration": "first way"},
        {**over("here", "there", name="y"), "configuration": "second way"},
    ]
    table = facts_of(here=[0.5, 0.5], there=[2.0, 2.0])
    assert judge(*checks, facts=table).verdict == "not reproduced"


def test_the_explanation_is_short_and_names_what_holds_first():
    names = [f"s{i}" for i in range(6)]
    table = facts_of(**dict.fromkeys(names[:5], (2.0, 2.0)), s5=(0.5, 0.5))
    verdict = judge(over(*names), over(*names, name="y"), facts=table)
    fails = [f"{s}: 0 of 2 hold, not: x, {s} (fails), y, {s} (fails)" for s in names[:3]]
    assert verdict.explanation == "; ".join(["s5: holds", *fails, "and 2 more"])
    crowd = judge(*[about_fact("above", 1, name="x")] * 5, facts=facts(x=0.5))
    assert crowd.explanation == "0 of 5 hold, not: x, here (fails), x, here (fails) and 3 more"


def test_a_lone_trial_is_said_to_be_one():
    lone, several = times("here", "a", [[1.0]]), times("there", "a", [[1.0], [1.0]])
    total = {"metric": "time_total", "relation": "below"}
    each = {"arguments": {"algorithm": "a"}, "each": {"setting": ["here", "there"]}}
    verdict = judge({**total, **each, "bound": 2}, times=[lone, several])
    assert verdict.explanation == "all 2 checks hold (one trial behind 1 of 2 checks)"
    assert [r.remark for r in verdict.results] == ["one trial", ""]
    fails = judge({**total, **each, "bound": 0.5}, times=[lone, several])
    assert fails.explanation.endswith("(one trial behind 1 of 2 checks)")


def test_facts_say_how_many_trials_they_come_from():
    table = pd.DataFrame(
        [("area", "a", 2.0, 1.0), ("area", "b", 8.0, np.nan), ("area", "c", 8.0, 3.0)],
        columns=["name", "setting", "value", "trials"],
    )
    ratio = {"name": "area", "numerator": "a", "denominator": "c"}
    area = {"name": "area", "setting": "a"}
    for result in measure("fact_ratio", ratio, facts=table), measure("fact", area, facts=table):
        assert (result.measurement.trials, result.remark) == (1, "one trial")
    for known in table, table.drop(columns="trials"):
        result = measure("fact", {"name": "area", "setting": "b"}, facts=known)
        assert (result.measurement.trials, result.remark) == (None, "")


@pytest.mark.parametrize("name", claims.METRICS)
def test_labels_word_arguments_of_their_metric(name):
    words = {field for _, field, _, _ in string.Formatter().parse(metric(name).template) if field}
    assert words and words <= set(metric_arguments(name))


def test_one_missing_check_makes_the_claim_missing():
    checks = [about_fact("below", 1, name=name) for name in ("x", "y")]
    verdict = judge(*checks, facts=facts(x=0.5))
    assert verdict.verdict == "missing"
    assert "1 of 2" in verdict.explanation
    assert "y of here in facts" in verdict.explanation


def test_informative_checks_do_not_count():
    free = about_fact("below", 1, name="y", informative=True)
    absent = about_fact("below", 1, name="z", informative=True)
    verdict = judge(about_fact("below", 1, name="x"), free, absent, facts=facts(x=0.5, y=2.0))
    assert verdict.verdict == "reproduced"
    assert [r.outcome for r in verdict.results] == ["holds", "fails", "missing"]


def test_a_partly_verdict_names_the_configurations():
    checks = [
        about_fact("below", 1, name="common"),
        about_fact("below", 1, name="x", configuration="first way"),
        about_fact("below", 1, name="y", configuration="second way"),
    ]
    verdict = judge(*checks, facts=facts(common=0.5, x=0.5, y=2.0))
    assert verdict.verdict == "partly"
    assert "first way: holds" in verdict.explanation
    assert "second way: 1 of 2 hold, not: y, here (fails)" in verdict.explanation


def test_a_common_check_counts_in_every_configuration():
    checks = [
        about_fact("below", 1, name="common"),
        about_fact("below", 1, name="x", configuration="first way"),
    ]
    verdict = judge(*checks, facts=facts(common=2.0, x=0.5))
    assert "first way: 1 of 2 hold" in verdict.explanation


def test_each_makes_all_combinations():
    check = {
        "metric": "fact",
        "each": {"name": ["x", "y"], "setting": ["here", "there"]},
        "relation": "below",
        "bound": 1,
    }
    pairs = {tuple(c.arguments.values()) for c in claims.expand({"checks": [check]})}
    assert pairs == {("x", "here"), ("x", "there"), ("y", "here"), ("y", "there")}


# Metrics, by hand.


def test_regret_growth_compares_unpaired_trials():
    tables = [finals("there", "a", [8.0, 12.0, 10.0]), finals("here", "a", [5.0, 5.0])]
    arguments = {"algorithm": "a", "setting": "there", "base": "here"}
    found = measure("regret_growth", arguments, finals=tables).measurement
    # Standard error (2 / sqrt 3) / 5 with 2 degrees of freedom (quantile 4.302653).
    assert (found.value, found.trials) == (pytest.approx(2.0), 2)
    assert found.high - 2.0 == pytest.approx(4.30265273 * 2 / math.sqrt(3) / 5)


def test_regret_ratio_growth():
    tables = [
        finals("here", "a", [2.0, 4.0]),
        finals("here", "b", [1.0, 2.0]),
        finals("there", "a", [6.0, 12.0]),
        finals("there", "b", [1.0, 2.0]),
    ]
    arguments = {"numerator": "a", "denominator": "b", "setting": "there", "base": "here"}
    assert measure("regret_ratio_growth", arguments, finals=tables).measurement.value == 3.0


def test_share_of_rounds():
    table = finals("here", "a", [1.0, 1.0], warm_up_rounds=[20, 30])
    arguments = {"algorithm": "a", "setting": "here", "column": "warm_up_rounds"}
    assert measure("share_of_rounds", arguments, finals=table).measurement.value == 0.25


def test_a_column_that_was_not_recorded_is_missing():
    arguments = {"algorithm": "a", "setting": "here", "column": "warm_up_rounds"}
    result = measure("share_of_rounds", arguments, finals=finals("here", "a", [1.0]))
    assert "no column warm_up_rounds" in result.remark


def test_coverage_is_pooled_over_settings():
    tables = [
        finals("here", "a", [0.0] * 3, covered=[True, True, False]),
        finals("there", "a", [0.0] * 7, covered=[True] * 7),
    ]
    arguments = {"algorithm": "a", "settings": ["here", "there"]}
    found = measure("coverage", arguments, finals=tables).measurement
    assert (found.value, found.trials) == (0.9, 10)
    # Clopper-Pearson for 9 of 10: 0.5550 to 0.9975.
    assert (found.low, found.high) == pytest.approx((0.5550, 0.9975), abs=1e-4)


def test_coverage_where_there_is_no_true_parameter_is_missing():
    table = finals("here", "a", [0.0] * 3, covered=[None] * 3)
    result = measure("coverage", {"algorithm": "a", "settings": ["here"]}, finals=table)
    assert result.outcome == "missing"


TWO_TIMINGS = [
    times("here", "a", [[1.0, 10.0], [1.0, 20.0], [1.0, 60.0]]),
    times("here", "b", [[0.5, 2.0], [0.5, 4.0]]),
]


def test_time_is_the_median_of_whole_trials():
    found = measure(
        "time_total", {"algorithm": "a", "setting": "here"}, times=TWO_TIMINGS
    ).measurement
    assert (found.value, found.low, found.high, found.trials) == (20.0, 10.0, 60.0, 3)


def test_time_ratio_ranges_over_trials():
    found = measure("time_ratio", RATIO, times=TWO_TIMINGS).measurement
    assert (found.value, found.low, found.high) == pytest.approx((20 / 3, 10 / 4, 60 / 2))
    assert found.trials == 2


def test_time_leaves_out_incomplete_trials():
    table = times("here", "a", [[1.0, 10.0]], status="timeout")
    assert (
        measure("time_total", {"algorithm": "a", "setting": "here"}, times=table).outcome
        == "missing"
    )


def test_time_growth_and_flatness_over_settings():
    tables = [
        times("here", "a", [[2.0], [3.0]]),
        times("there", "a", [[4.0], [5.0]]),
    ]
    growth = {"algorithm": "a", "setting": "there", "base": "here"}
    found = measure("time_growth", growth, times=tables).measurement
    assert (found.value, found.low, found.high) == pytest.approx((1.8, 4 / 3, 5 / 2))
    flat = {"algorithm": "a", "settings": ["here", "there"]}
    found = measure("time_flat_over_settings", flat, times=tables).measurement
    assert (found.value, found.low, found.high) == pytest.approx((1.8, 4 / 3, 5 / 2))


def test_time_per_round_in_the_last_and_first_third():
    # Rounds 1 to 7; the first, slow one is left out; then 1, 1, 2, 2, 3, 3 seconds a round.
    table = times("here", "a", [[50, 51, 52, 54, 56, 59, 62]])
    arguments = {"algorithm": "a", "setting": "here"}
    found = measure("time_flat_over_rounds", arguments, times=table).measurement
    assert found.value == pytest.approx(3.0)


def test_slopes_against_the_round():
    rounds = range(1, 301)
    table = times("here", "a", [[t * t for t in rounds]], state_bytes=[100 * t for t in rounds])
    arguments = {"algorithm": "a", "setting": "here"}
    assert measure("time_slope", arguments, times=table).measurement.value == pytest.approx(
        1, abs=0.01
    )
    assert measure("state_slope", arguments, times=table).measurement.value == pytest.approx(1)
    assert measure("state_growth", arguments, times=table).measurement.value == 300


def test_a_state_of_constant_size_does_not_grow():
    table = times("here", "a", [[1.0, 2.0, 3.0]], state_bytes=496)
    arguments = {"algorithm": "a", "setting": "here"}
    assert measure("state_growth", arguments, times=table).measurement.value == 1
    assert measure("state_slope", arguments, times=table).measurement.value == 0


def test_agreement_of_a_probe():
    table = times("here", "a", [[1.0, 2.0], [1.0, 2.0]], selections=[1, 4], agreements=[1, 3])
    found = measure("agreement", {"algorithm": "a", "setting": "here"}, times=table).measurement
    assert found.value == 0.75


def test_fact_ratio_over_algorithms():
    table = pd.DataFrame(
        [("area", "a", 2.0), ("area", "b", 8.0)], columns=["name", "setting", "value"]
    )
    arguments = {"name": "area", "numerator": "a", "denominator": "b"}
    assert measure("fact_ratio", arguments, facts=table).measurement.value == 0.25


def test_scaling_slope_of_the_large_dimensions():
    rows = [(d, "projection", float(max(d, 50) ** 3)) for d in (5, 10, 50, 100, 400)]
    table = pd.DataFrame(rows, columns=["dimension", "part", "seconds"])
    arguments = {"part": "projection", "smallest": 50}
    found = measure("scaling_slope", arguments, scaling=table).measurement
    assert found.value == pytest.approx(3.0)
    missing = measure("scaling_slope", {**arguments, "part": "rank_one"}, scaling=table)
    assert missing.outcome == "missing"


# Files.


@pytest.fixture
def write(tmp_path):
    def write(document):
        path = tmp_path / "toy" / "claims.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(document))
        return path

    return write


def test_a_valid_file_loads(write):
    assert load_claims(write(one_claim(about_fact("below", 1))))["claims"][0]["id"] == "toy.01"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metric": "regret_ration"}, ["toy.01", "'regret_ration'", "did you mean 'regret_ratio'"]),
        ({"arguments": {"nam": "x", "setting": "s"}}, ["'nam'", "did you mean 'name'"]),
        ({"arguments": {"name": "x"}}, ["lacks argument setting"]),
        ({"each": {"setting": ["s"]}}, ["'setting' is given twice"]),
        ({"relation": "belo"}, ["'belo'", "did you mean 'below'", "above"]),
        ({"relation": "between"}, ["bound", "a list"]),
        ({"relation": "between", "bound": [1]}, ["bound", "2"]),
        ({"relation": "equals"}, ["tolerance"]),
        ({"bound": "low"}, ["bound", "'low'", "number"]),
        ({"bond": 1}, ["'bond'", "did you mean 'bound'"]),
        ({"each": {"setting": 3}, "arguments": {"name": "x"}}, ["each.setting", "a list"]),
    ],
)
def test_a_wrong_check_is_refused_by_name(write, change, words):
    check = {**about_fact("below", 1), **change}
    with pytest.raises(ConfigError) as error:
        load_claims(write(one_claim(check)))
    for word in [*words, "toy/claims.yaml"]:
        assert word in str(error.value)


@pytest.mark.parametrize("key", ["relation", "bound"])
def test_a_counted_check_needs_relation_and_bound(write, key):
    check = about_fact("below", 1)
    del check[key]
    with pytest.raises(ConfigError, match=key):
        load_claims(write(one_claim(check)))
    check["informative"] = True
    check.pop("relation", None)
    load_claims(write(one_claim(check)))


def test_an_id_twice_is_refused(write):
    document = one_claim(about_fact("below", 1))
    document["claims"] *= 2
    with pytest.raises(ConfigError, match=r"'toy.01' occurs 2 times"):
        load_claims(write(document))


# Output.


@pytest.fixture
def verdicts():
    good, lacking = (
        one_claim({**LONELY, "configuration": "one way"}, about_fact("equals", 21, tolerance=0.5)),
        one_claim(about_fact("below", 1, name="absent")),
    )
    lacking["claims"][0]["id"] = "toy.02"
    good["claims"] += lacking["claims"]
    return claims.evaluate(good, {"finals": pd.concat(ten()), "facts": facts(kappa=21.04)})


@pytest.fixture(params=["fresh", "from CSV"])
def frame(request, verdicts, tmp_path):
    fresh = claims.to_frame(verdicts)
    if request.param == "fresh":
        return fresh
    fresh.to_csv(tmp_path / "claims.csv", index=False)
    return claims.read_frame(tmp_path / "claims.csv")


def test_the_frame_has_one_row_per_check(frame):
    assert tuple(frame.columns) == claims.COLUMNS
    assert frame["claim"].tolist() == ["toy.01", "toy.01", "toy.02"]
    assert frame["setting"].tolist() == ["here"] * 3
    assert frame["metric"].tolist() == ["regret_ratio", "fact", "fact"]
    assert frame["outcome"].tolist() == ["holds", "holds", "missing"]
    assert frame["verdict"].tolist() == ["reproduced", "reproduced", "missing"]
    assert frame["explanation"][2] == "1 of 1 checks cannot be made: no absent of here in facts"
    assert frame["bound"].tolist()[1:] == ["21 ± 0.5", "1"]
    assert frame["counts"].tolist() == [True] * 3


def test_the_frame_holds_what_was_measured(frame):
    row = frame.iloc[0]
    assert (row["value"], row["low"]) == pytest.approx((10.0, 8.03675), abs=1e-5)
    assert (row["trials"], row["rounds"], row["interval"]) == (5, 100, "95% t")
    assert frame["rounds"].isna().tolist() == [False, True, True]
    assert math.isnan(frame["value"][2])


def test_a_check_reports_the_rounds_of_its_shortest_cell():
    tables = [finals("here", "a", [1.0, 2.0]), finals("here", "b", [1.0, 2.0])]
    tables[1]["round"] = 80
    assert measure("regret_ratio", RATIO, finals=tables).rounds == 80
    arguments = {"algorithm": "a", "setting": "here"}
    assert measure("time_total", arguments, times=times("here", "a", [[1, 2, 3]])).rounds == 3


def test_the_summary_says_how_long_the_runs_were(frame):
    line = "2 claims: 1 reproduced, 1 missing."
    assert claims.tally(frame) == f"{line} Measured over 100 rounds."
    assert claims.tally(frame.iloc[1:]) == line
    longer = frame.assign(rounds=[100, 3000, None])
    assert claims.tally(longer) == f"{line} Measured over 100 to 3000 rounds."


def test_the_page_starts_with_the_summary(verdicts):
    page = claims.to_markdown(verdicts)
    assert page.startswith("# Claims of toy\n")
    assert page.index("1 reproduced, 1 missing") < page.index("## toy.01: reproduced")
    assert "Measured over 100 rounds." in page
    assert "| holds | regret of a / b, here | one way | 10 (8.037 to 11.96, n = 5) |" in page
    assert page.index("## toy.02: missing") < page.index("| no absent of here in facts |")


def test_the_page_shows_the_note_and_marks_what_does_not_count():
    document = one_claim(about_fact("below", 1), about_fact("above", 1, informative=True))
    document["claims"][0]["note"] = "Mind the gap."
    page = claims.to_markdown(claims.evaluate(document, {"facts": facts(kappa=0.5)}))
    assert "\nMind the gap.\n" in page
    assert "| fails | kappa, here |  | 0.5 | above 1 | informative |" in page


def test_the_page_states_the_size_of_the_family():
    page = claims.to_markdown([judge(LONELY, LONELY, finals=ten())])
    assert "Holm's correction is over 2 comparisons." in page


def test_the_summary_block_is_a_table_with_one_line_per_claim(frame):
    lines = claims.summary_block(frame).strip().splitlines()
    assert lines[0].startswith("2 claims: 1 reproduced, 1 missing.")
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + 2
    assert {line.count("|") for line in table} == {5}
    assert table[2:] == [
        "| toy.01 | Figure 1 | It works. | **reproduced** |",
        "| toy.02 | Figure 1 | It works. | missing |",
    ]


def test_the_page_for_the_browser_has_every_claim_and_check(frame):
    summary, checks = claims.to_html(frame).split("<h2>Checks</h2>")
    for name in ("claim", "verdict"):
        for value in frame[name].unique():
            assert f"<td>{value}</td>" in summary
    assert summary.count("<tr") == 1 + frame["claim"].nunique()
    assert checks.count("<tr") == 1 + len(frame)
    for outcome, rows in frame.groupby("outcome"):
        assert checks.count(f"<td>{outcome}</td>") == len(rows)


def test_the_text_names_verdict_and_reason(frame):
    assert claims.to_text(frame).splitlines() == [
        "toy.01  reproduced      It works.",
        "toy.02  missing         It works.",
        "                        -> 1 of 1 checks cannot be made: no absent of here in facts",
        "",
        "2 claims: 1 reproduced, 1 missing. Measured over 100 rounds.",
    ]


def test_the_details_list_the_checks(frame):
    lines = claims.to_text(frame, details=True).splitlines()
    ratio = "regret of a / b, here [one way]: 10 (8.037 to 11.96, n = 5), wanted below 12.1213"
    assert [line.strip() for line in lines if line.startswith("    ") and "->" not in line] == [
        f"holds     {ratio}",
        "holds     kappa, here: 21.04, wanted equals 21 ± 0.5",
        "missing   absent, here, wanted below 1 (no absent of here in facts)",
    ]
    assert lines[1].strip() == "-> all 2 checks hold"


def test_bounds_that_are_all_numbers_are_worded_alike_from_csv(tmp_path):
    fresh = claims.to_frame([judge(about_fact("below", 1000000), facts=facts(kappa=2.0))])
    fresh.to_csv(tmp_path / "claims.csv", index=False)
    texts = [claims.to_text(f, details=True) for f in (fresh, pd.read_csv(tmp_path / "claims.csv"))]
    assert texts[0] == texts[1]
    assert "kappa, here: 2, wanted below 1e+06\n" in texts[0]


def test_a_table_that_was_read_is_written_alike(verdicts, tmp_path):
    paths = tmp_path / "once.csv", tmp_path / "twice.csv"
    free = {"metric": "regret_ratio", "arguments": RATIO, "informative": True}
    checks = about_ratio("below", 12), free
    ratios = [judge(*checks, finals=ten(shift / 7)) for shift in range(20)]
    claims.to_frame([*ratios, verdicts[1]]).to_csv(paths[0], index=False)
    claims.read_frame(paths[0]).to_csv(paths[1], index=False)
    assert paths[0].read_text() == paths[1].read_text()


@pytest.mark.parametrize("content", ["", "claim,place\ntoy.01,Figure 1\n"])
def test_a_file_that_is_no_table_of_claims_is_refused(tmp_path, content):
    path = tmp_path / "claims.csv"
    path.write_text(content)
    with pytest.raises(ResultError, match=r"claims.csv is not a table of claims"):
        claims.read_frame(path)


def test_the_summary_stands_between_the_markers_and_only_there(frame):
    readme = "# Title\n\n<!-- claims -->\nold\n<!-- /claims -->\n\nThe end.\n"
    text = claims.with_summary(readme, frame)
    assert text.startswith("# Title\n\n<!-- claims -->\n\n2 claims: 1 reproduced")
    assert text.endswith("| missing |\n\n</details>\n\n<!-- /claims -->\n\nThe end.\n")
    assert "old" not in text
    assert claims.with_summary(text, frame) == text


def test_the_summary_counts_and_folds_each_paper_by_itself(frame):
    other = frame.assign(claim=frame["claim"].str.replace("toy", "other"))
    text = claims.with_summary("<!-- claims -->\n<!-- /claims -->", pd.concat([frame, other]))
    assert "4 claims: 2 reproduced" in text.splitlines()[2]
    for paper in ("toy", "other"):
        _, _, part = text.partition(f"<summary><b>{paper}</b>: 2 claims: 1 reproduced")
        table = part.partition("</details>")[0]
        assert table.count(f"| {paper}.0") == table.count("\n| ") - 2 == 2


def test_a_readme_is_current_only_with_the_same_verdicts(frame):
    readme = "<!-- claims -->\n<!-- /claims -->"
    assert not claims.readme_is_current(readme, frame)
    current = claims.with_summary(readme, frame)
    assert claims.readme_is_current(current, frame)
    changed = frame.assign(verdict=frame["verdict"].replace("reproduced", "partly"))
    assert not claims.readme_is_current(current, changed)


@pytest.mark.parametrize(
    "readme", ["", "<!-- claims -->", "<!-- /claims -->", "<!-- /claims --> <!-- claims -->"]
)
def test_a_readme_without_markers_is_refused(frame, readme):
    with pytest.raises(ConfigError, match=r"README\.md lacks the lines <!-- claims -->"):
        claims.with_summary(readme, frame)


# The claims of the papers.

COUNTS = {"glb_omd": 22, "hvt_ucb": 18, "bkb": 12, "go_ucb": 20}


@pytest.fixture(scope="module", params=paper_names())
def name(request):
    return request.param


@pytest.fixture(scope="module")
def paper_claims(name):
    return load_claims(claims_path(name))


@pytest.fixture(scope="module")
def full_tables(name, paper_claims):
    """Tables with a row for everything that the paper's configuration runs, and nothing else.

    Facts, which environments and lemmas report, are there if they are asked for.
    """
    paper = load_paper(name)
    jobs = trials.expand(paper)
    cells = {
        lane: {(j.cell.setting, j.cell.algorithm): j.cell.spec for j in jobs if j.lane == lane}
        for lane in LANES
    }
    counters = dict.fromkeys(
        (
            *("warm_up_rounds", "rejected", "substituted", "regret_half", "ball_activations"),
            *("potential", "final_potential", "potential_bound", "regret_bound"),
            *("oracle_displacement", "gradient_norm"),
        ),
        1,
    )
    probe = {"state_bytes": 8, "selections": 1, "agreements": 1}
    about = [s for s, _ in cells["regret"]] + paper.get("regions", {}).get("algorithms", [])
    about += sorted(set().union(*(s.about() for s in studies.of_paper(paper))))
    checks = [check for claim in paper_claims["claims"] for check in claims.expand(claim)]
    names = {check.arguments["name"] for check in checks if check.metric.startswith("fact")}
    parts = [(d, part, 1.0) for d in (50, 100, 400) for part in ("projection", "rank_one")]
    return {
        "finals": pd.concat(
            finals(*cell, [1.0] * 7, covered=True, **counters).assign(round=spec["horizon"])
            for cell, spec in cells["regret"].items()
        ),
        "regrets": pd.concat(
            finals(*cell, [1.0] * 7).assign(round=rounds)
            for cell, spec in cells["regret"].items()
            for rounds in (1, spec["horizon"])
        ),
        "times": pd.concat(times(*cell, [[1.0, 2.0, 3.0]], **probe) for cell in cells["timing"]),
        "facts": pd.DataFrame(
            [(fact, setting, 1.0) for fact in names for setting in dict.fromkeys(about)],
            columns=["name", "setting", "value"],
        ),
        "scaling": pd.DataFrame(parts, columns=["dimension", "part", "seconds"]),
    }


def test_claims_are_numbered_in_order(name, paper_claims):
    expected = [f"{name}.{i:02d}" for i in range(1, COUNTS[name] + 1)]
    assert [c["id"] for c in paper_claims["claims"]] == expected


def test_every_claim_counts_at_least_one_check(paper_claims):
    for claim in paper_claims["claims"]:
        assert not all(check.informative for check in claims.expand(claim)), claim["id"]


def test_everything_the_claims_need_is_run(paper_claims, full_tables):
    verdicts = claims.evaluate(paper_claims, full_tables)
    missing = [r.remark for v in verdicts for r in v.results if r.outcome == "missing"]
    assert missing == []


def test_without_any_table_every_check_is_missing(name, paper_claims):
    verdicts = claims.evaluate(paper_claims, {})
    assert Counter(v.verdict for v in verdicts) == {"missing": COUNTS[name]}
    assert {r.outcome for v in verdicts for r in v.results} == {"missing"}
