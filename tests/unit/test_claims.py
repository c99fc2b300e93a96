"""Verdicts: from checks on small tables, through parts and readings, to the words for claims."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from claim_tables import (
    SPREAD,
    claim_with,
    decide,
    document,
    facts,
    finals,
    judge,
    measure,
    reading,
    times,
)

from optimist import claims
from optimist.claims import deciding
from optimist.claims.context import Context

RATIO = {"setting": "here", "numerator": "a", "denominator": "b"}


def fact(name, relation="below", bound=1, **keys):
    arguments = {"name": name, "setting": "here"}
    return {"metric": "fact", "arguments": arguments, "relation": relation, "bound": bound, **keys}


def ratio(relation="below", bound=1, top="a", bottom="b", **keys):
    arguments = {"setting": "here", "numerator": top, "denominator": bottom}
    own = {"relation": relation, "bound": bound, **keys}
    return {"metric": "regret_ratio", "arguments": arguments, **own}


def regrets(**values):
    """Final regrets by algorithm: ten trials around each value."""
    return [finals("here", name, [value + z for z in SPREAD]) for name, value in values.items()]


# The ratio of a to b is 10, with ends 10 -+ 2.262157 * 0.471405 at 95 %, that is 8.93361, 11.06639.
TEN = [*regrets(a=10.0), finals("here", "b", [1.0] * 10)]


def outcomes(verdict):
    return [result.outcome for result in verdict.results]


# One check.


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
def test_a_value_without_sampling_error(relation, bound, keys, outcome):
    verdict = judge(fact("x", relation, bound, **keys), facts=facts(x=21.0))
    assert outcomes(verdict) == [outcome]
    assert {verdict.results[0].support, verdict.results[0].refute} == {0.0, 1.0}


@pytest.mark.parametrize(
    ("relation", "bound", "keys", "outcome"),
    [
        ("below", 11.07, {}, "holds"),
        ("below", 11.06, {}, "undecided"),
        ("below", 8.94, {}, "undecided"),
        ("below", 8.93, {}, "fails"),
        ("above", 8.93, {}, "holds"),
        ("above", 8.94, {}, "undecided"),
        ("above", 11.06, {}, "undecided"),
        ("above", 11.07, {}, "fails"),
        ("between", [8.93, 11.07], {}, "holds"),
        ("between", [8.94, 11.07], {}, "undecided"),
        ("between", [8.93, 11.06], {}, "undecided"),
        # Twice the smaller p: 10 - 2.685011 * 0.471405 = 8.73427, and 11.26573 above.
        ("between", [1, 8.73], {}, "fails"),
        ("between", [1, 8.74], {}, "undecided"),
        ("between", [11.27, 20], {}, "fails"),
        ("between", [11.26, 20], {}, "undecided"),
        ("equals", 10, {"tolerance": 1.07}, "holds"),
        ("equals", 10, {"tolerance": 1.06}, "undecided"),
    ],
)
def test_a_measured_ratio_is_tested_at_its_bound(relation, bound, keys, outcome):
    verdict = judge(ratio(relation, bound, **keys), finals=TEN)
    assert outcomes(verdict) == [outcome]
    word = {"holds": "reproduced", "fails": "not reproduced"}.get(outcome, outcome)
    assert verdict.word == word


@pytest.mark.parametrize(
    ("keys", "half"),
    [
        ({"level": 0.95}, 1.06639),
        ({"level": 0.98}, 1.33004),  # quantile 2.821438
        ({"level": 0.95, "looks": 2}, 1.26573),  # at half of 0.025: 2.685011
    ],
)
def test_the_error_follows_the_level_and_the_number_of_looks(keys, half):
    inside, outside = (
        decide(reading(ratio("below", 10 + half + d)), tables={"finals": TEN}, **keys)
        for d in (-1e-3, 1e-3)
    )
    assert (inside.word, outside.word) == ("undecided", "reproduced")
    (row,) = claims.to_frame([outside]).itertuples()
    assert row.high == pytest.approx(10 + half, abs=1e-4)


@pytest.mark.parametrize(("relation", "outcome"), [("above", "fails"), ("between", "holds")])
def test_a_number_that_is_the_same_in_all_trials_is_certain(relation, outcome):
    # A count at its limit does not grow, and no number of trials would show that it does.
    bound = 1 if relation == "above" else [1, 2]
    tables = [finals("here", name, [3000.0] * 10) for name in "ab"]
    assert outcomes(judge(ratio(relation, bound), finals=tables)) == [outcome]
    tables = [finals("here", name, [3000.0] * 9) for name in "ab"]
    assert outcomes(judge(ratio(relation, bound), finals=tables)) == ["undecided"]


def test_nine_trials_decide_nothing():
    tables = [finals("here", "a", [1.0] * 9), finals("here", "b", [100.0] * 10)]
    verdict = judge(ratio(), finals=tables)
    assert (verdict.word, verdict.results[0].measurement.evidence.n) == ("undecided", 9)
    assert claims.to_frame([verdict])["turns_at"].tolist() == [""]
    tables[0] = finals("here", "a", [1.0] * 10)
    assert judge(ratio(), finals=tables).word == "reproduced"


def test_a_value_that_is_none_decides_nothing():
    verdict = judge(fact("x"), facts=facts(x=math.nan))
    assert (verdict.word, outcomes(verdict)) == ("undecided", ["undecided"])
    assert (verdict.results[0].support, verdict.results[0].refute) == (1.0, 1.0)


# What is read.


@pytest.mark.parametrize("tables", [{}, {"finals": None}, {"finals": pd.DataFrame()}])
def test_cells_that_were_not_run_are_named(tables):
    verdict = judge(ratio(), **tables)
    assert (verdict.word, outcomes(verdict)) == ("missing", ["missing"])
    assert verdict.results[0].measurement is None
    for name in ("here/a (regret lane)", "here/b (regret lane)"):
        assert name in verdict.results[0].remark


def test_one_missing_check_makes_the_claim_missing():
    verdict = judge(fact("x"), fact("y"), facts=facts(x=0.5))
    assert verdict.word == "missing"
    assert verdict.explanation == "1 of 2 checks cannot be made: no y of here in facts"


# Parts and readings. A fact of 0 holds, of 2 fails, and one that is no number is undecided.


def part(name, about):
    return fact(name, part=about)


@pytest.mark.parametrize(
    ("values", "outcome", "word"),
    [
        ((0.0, 0.0, 0.0), "holds", "reproduced"),
        ((0.0, 0.0, 2.0), "mixed", "partly"),
        ((2.0, 0.0, 0.0), "mixed", "partly"),
        ((2.0, 0.0, 2.0), "fails", "not reproduced"),
        ((2.0, 0.0, math.nan), "fails", "not reproduced"),
        ((0.0, 0.0, math.nan), "undecided", "undecided"),
    ],
)
def test_a_part_holds_if_all_of_its_checks_do(values, outcome, word):
    checks = part("x", "one"), part("y", "one"), part("z", "two")
    verdict = judge(*checks, facts=facts(**dict(zip("xyz", values, strict=True))))
    assert (verdict.word, verdict.outcomes) == (word, {"": outcome})


@pytest.mark.parametrize(
    ("stated", "opened", "word"),
    [
        (0.0, 0.0, "reproduced"),
        (0.0, 2.0, "partly"),
        (2.0, 2.0, "not reproduced"),
        (2.0, math.nan, "undecided"),
        (0.0, math.nan, "undecided"),
    ],
)
def test_all_readings_that_count_decide(stated, opened, word):
    first = reading(fact("x"), name="R nu")
    second = reading(fact("y"), name="R sd", status="open")
    verdict = decide(first, second, tables={"facts": facts(x=stated, y=opened)})
    assert verdict.word == word
    assert list(verdict.outcomes) == ["R nu", "R sd"]


@pytest.mark.parametrize("value", [0.0, 2.0, math.nan, None])
@pytest.mark.parametrize("kind", ["empirical", "guarantee", "fact"])
@pytest.mark.parametrize("counted", [0.0, 2.0])
def test_readings_and_checks_of_ours_are_shown_and_change_nothing(value, kind, counted):
    values = {"x": counted} | ({} if value is None else {"y": value})
    tables = {"facts": facts(**values)}
    bound = {"relation": "equals", "tolerance": 0.5} if kind == "fact" else {}
    x, y = fact("x", **{**bound, "bound": 0}), fact("y", **{**bound, "bound": 0})
    x, y = ({**c, "bound": 1} if kind != "fact" else c for c in (x, y))
    alone = decide(reading(x), tables=tables, kind=kind)
    ours = decide(reading(x), reading(y, name="odd", status="ours"), tables=tables, kind=kind)
    beside = decide(reading(x, {**y, "status": "ours"}), tables=tables, kind=kind)
    for verdict in (ours, beside):
        assert (verdict.word, verdict.outcomes) == (alone.word, alone.outcomes)
        assert verdict.results[0].outcome == alone.results[0].outcome
        assert [r.counts for r in verdict.results] == [True, False]
        assert verdict.flags == alone.flags
    assert (beside.results[1].outcome == "missing") == (
        value is None or (math.isnan(value) and kind != "empirical")
    )


def test_checks_of_ours_stand_outside_holms_correction():
    # p of the failing side is 0.0143 alone: two of them are 0.0286 each, and nothing fails.
    near = ratio("below", 10 - 2.6 * 0.471405)
    assert judge(near, finals=TEN).word == "not reproduced"
    assert judge(near, near, finals=TEN).word == "undecided"
    beside = judge(near, {**near, "status": "ours"}, finals=TEN)
    assert (beside.word, outcomes(beside)) == ("not reproduced", ["fails", "fails"])


def test_all_checks_must_hold_without_correction_and_one_suffices_to_fail_with_it():
    near = ratio("below", 10 + 2.3 * 0.471405)  # p 0.0235
    assert judge(*[near] * 12, finals=TEN).word == "reproduced"
    far = ratio("below", 10 - 3.5 * 0.471405)  # p 0.0034: seven times it is below 0.025
    assert judge(far, *[near] * 6, finals=TEN).word == "not reproduced"
    assert judge(far, *[near] * 7, finals=TEN).word == "undecided"


def test_the_explanation_names_readings_and_what_does_not_hold():
    names = [f"R {i}" for i in range(6)]
    readings = [reading(fact("x"), fact("y"), name=name) for name in names]
    verdict = decide(*readings, tables={"facts": facts(x=0.0, y=2.0)})
    shown = [f"{name}: fails, 1 of 2 checks hold, not: y, here (fails)" for name in names[:4]]
    assert verdict.explanation == "; ".join([*shown, "of 2 more readings 2 fails"])
    crowd = judge(*[fact("x")] * 4, facts=facts(x=2.0))
    assert crowd.explanation == (
        "fails, 0 of 4 checks hold, not: x, here (fails), x, here (fails) and 2 more"
    )


# One of several suffices.


def tuning(name, *checks):
    return [{**check, "tuning": name} for check in checks]


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        (0.0, 2.0, "reproduced"),
        (2.0, 0.0, "reproduced"),
        (0.0, math.nan, "reproduced"),
        (2.0, 2.0, "not reproduced"),
        (2.0, math.nan, "undecided"),
    ],
)
def test_one_tuning_suffices(first, second, word):
    checks = [*tuning("c 1", fact("x")), *tuning("c 2", fact("y"))]
    assert judge(*checks, facts=facts(x=first, y=second)).word == word


def test_all_parts_must_hold_in_the_same_tuning():
    checks = [
        *tuning("c 1", part("x", "one"), part("y", "two")),
        *tuning("c 2", part("y", "one"), part("x", "two")),
    ]
    assert judge(*checks, facts=facts(x=0.0, y=2.0)).word == "not reproduced"


def test_the_best_of_several_tunings_is_corrected_for_the_choice():
    near = ratio("below", 10 + 2.6 * 0.471405)  # p 0.0143
    assert judge(*tuning("c 1", near), finals=TEN).word == "reproduced"
    both = [*tuning("c 1", near), *tuning("c 2", near)]
    assert judge(*both, finals=TEN).word == "undecided"
    with_ours = [*tuning("c 1", near), *tuning("c 2", {**near, "status": "ours"})]
    assert judge(*with_ours, finals=TEN).word == "reproduced"


def test_a_tuning_that_was_not_run_to_its_end_can_fail_and_not_hold():
    rest = {"metric": "not_run", "arguments": {"what": "time"}, "relation": "above", "bound": 0}
    for x, word in ((0.0, "undecided"), (2.0, "not reproduced")):
        checks = [*tuning("one", fact("x"), rest), *tuning("two", fact("y"))]
        found = judge(*checks, facts=facts(x=x, y=2.0))
        assert found.word == word
        assert "all" not in found.explanation
    assert "of 2 tunings, one of which suffices, 2 fail" in found.explanation


def test_what_was_not_run_weakens_no_failure_of_what_was():
    # Two checks are corrected for two, whatever else was not run: 2 x 0.0143 is above 0.025.
    rest = {"metric": "not_run", "arguments": {"what": "time"}, "relation": "above", "bound": 0}
    near = ratio("below", 10 - 2.6 * 0.471405, part="one")
    for others, word in (([], "not reproduced"), ([fact("x", part="two")], "undecided")):
        checks = tuning("only", near, *others, {**rest, "part": "three"})
        found = judge(*checks, finals=TEN, facts=facts(x=0.0))
        assert (found.word, outcomes(found)[-1]) == (word, "undecided")


def test_a_tuning_that_fails_needs_no_other_cells():
    fails = tuning("c 1", fact("x"), fact("absent"))
    holds = tuning("c 2", fact("y"))
    assert judge(*fails, *holds, facts=facts(x=2.0, y=0.0)).word == "reproduced"
    assert judge(*fails, *holds, facts=facts(x=0.0, y=0.0)).word == "missing"
    assert judge(*fails, *holds, facts=facts(x=2.0, y=2.0)).word == "not reproduced"


# Controls.


def control(name):
    return fact(name)


@pytest.mark.parametrize(
    ("controls", "any_control", "outcome"),
    [
        (["fails"], False, "holds"),
        (["keeps"], False, "empty"),
        (["open"], False, "undecided"),
        (["fails", "keeps"], False, "empty"),
        (["fails", "fails"], False, "holds"),
        (["fails", "keeps"], True, "holds"),
        (["keeps", "keeps"], True, "empty"),
        (["absent"], False, "missing"),
        (["fails", "absent"], False, "missing"),
        (["fails", "absent"], True, "holds"),
    ],
)
def test_a_check_says_nothing_unless_its_controls_fail(controls, any_control, outcome):
    known = facts(x=0.0, fails=2.0, keeps=0.0, open=math.nan)
    check = fact("x", controls=[control(name) for name in controls], any_control=any_control)
    verdict = judge(check, facts=known)
    assert outcomes(verdict) == [outcome]
    assert verdict.word == {"holds": "reproduced", "empty": "undecided"}.get(outcome, outcome)
    if outcome == "undecided":
        assert "its control, open, here, is undecided" in verdict.results[0].remark
        assert (verdict.results[0].support, verdict.results[0].refute) == (1.0, 1.0)
    if outcome == "empty":
        assert verdict.results[0].remark.startswith("nothing to learn: its control, ")
        assert (verdict.results[0].support, verdict.results[0].refute) == (1.0, 1.0)
    if outcome == "missing":
        assert "for its control no absent of here in facts" in verdict.explanation


def test_of_any_controls_the_nearest_to_failing_is_named():
    near, far = (ratio("below", bound, top=top) for bound, top in ((10.1, "a"), (9.5, "b")))
    for both in ([near, far], [far, near]):
        check = fact("x", controls=both, any_control=True)
        found = judge(check, facts=facts(x=0.0), finals=TEN)
        assert "control, regret of a / b, here," in found.results[0].remark


def test_where_a_whole_reading_is_empty_no_number_of_trials_is_named():
    check = ratio("below", 10.5)
    empty = fact("x", controls=[control("keeps")])
    tables = {"finals": TEN, "facts": facts(x=0.0, keeps=0.0)}
    open_one = decide(reading(check), tables=tables)
    both = decide(reading(check), reading(empty, name="odd"), tables=tables)
    beside = decide(reading(check), reading(empty, name="odd", status="ours"), tables=tables)
    assert {v.word for v in (open_one, both, beside)} == {"undecided"}
    assert deciding.needs(open_one, {}) and deciding.needs(beside, {})
    assert deciding.needs(both, {}) is None
    assert "under one reading nothing can be learnt, so that no trials" in both.explanation
    assert "no trials" not in beside.explanation + open_one.explanation


def test_one_of_any_controls_is_corrected_for_the_choice():
    # p of failing is 0.0143: of two of them one suffices only after correction.
    near = ratio("below", 10 - 2.6 * 0.471405)
    check = ratio("below", 12, controls=[near, near])
    assert outcomes(judge(check, finals=TEN)) == ["holds"]
    assert outcomes(judge({**check, "any_control": True}, finals=TEN)) == ["undecided"]


@pytest.mark.parametrize(
    ("value", "control_name", "outcome"),
    [
        (0.0, "fails", "holds"),
        (2.0, "fails", "fails"),
        (0.0, "keeps", "undecided"),
        (2.0, "keeps", "fails"),
        (2.0, "open", "fails"),
        (2.0, "absent", "missing"),
    ],
)
def test_a_control_may_be_needed_to_hold_and_not_to_fail(value, control_name, outcome):
    known = facts(x=value, fails=2.0, keeps=0.0, open=math.nan)
    check = fact("x", controls=[control(control_name)], control_spares_failure=True)
    verdict = judge(check, facts=known)
    assert outcomes(verdict) == [outcome]
    held_back = outcome in ("undecided", "fails") and control_name in ("keeps", "open")
    assert ("cannot hold" in verdict.results[0].remark) == held_back
    is_said = outcome == "undecided" and control_name == "keeps"
    assert ("can refute it but not reproduce it" in verdict.explanation) == is_said


def test_what_is_empty_counts_among_those_that_are_corrected_for():
    # Alone p of failing is 0.0143; with an empty check beside it, as for the reading, twice that.
    near = ratio("below", 10 - 2.6 * 0.471405)
    empty = fact("x", controls=[control("keeps")])
    tables = {"finals": TEN, "facts": facts(x=0.0, keeps=0.0)}
    assert outcomes(judge(near, **tables)) == ["fails"]
    found = judge(near, empty, **tables)
    assert (outcomes(found), found.word) == (["undecided", "empty"], "undecided")


def test_a_control_empties_its_check_and_no_other():
    empty = fact("x", part="one", controls=[control("keeps")])
    checks = [empty, part("y", "one"), part("x", "two"), fact("y", part="one", status="ours")]
    found = judge(*checks, facts=facts(x=0.0, y=2.0, keeps=0.0))
    assert outcomes(found) == ["empty", "fails", "holds", "fails"]
    assert found.word == "partly"


def test_what_is_empty_hides_no_failure_of_another_rival():
    # Where only one rival learns, the others say nothing, and that one still refutes.
    learns = {"relation": "below", "bound": 2}

    def against(rival):
        sides = [ratio(top="u", bottom=one, **learns) for one in ("a", rival)]
        return ratio("below", 2, bottom=rival, part="one", controls=sides, any_control=True)

    tables = regrets(a=90.0, b=10.0, c=90.0, u=100.0)
    found = judge(against("b"), against("c"), finals=tables)
    assert outcomes(found) == ["fails", "empty"]
    assert found.word == "not reproduced"


def test_a_control_of_ours_empties_nothing_that_counts():
    ours = fact("x", part="one", status="ours", controls=[control("keeps")])
    found = judge(ours, part("y", "one"), facts=facts(x=0.0, y=0.0, keeps=0.0))
    assert (found.word, outcomes(found)) == ("reproduced", ["empty", "holds"])


# Guarantees.


@pytest.mark.parametrize(
    ("relation", "bound", "value", "word", "slack"),
    [
        ("below", 10.0, 5.0, "held", 2.0),
        ("below", 10.0, 10.0, "held", 1.0),
        ("below", 10.0, 10.0 * (1 + 0.9e-9), "held", 1.0),
        ("below", 10.0, 10.0 * (1 + 1.1e-9), "violated", 1.0),
        ("above", 10.0, 20.0, "held", 2.0),
        ("above", 10.0, 10.0 * (1 - 1.1e-9), "violated", 1.0),
        ("above", 10.0, 10.0 * (1 - 0.9e-9), "held", 1.0),
        ("below", 1e-6, 1.1e-6, "violated", 1 / 1.1),
        ("below", -1e6, -1e6 * (1 - 0.9e-9), "held", math.nan),
        ("below", -1e6, -1e6 * (1 - 1.1e-9), "violated", math.nan),
        ("below", 0.0, 1e-10, "held", math.nan),
        ("below", 0.0, 1e-8, "violated", math.nan),
        ("below", 1.0, -5.0, "held", math.inf),
        ("above", -2.0, -1.0, "held", math.nan),
        ("between", [1.0, 8.0], 2.0, "held", 2.0),
        ("between", [1.0, 8.0], 9.0, "violated", 8 / 9),
        ("equals", 2.0, 2.0, "held", math.nan),
        ("below", 10.0, math.inf, "violated", 0.0),
        ("above", 10.0, math.inf, "held", math.inf),
    ],
)
def test_a_sure_bound_is_violated_by_one_value_beyond_rounding(relation, bound, value, word, slack):
    check = fact("x", relation, bound, tolerance=1e-9 if relation == "equals" else None)
    verdict = judge(check, kind="guarantee", facts=facts(x=value))
    assert (verdict.word, outcomes(verdict)) == (word, [word])
    assert verdict.results[0].slack == pytest.approx(slack, abs=1e-6, nan_ok=True)
    assert ("times what was observed" in verdict.explanation) == (0.0 < slack < math.inf)


def test_one_trial_of_many_violates_a_sure_bound():
    check = {
        "metric": "largest",
        "arguments": {"setting": "here", "algorithm": "a", "column": "drift"},
        "relation": "below",
        "bound": 1,
    }
    drift = [0.5] * 99 + [1.001]
    broken = judge(check, kind="guarantee", finals=[finals("here", "a", [1.0] * 100, drift=drift)])
    assert (broken.word, broken.results[0].measurement.evidence.n) == ("violated", 100)
    drift[-1] = 0.999
    kept = judge(check, kind="guarantee", finals=[finals("here", "a", [1.0] * 100, drift=drift)])
    assert kept.word == "held"


def coverage(n, lost, bound=0.99, **keys):
    """A check of coverage, and the table in which the first ``lost`` of n trials lost it."""
    arguments = {"algorithm": "a", "settings": ["here"]}
    covered = [i >= lost for i in range(n)]
    check = {"metric": "coverage", "arguments": arguments, "relation": "above", "bound": bound}
    return {**check, **keys}, finals("here", "a", [0.0] * n, covered=covered)


@pytest.mark.parametrize(
    ("lost", "checks", "word"),
    # P(Bin(60, 0.01) >= 2) = 0.1213, >= 3: 0.0224, >= 4: 0.0032, below 0.025 / 7.
    [(0, 1, "held"), (2, 1, "held"), (3, 1, "violated"), (3, 2, "held"), (4, 7, "violated")],
)
def test_a_probable_bound_is_violated_by_a_count(lost, checks, word):
    check, table = coverage(60, lost)
    verdict = judge(*[check] * checks, kind="guarantee", finals=[table])
    assert verdict.word == word
    assert f"{lost} of 60 trials break it; a rate of 0.0" in verdict.results[0].remark
    if checks == 1:  # P(Bin(60, 0.0704) >= 3) = 0.8
        assert "a rate of 0.07 would show with 80 %" in verdict.results[0].remark


def test_a_probable_bound_may_be_on_the_share_that_breaks_it():
    check, table = coverage(60, 57, relation="below", bound=0.01)
    assert judge(check, kind="guarantee", finals=[table]).word == "violated"
    check, table = coverage(60, 58, relation="below", bound=0.01)
    assert judge(check, kind="guarantee", finals=[table]).word == "held"


def test_too_few_trials_of_a_probable_bound_say_that_they_show_nothing():
    check, table = coverage(2, 2, bound=0.5)
    verdict = judge(check, kind="guarantee", finals=[table])
    assert verdict.word == "held"
    assert "2 of 2 trials break it; no rate would show" in verdict.results[0].remark


@pytest.mark.parametrize(
    ("value", "controls", "any_control", "flag"),
    [
        (5.0, [], False, ""),
        (1.0, [], False, "could not fail: the bound is at least 10 times what was observed"),
        (1.01, [], False, ""),
        (5.0, ["breaks"], False, ""),
        (5.0, ["keeps"], False, "could not fail: a control outside the theorem keeps the bound"),
        (5.0, ["keeps", "breaks"], False, "could not fail: a control outside the theorem keeps"),
        (5.0, ["keeps", "breaks"], True, ""),
        (5.0, ["keeps", "keeps"], True, "could not fail: a control outside the theorem keeps"),
    ],
)
def test_a_guarantee_that_could_not_fail_is_flagged(value, controls, any_control, flag):
    own = [fact(name, bound=10) for name in controls]
    check = fact("x", bound=10, controls=own, any_control=any_control)
    verdict = judge(check, kind="guarantee", facts=facts(x=value, keeps=9.0, breaks=11.0))
    assert verdict.word == "held"
    assert [text[: len(flag)] for text in verdict.flags] == ([flag] if flag else [])
    assert verdict.is_flagged == bool(flag)


def test_the_smallest_slack_counts():
    checks = [fact("x", bound=10), fact("y", bound=10)]
    verdict = judge(*checks, kind="guarantee", facts=facts(x=0.1, y=4.0))
    assert verdict.explanation.endswith("the bound is at least 2.5 times what was observed")
    assert verdict.flags == []


def test_one_violation_needs_no_other_number():
    checks = [fact("x"), fact("absent")]
    found = judge(*checks, facts=facts(x=2.0), kind="guarantee")
    assert (found.word, outcomes(found)) == ("violated", ["violated", "missing"])


def test_a_trial_whose_coverage_is_not_known_is_none_that_was_covered():
    table = finals("here", "a", [1.0] * 10).assign(covered=[True, 1.0, *[math.nan] * 8])
    arguments = {"algorithm": "a", "settings": ["here"]}
    found = measure("coverage", arguments, finals=[table]).measurement.evidence
    assert (found.successes, found.n) == (2, 10)


def test_a_guarantee_without_a_value_or_data_is_missing():
    for known in (facts(x=math.nan), facts(y=1.0)):
        verdict = judge(fact("x"), kind="guarantee", facts=known)
        assert (verdict.word, outcomes(verdict)) == ("missing", ["missing"])


# Facts.


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (2.35, "matches"),
        (2.3499, "matches"),
        (2.3501, "differs"),
        (2.25, "matches"),
        (2.2499, "differs"),
    ],
)
def test_a_fact_matches_to_half_a_unit_of_its_last_digit(value, word):
    # 2.3 + 0.05 is 2.3499999999999996.
    check = fact("x", "equals", 2.3, tolerance=0.05)
    assert judge(check, kind="fact", facts=facts(x=value)).word == word


def test_one_number_that_differs_decides():
    checks = [fact(name, "equals", 1, tolerance=0.5) for name in "xy"]
    verdict = judge(*checks, kind="fact", facts=facts(x=1.0, y=2.0))
    assert (verdict.word, outcomes(verdict)) == ("differs", ["matches", "differs"])
    assert verdict.explanation == "1 of 2 numbers match, not: y, here"


def test_a_fact_is_its_value_even_if_trials_are_behind_it():
    check = {"metric": "regret_ratio", "arguments": RATIO, "relation": "equals", "tolerance": 0.5}
    verdict = judge({**check, "bound": 10.4}, kind="fact", finals=TEN)
    assert verdict.word == "matches"


@pytest.mark.parametrize("key", ["could_not_fail", "chosen_by_it"])
@pytest.mark.parametrize("kind", ["empirical", "guarantee", "fact"])
def test_claims_that_say_little_are_flagged_with_the_reason(key, kind):
    check = fact("x", "equals", 1, tolerance=0.5)
    flagged = decide(reading(check), kind=kind, tables={"facts": facts(x=1.0)}, **{key: "why"})
    words = {"could_not_fail": "could not fail", "chosen_by_it": "was chosen by it"}
    assert flagged.flags == [f"{words[key]}: why"]
    assert flagged.is_flagged


# Which trials count, and what would decide.

CELLS = [("regret", "here", "a"), ("regret", "here", "b")]


def world(n, effect=1.0, first=0):
    """Regrets of a and b over trials first, ...: their ratio varies around an effect."""
    rng = np.random.default_rng(5)
    values = rng.gamma(4.0, 0.25, (2, first + n))[:, first:]
    return [finals("here", "a", effect * values[0]), finals("here", "b", values[1])]


def test_a_shortened_run_gives_values_and_no_verdict():
    about = Context("toy", shortened="at most 150 rounds, 2 trials")
    tables = {"finals": world(30, effect=3.0)}
    full, verdict = (decide(reading(ratio()), tables=tables, context=c) for c in (None, about))
    assert full.word == "not reproduced" and verdict.word == "shortened"
    assert verdict.explanation == (
        "the run was shortened (at most 150 rounds, 2 trials), so nothing in it is a result"
    )
    assert {result.outcome for result in verdict.results} == {"reported"}
    frame = claims.to_frame([verdict], about)
    assert frame["value"].notna().all() and (frame["reading_outcome"] == "").all()
    assert (frame[["support", "refute"]] == 1.0).all(axis=None) and frame["needs"].isna().all()
    assert "1 claim: 1 shortened." in claims.tally(frame)


def context(trials=30, enlarged=(), seconds=3600.0):
    planned = dict.fromkeys(CELLS, trials)
    return Context("toy", planned, dict.fromkeys(CELLS, seconds), enlarged=frozenset(enlarged))


@pytest.mark.parametrize(
    ("looks", "enlarged", "number"),
    [(1, (), 30), (1, ("toy.01",), 70), (2, (), 30), (2, ("toy.01",), 100), (1, ("toy.02",), 30)],
)
def test_trials_count_for_the_claims_that_they_were_run_for(looks, enlarged, number):
    tables = {"finals": world(100)}
    about = context(enlarged=enlarged)
    verdict = decide(reading(ratio()), looks=looks, tables=tables, context=about)
    evidence = verdict.results[0].measurement.evidence
    assert evidence.n == number
    values = tables["finals"][0]["regret"].to_numpy()
    kept = {30: values[:30], 70: values[30:], 100: values}[number]
    assert evidence.top == pytest.approx(kept)
    (row,) = claims.to_frame([verdict], about).itertuples()
    ends = {30: (None, 29), 70: (30, None), 100: (None, None)}[number]
    assert tuple(None if pd.isna(v) else v for v in (row.first_trial, row.last_trial)) == ends


def test_new_trials_that_lack_are_missing():
    about = context(enlarged=("toy.01",))
    verdict = decide(reading(ratio()), tables={"finals": world(30)}, context=about)
    assert verdict.word == "missing"


def test_what_would_decide_is_a_number_of_trials_with_its_cost():
    verdict = decide(reading(ratio()), looks=2, tables={"finals": world(30)})
    found = deciding.needs(verdict, context().seconds)
    evidence = verdict.results[0].measurement.evidence
    assert found.units == evidence.units_for(1, 1.25, verdict.claim.alpha)
    assert (found.ratio, found.kind, found.is_enough) == (1.25, "trials", False)
    assert found.total == found.units > 30
    assert found.hours == pytest.approx(2 * (found.units - 30))
    assert math.isnan(deciding.needs(verdict, {}).hours)
    (row,) = claims.to_frame([verdict], context()).itertuples()
    assert (
        row.command == f"snakemake --cores all --config 'decide={{toy.01: {found.units}}}' -- toy"
    )


def test_a_claim_that_is_looked_at_once_needs_new_trials():
    verdict = decide(reading(ratio()), tables={"finals": world(30)})
    found = deciding.needs(verdict, context().seconds)
    assert (found.kind, found.total) == ("new trials", found.units + 30)
    assert found.hours == pytest.approx(2 * found.units)
    # It is not enlarged a second time.
    (row,) = claims.to_frame([verdict], context(enlarged=("toy.01",))).itertuples()
    assert (pd.isna(row.needs), row.command) == (True, "")
    assert row.deciding == "Its new trials were taken, so that more trials do not change the word."


def test_where_enough_were_run_the_truth_is_near_the_bound():
    verdict = decide(reading(ratio()), tables={"finals": world(3000, effect=0.97)}, decides=1.5)
    assert verdict.word == "undecided"
    found = deciding.needs(verdict, context().seconds)
    assert found.is_enough and found.units < 3000
    frame = claims.to_frame([verdict])
    assert frame["command"].tolist() == [""]
    assert frame["needs"].isna().all()
    assert (
        "There are as many trials as decide it where the truth is a factor of 1.5"
        in claims.to_text(frame)
    )


def test_nothing_is_needed_where_it_is_decided_or_no_number_decides():
    assert deciding.needs(judge(ratio(), finals=world(30, effect=0.2)), {}) is None
    assert deciding.needs(judge(fact("x"), facts=facts(x=math.nan)), {}) is None
    ours = {**ratio(), "status": "ours"}
    assert (
        deciding.needs(judge(fact("x"), ours, facts=facts(x=math.nan), finals=world(30)), {})
        is None
    )


def test_nothing_is_needed_for_a_claim_with_a_word_though_some_of_it_is_open():
    near = ratio("below", 10)
    checks = [{**ratio("below", 12), "part": "one"}, {**ratio("below", 5), "part": "two"}, near]
    verdict = judge(*checks, finals=TEN)
    assert (verdict.word, outcomes(verdict)[2]) == ("partly", "undecided")
    assert deciding.needs(verdict, {}) is None


def test_of_two_cells_the_trials_count_that_both_were_planned_for():
    about = Context("toy", {CELLS[0]: 30, CELLS[1]: 50})
    verdict = decide(reading(ratio()), tables={"finals": world(100)}, context=about)
    (row,) = claims.to_frame([verdict], about).itertuples()
    assert (row.last_trial, row.n) == (29, 30)
    new = Context("toy", about.trials, enlarged=frozenset(["toy.01"]))
    verdict = decide(reading(ratio()), tables={"finals": world(100)}, context=new)
    (row,) = claims.to_frame([verdict], new).itertuples()
    assert (row.first_trial, row.n) == (50, 50)


def test_controls_cost_too():
    tables = {"finals": [*world(30), finals("here", "uniform", [50.0] * 30)]}
    check = ratio(controls=[ratio(top="uniform")])
    verdict = decide(reading(check), looks=2, tables=tables)
    seconds = {**context().seconds, ("regret", "here", "uniform"): 7200.0}
    found = deciding.needs(verdict, seconds)
    assert found.hours == pytest.approx(4 * (found.units - 30))


@pytest.mark.parametrize("bound", [0.5, 1, 2])
def test_the_ratio_that_is_decided_needs_as_many_as_there_are(bound):
    verdict = judge(ratio("below", bound), finals=world(40))
    result, alpha = verdict.results[0], verdict.claim.alpha
    found = deciding.ratio_decided(result, alpha)
    assert found > 1
    assert deciding.units_needed(result, found, alpha) == 40
    assert deciding.units_needed(result, found * 0.99, alpha) > 40


def test_a_ratio_is_decided_also_where_it_is_sharp():
    # Noncentralities beyond 37, of which scipy knows nothing.
    verdict = judge(ratio("below", 12.5), finals=TEN)
    assert 1 < deciding.ratio_decided(verdict.results[0], 0.025) < 1.25


def test_the_ratio_decided_by_few_trials_is_infinite_and_of_none_undefined():
    few = judge(ratio(), finals=world(9))
    assert deciding.ratio_decided(few.results[0], 0.025) == math.inf
    assert math.isnan(deciding.ratio_decided(judge(ratio()).results[0], 0.025))


def test_a_claim_that_was_looked_at_twice_needs_nothing_more():
    verdict = decide(reading(ratio()), looks=2, tables={"finals": world(30)})
    (row,) = claims.to_frame([verdict], context(enlarged=("toy.01",))).itertuples()
    assert (pd.isna(row.needs), row.command) == (True, "")
    assert row.deciding.startswith("Both looks that were planned were taken")


WIDE = np.geomspace(0.01, 10.0, 30)


def test_what_is_open_in_a_reading_that_failed_needs_nothing():
    """The ratio of c to b needs many trials; its reading fails by another check."""
    tables = {"finals": [*world(30), finals("here", "c", WIDE)]}
    failed = reading(ratio(top="a", bound=0.5), ratio(top="c"), name="one")
    both = decide(failed, reading(ratio(), name="two"), tables=tables)
    alone = decide(reading(ratio(), name="two"), tables=tables)
    assert (both.outcomes["one"], outcomes(both)[1], both.word) == ("fails", *["undecided"] * 2)
    found = deciding.needs(both, {})
    assert found.units == deciding.needs(alone, {}).units
    assert deciding.units_needed(both.results[1], 1.25, both.claim.alpha) > found.units


def test_what_is_open_in_a_tuning_that_failed_needs_nothing():
    tables = {"finals": [*world(30), finals("here", "c", WIDE)]}
    checks = [*tuning("one", ratio(bound=0.5), ratio(top="c")), *tuning("two", ratio())]
    both, alone = (decide(reading(*c), tables=tables) for c in (checks, tuning("two", ratio())))
    assert outcomes(both) == ["fails", "undecided", "undecided"] and both.word == "undecided"
    assert deciding.needs(both, {}).units == deciding.needs(alone, {}).units


def test_where_a_control_is_open_both_it_and_its_check_need_trials():
    wide = finals("here", "uniform", WIDE)
    near = control("near")
    for effect, other in ((0.3, ratio(top="uniform")), (1.0, near)):
        tables = {"finals": [*world(30, effect=effect), wide], "facts": facts(near=math.nan)}
        verdict = decide(reading(ratio(controls=[other])), tables=tables)
        (result,) = verdict.results
        assert (result.outcome, len(result.open_controls)) == ("undecided", 1)
        units = [
            deciding.units_needed(one, 1.25, verdict.claim.alpha)
            for one in (result, *result.open_controls)
        ]
        found = deciding.needs(verdict, {})
        assert found.units == max(filter(None, units))
        assert found.is_known == (None not in units)
        assert deciding.in_words(verdict, found, False).startswith("At least") != found.is_known


def test_a_check_that_cannot_hold_needs_nothing():
    check = ratio(controls=[ratio(top="c")], control_spares_failure=True)
    below = finals("here", "c", world(30, effect=0.2)[0]["regret"])
    verdict = decide(reading(check), tables={"finals": [*world(30), below]})
    assert verdict.results[0].cannot_hold and verdict.word == "undecided"
    assert deciding.needs(verdict, {}) is None
    (row,) = claims.to_frame([verdict], context()).itertuples()
    assert row.deciding == "More trials can refute it at most, as some check cannot hold."


def test_where_no_ratio_is_defined_no_number_is_named():
    verdict = judge(fact("epsilon"), facts=facts(epsilon=math.nan))
    (row,) = claims.to_frame([verdict], context()).itertuples()
    assert (verdict.word, pd.isna(row.needs), row.command) == ("undecided", True, "")
    assert row.deciding == (
        "No number of trials is known, as a ratio to its bound is not defined for a check: "
        "epsilon of the moment condition (epsilon), here."
    )


# Invariants.


@pytest.fixture(scope="module", params=range(4))
def random_claim(request):
    """Two readings of four checks each, with bounds around what their tables have."""
    rng = np.random.default_rng([7, request.param])
    table = [
        finals(setting, name, rng.gamma(4.0, 0.25 * scale, 20))
        for setting in ("r", "s")
        for name, scale in zip("ab", rng.lognormal(0.0, 0.6, 2), strict=True)
    ]

    def check(metric, setting):
        arguments = {"setting": setting, "numerator": "a", "denominator": "b"}
        bound = float(rng.lognormal(0.3, 0.3))
        own = {"relation": "below", "bound": bound, "part": setting}
        return {"metric": metric, "arguments": arguments, **own}

    pairs = list(itertools.product(("regret_ratio", "median_regret_ratio"), "rs"))
    readings = [reading(*(check(*pair) for pair in pairs), name=f"R {i}") for i in range(2)]
    return readings, table


def words(readings, table):
    verdict = decide(*readings, tables={"finals": table})
    return verdict.word, verdict.outcomes


def test_order_changes_no_verdict(random_claim):
    readings, table = random_claim
    expected = words(readings, table)
    rng = np.random.default_rng(3)
    shuffled = [rows.sample(frac=1.0, random_state=rng) for rows in table[::-1]]
    assert words(readings, shuffled) == expected
    turned = [{**one, "checks": one["checks"][::-1]} for one in readings]
    assert words(turned, table) == expected
    word, found = words(readings[::-1], table)
    assert (word, found) == expected and list(found) == list(expected[1])[::-1]


def test_swapping_the_sides_and_the_bound_changes_no_verdict(random_claim):
    readings, table = random_claim

    def swapped(check):
        sides = {"numerator": "denominator", "denominator": "numerator"}
        arguments = {sides.get(key, key): value for key, value in check["arguments"].items()}
        return {**check, "arguments": arguments, "relation": "above", "bound": 1 / check["bound"]}

    other = [{**one, "checks": list(map(swapped, one["checks"]))} for one in readings]
    assert words(other, table) == words(readings, table)
    first, second = (decide(*some, tables={"finals": table}) for some in (readings, other))
    for one, two in zip(first.results, second.results, strict=True):
        assert (one.support, one.refute) == pytest.approx((two.support, two.refute), rel=1e-9)


def test_scaling_all_regrets_changes_no_verdict(random_claim):
    readings, table = random_claim
    scaled = [rows.assign(regret=1e6 * rows["regret"]) for rows in table]
    assert words(readings, scaled) == words(readings, table)


def test_an_added_reading_of_ours_changes_no_verdict(random_claim):
    readings, table = random_claim
    opposite = [{**c, "relation": "above"} for c in readings[0]["checks"]]
    assert words([*readings, reading(*opposite, name="odd", status="ours")], table) == words(
        readings, table
    )


# Several claims.


def test_each_claim_has_its_own_level_and_id():
    near = reading(ratio("below", 10 + 2.5 * 0.471405))  # p 0.0169
    found = claims.evaluate(
        document(claim_with(near), claim_with(near, id="toy.02", level=0.98)),
        {"finals": pd.concat(TEN)},
    )
    assert [(v.claim.id, v.word) for v in found] == [
        ("toy.01", "reproduced"),
        ("toy.02", "undecided"),
    ]
    assert replace(found[1].claim, level=0.95).alpha == found[0].claim.alpha == pytest.approx(0.025)


def test_times_in_turns_count_turns():
    tables = [
        times("here", name, [[c * s] for s in (1.0, 1.1, 0.9, 1.05, 0.95)], turns="one")
        for name, c in (("a", 1.0), ("b", 1.03))
    ]
    check = {"metric": "time_ratio", "arguments": RATIO, "relation": "below", "bound": 1}
    (row,) = claims.to_frame([judge(check, times=tables)]).itertuples()
    assert (row.n, row.units, row.outcome) == (5, "turns", "holds")


@pytest.mark.parametrize(("shared", "word"), [(True, "partly"), (False, "undecided")])
def test_a_check_that_several_readings_share_is_corrected_for_once(shared, word):
    # p of failing is 0.0064: enough among three different checks, not among eight.
    bounds = [10 - (3.1 + (0.0 if shared else 1e-3 * i)) * 0.471405 for i in range(6)]
    readings = [
        reading(ratio("below", bound, part="one"), part("x", "two"), name=str(i), status="open")
        for i, bound in enumerate(bounds)
    ]
    readings.append(reading(ratio("below", 10, part="one"), name="open", status="open"))
    assert decide(*readings, tables={"finals": TEN, "facts": facts(x=0.0)}).word == word
