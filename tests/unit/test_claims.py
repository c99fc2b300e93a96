"""Verdicts: from checks on small tables, through readings, to words and their explanations."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from claim_tables import (
    SPREAD,
    check_of,
    choice,
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
from scipy.stats import t

from optimist.claims import pages
from optimist.claims.table import to_frame
from optimist.claims.verdicts import evaluate

RATIO = {"setting": "here", "numerator": "a", "denominator": "b"}


def fact(name, relation="below", bound=1, **keys):
    arguments = {"name": name, "setting": "here"}
    return check_of("fact", "value", arguments, relation, bound, **keys)


def rivals(relation="below", bound=1, **keys):
    """A check that compares regrets, so that it has a gate."""
    own = {"relation": relation, "bound": bound, **keys}
    return {"quantity": "regret", "statistic": "ratio", "arguments": RATIO, **own}


def ratio(relation="below", bound=1, top="a", **keys):
    """A check of the same test that compares no regrets, so that it has no gate."""
    arguments = {"algorithm": "x", "column": "regret", "setting": top, "base": "b"}
    own = {"relation": relation, "bound": bound, **keys}
    return {"quantity": "column", "statistic": "ratio", "arguments": arguments, **own}


LABEL = "regret of x, a / b"
# The ratio of a to b is 10, with a standard error of 0.471405 and 9 degrees of freedom. A p-value
# is doubled once, so that 0.025 asks for a quantile of 2.685011: for 8.73427 or 11.26573.
ERROR = 0.471405
TEN = [finals("a", "x", [10.0 + z for z in SPREAD]), finals("b", "x", [1.0] * 10)]


def at(quantile):
    return 10 + quantile * ERROR


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
    ("q", "below", "above"),
    [
        *((2.686, "holds", "fails"), (2.684, "open", "open")),
        *((-2.684, "open", "open"), (-2.686, "fails", "holds")),
    ],
)
def test_a_measured_ratio_is_tested_at_its_bound(q, below, above):
    words = {"holds": "reproduced", "fails": "not reproduced", "open": "open"}
    for relation, outcome in (("below", below), ("above", above)):
        verdict = judge(ratio(relation, at(q)), finals=TEN)
        assert (outcomes(verdict), verdict.word) == ([outcome], words[outcome])


@pytest.mark.parametrize(
    ("bound", "outcome"),
    [
        ([8.73, 11.27], "holds"),
        *(([8.74, 11.27], "open"), ([8.73, 11.26], "open")),
        # Twice the smaller p of two ends: a quantile of 3.110935.
        *(([1, at(-3.112)], "fails"), ([1, at(-3.110)], "open")),
        *(([at(3.112), 20], "fails"), ([at(3.110), 20], "open")),
    ],
)
def test_a_band_is_tested_at_both_ends(bound, outcome):
    assert outcomes(judge(ratio("between", bound, better="below"), finals=TEN)) == [outcome]


@pytest.mark.parametrize(
    ("level", "n0", "quantile"),
    [(0.95, 10, 2.685011), (0.98, 10, 3.249836), (0.95, 5, 3.110935)],
)
def test_error_and_interval_follow_the_level_and_the_doublings(level, n0, quantile):
    first = [["toy.01", LABEL, "trials", 0, n0]]
    inside, outside = (
        decide(reading(ratio("below", at(q))), tables={"finals": TEN}, first=first, level=level)
        for q in (quantile - 0.01, quantile + 0.01)
    )
    assert (inside.word, outside.word) == ("open", "reproduced")
    (row,) = to_frame([outside]).itertuples()
    assert (row.low, row.high) == pytest.approx((at(-quantile), at(quantile)), abs=1e-4)
    assert (row.n0, row.doublings) == (n0, {10: 0, 5: 1}[n0])


@pytest.mark.parametrize(("relation", "outcome"), [("above", "fails"), ("between", "holds")])
def test_a_number_that_is_the_same_in_all_trials_is_certain(relation, outcome):
    # A count at its limit does not grow, and no number of trials would show that it does.
    bound = 1 if relation == "above" else [1, 2]
    for number, expected in ((10, outcome), (9, "open")):
        tables = [finals(name, "x", [3000.0] * number) for name in "ab"]
        assert outcomes(judge(ratio(relation, bound), finals=tables)) == [expected]


@pytest.mark.parametrize("same", [1.0, 0.5])
def test_regrets_that_are_equal_in_all_trials_show_nothing(same):
    # Of "y is x / 2 in a tenth of trials, else x" ten trials show x alone in a third of data sets.
    tables = {"a": [same] * 10, "b": [1.0] * 10, "uniform": [9.0] * 10}
    tables = [finals("here", name, regrets) for name, regrets in tables.items()]
    for relation in ("below", "above"):
        assert judge(rivals(relation, 1), finals=tables).word == "open"


@pytest.mark.parametrize("number", [1, 2, 9])
def test_one_trial_or_nine_decide_nothing(number):
    tables = [finals("a", "x", [1.0] * number), finals("b", "x", [100.0] * 10)]
    verdict = judge(ratio(), finals=tables)
    assert (verdict.word, verdict.results[0].evidence.n) == ("open", number)
    assert to_frame([verdict])["turns_at"].tolist() == [""]
    tables[0] = finals("a", "x", [1.0] * 10)
    assert judge(ratio(), finals=tables).word == "reproduced"


# What is read.


@pytest.mark.parametrize("tables", [{}, {"finals": None}, {"finals": pd.DataFrame()}])
def test_cells_that_were_not_run_are_named(tables):
    verdict = judge(rivals(), **tables)
    assert (verdict.word, outcomes(verdict)) == ("missing", ["missing"])
    for name in ("here/a (regret lane)", "here/b (regret lane)"):
        assert name in verdict.results[0].remark
    tables = [finals("here", "a", [1.0] * 2, status="timeout"), finals("here", "b", [1.0] * 2)]
    remark = judge(rivals(), finals=tables).results[0].remark
    assert "here/a (regret lane, no complete trial: 2 timeout)" in remark


def test_one_missing_check_makes_the_claim_missing():
    verdict = judge(fact("x"), fact("y"), facts=facts(x=0.5))
    assert verdict.word == "missing"
    assert verdict.explanation == "1 of 2 checks cannot be made: no y of here in facts"


# Readings. A fact of 0 holds, of 2 fails, and one that is not a number is open.


def part(name, about):
    return fact(name, part=about)


@pytest.mark.parametrize(
    ("values", "text", "held"),
    [
        ((0.0, 0.0, 0.0), "reproduced", {"one": "reproduced", "two": "reproduced"}),
        ((0.0, 0.0, 2.0), "not reproduced in part", {"one": "reproduced", "two": "not reproduced"}),
        ((2.0, 0.0, 2.0), "not reproduced", {"one": "not reproduced", "two": "not reproduced"}),
        ((2.0, 0.0, math.nan), "not reproduced", {"one": "not reproduced", "two": "open"}),
        ((0.0, 0.0, math.nan), "open", {"one": "reproduced", "two": "open"}),
    ],
)
def test_parts_have_words_of_their_own(values, text, held):
    checks = part("x", "one"), part("y", "one"), part("z", "two")
    verdict = judge(*checks, facts=facts(**dict(zip("xyz", values, strict=True))))
    assert (verdict.text, verdict.parts) == (text, held)
    assert ('these parts hold: "one"' in verdict.explanation) == ("in part" in text)


def taking(check, status="stated", **alternatives):
    return {**reading(check, name=f"R {[*alternatives.values()][-1]}", status=status)} | {
        "alternatives": alternatives
    }


def two_readings(stated, other):
    return decide(
        taking(fact("x"), radius="nu"),
        taking(fact("y"), "unstated", radius="sd"),
        choices={"radius": choice("radius", "nu", "sd")},
        tables={"facts": facts(x=stated, y=other)},
    )


@pytest.mark.parametrize(
    ("stated", "other", "text", "said"),
    [
        (0.0, 0.0, "reproduced", "holds"),
        (0.0, 2.0, "depends on radius", "holds"),
        (2.0, 2.0, "not reproduced", "fails"),
        (2.0, math.nan, "doubted", "fails"),
        (math.nan, 0.0, "supported", "open"),
        (math.nan, math.nan, "open", "open"),
    ],
)
def test_all_readings_that_count_decide(stated, other, text, said):
    verdict = two_readings(stated, other)
    assert (verdict.text, verdict.stated) == (text, f'"R nu": {said}')
    assert list(verdict.outcomes) == ["R nu", "R sd"]


def test_the_explanation_counts_and_names_readings():
    both = 'holds in 1, fails in 1 of 2 readings; holds under "R nu"; fails under "R sd"'
    assert two_readings(0.0, 2.0).explanation == both
    assert two_readings(0.0, 0.0).explanation == "holds in 2 of 2 readings"
    assert judge(fact("x"), facts=facts(x=2.0)).explanation == "fails in 1 of 1 reading"
    tables = [finals("here", name, [1.0, 2.0] * 5) for name in ("a", "b", "uniform")]
    idle = decide(*(reading(rivals(bound=2), name=n) for n in "RS"), tables={"finals": tables})
    assert (idle.word, idle.explanation.endswith(", in any reading")) == ("untestable", True)


def test_names_of_readings_with_commas_and_semicolons_are_told_apart():
    names = ("least squares, twice; radius nu", "under nu; fails, under sd")
    idle = [finals("here", name, [1.0, 2.0] * 5) for name in ("a", "b", "uniform")]
    verdict = decide(
        *(reading(fact("x"), name=name) for name in names),
        reading(fact("y"), name="R; S"),
        reading(rivals(bound=2), name="T"),
        tables={"facts": facts(x=0.0, y=2.0), "finals": idle},
    )
    assert verdict.explanation == (
        "holds in 2, fails in 1, idle in 1 of 4 readings, with 1 of 4 checks idle; holds under "
        '"least squares, twice; radius nu", "under nu; fails, under sd"; fails under "R; S"; '
        'no method beats uniform play by the factor that the claim names under "T"'
    )
    assert verdict.stated.startswith('"least squares, twice; radius nu": holds, "under nu; ')


# One suffices.


def tuned(values, **keys):
    """Return the verdict on facts of which one suffices, by tunings "one", "two", ..."""
    names = ("one", "two", "three")[: len(values)]
    readings = [
        {**reading(fact(x), name=f"R {x}"), "alternatives": {"the tuning": x}, **keys}
        for x in names
    ]
    return decide(
        *readings,
        choices={"tuning": choice("the tuning", *names)},
        suffices="the tuning",
        tables={"facts": facts(**dict(zip(names, values, strict=True)))},
    )


@pytest.mark.parametrize(
    ("values", "word", "members", "shown"),
    [
        ((2.0, 0.0, 2.0), "reproduced", "fhf", "1 of 3"),
        ((0.0, 0.0, math.nan), "reproduced", "hho", "2 of 3"),
        ((2.0, 2.0, math.nan), "open", "ffo", "0 of 3"),
        ((2.0, 2.0, 2.0), "not reproduced", "fff", "0 of 3"),
    ],
)
def test_one_alternative_suffices_whatever_the_others_do(values, word, members, shown):
    verdict = tuned(values)
    names = {"h": "holds", "f": "fails", "o": "open"}
    assert (verdict.word, verdict.text) == (word, word)
    assert verdict.outcomes == {
        f"R {name}": names[m] for name, m in zip(("one", "two", "three"), members, strict=True)
    }
    assert verdict.explanation.endswith(
        f" of 1 reading; one the tuning suffices, and {shown} are shown to do"
    )
    frame = to_frame([verdict])
    assert frame["reading_outcome"].tolist() == [names[m] for m in members]


def test_one_of_several_checks_suffices():
    def found(*values, **keys):
        names = "xyz"[: len(values)]
        checks = [fact(name, any_of="rivals") for name in names]
        tables = {"facts": facts(**dict(zip(names, values, strict=True)), w=keys.get("other", 0.0))}
        return decide(reading(*checks, fact("w")), tables=tables)

    verdict = found(2.0, 0.0, 2.0)
    # None of the others fails by itself.
    assert (verdict.word, outcomes(verdict)) == ("reproduced", ["open", "holds", "open", "holds"])
    verdict = found(2.0, 2.0, 2.0)
    assert (verdict.word, outcomes(verdict)) == ("not reproduced", ["fails"] * 3 + ["holds"])
    assert found(2.0, 2.0, math.nan).word == "open"
    assert found(2.0, 0.0, 2.0, other=2.0).word == "not reproduced"


def test_checks_of_which_one_suffices_are_corrected_as_one():
    # p of the failing side is 0.0176, so 0.025 asks for less than two such checks.
    near = ratio("below", at(-2.9), any_of="rivals")
    assert outcomes(judge(near, near, finals=TEN)) == ["fails", "fails"]
    beside = judge(near, near, ratio("below", 10), finals=TEN)
    assert (beside.word, outcomes(beside)) == ("open", ["open"] * 3)
    # For holding it is 0.0111, and twice that if there are two.
    held = ratio("below", at(2.6), any_of="rivals")
    assert outcomes(judge(ratio("below", at(3.2), any_of="r"), finals=TEN)) == ["holds"]
    assert outcomes(judge(held, {**held, "bound": at(3.2)}, finals=TEN)) == ["open", "holds"]


def test_where_no_reading_is_stated_the_verdict_says_so():
    found = decide(reading(fact("x"), status="unstated"), tables={"facts": facts(x=0.0)})
    assert found.stated == "the paper fixes no reading"
    assert judge(fact("x"), facts=facts(x=0.0)).stated == ""


def test_two_choices_are_joined_by_and_and_ties_by_or():
    three = ("the a", "the b", "the c")
    known = {name: choice(name, "n", "s") for name in three}

    def text(holding, failing):
        written = [
            {**reading(fact(x), name=name), "alternatives": dict(zip(three, name, strict=True))}
            for x, names in (("x", holding), ("y", failing))
            for name in names
        ]
        return decide(*written, choices=known, tables={"facts": facts(x=0.0, y=2.0)}).text

    assert text(["nnn"], ["sss"]) == "depends on the a or the b or the c"
    assert text(["nnn", "ssn"], ["nsn", "snn"]) == "depends on the a and the b"


def test_a_part_depends_on_a_choice_by_its_name_and_so_does_the_word_with_ours():
    one, other = (
        taking(part(name, "one"), **{"the radius": taken})
        | {"checks": [part(name, "one"), part("x", "two")]}
        for name, taken in (("x", "nu"), ("y", "sd"))
    )
    known = {"radius": choice("the radius", "nu", "sd")}
    keys = {"choices": known, "tables": {"facts": facts(x=0.0, y=2.0)}}
    assert decide(one, other, **keys).parts == {"one": "depends on the radius", "two": "reproduced"}
    moved = decide(one, {**other, "status": "ours"}, **keys)
    assert (moved.text, moved.if_counted) == ("reproduced", "depends on the radius")


@pytest.mark.parametrize("value", [0.0, 2.0, math.nan, None])
@pytest.mark.parametrize("kind", ["empirical", "guarantee", "fact"])
@pytest.mark.parametrize("counted", [0.0, 2.0])
def test_readings_and_checks_of_ours_are_shown_and_change_nothing(value, kind, counted):
    tables = {"facts": facts(**{"x": counted} | ({} if value is None else {"y": value}))}
    keys = {"relation": "equals", "bound": 0, "tolerance": 0.5} if kind == "fact" else {}
    x, y = fact("x", **keys), fact("y", **keys)
    alone = decide(reading(x), tables=tables, kind=kind)
    ours = decide(reading(x), reading(y, name="odd", status="ours"), tables=tables, kind=kind)
    beside = decide(reading(x, {**y, "status": "ours"}), tables=tables, kind=kind)
    for verdict in (ours, beside):
        assert (verdict.text, verdict.outcomes) == (alone.text, alone.outcomes)
        assert verdict.results[0].outcome == alone.results[0].outcome
        assert [r.counts for r in verdict.results] == [True, False]
        assert verdict.flags == alone.flags
    is_open = value is not None and math.isnan(value)
    assert (beside.results[1].outcome == "missing") == (
        value is None or (is_open and kind != "empirical")
    )


@pytest.mark.parametrize(
    ("counted", "value", "reading_counts", "check_counts"),
    [
        (0.0, 0.0, "reproduced", "reproduced"),
        (0.0, 2.0, "depends", "not reproduced"),
        (0.0, math.nan, "supported", "open"),
        (2.0, 0.0, "depends", "not reproduced"),
        (2.0, math.nan, "doubted", "not reproduced"),
    ],
)
def test_the_word_if_ours_counted_stands_beside(counted, value, reading_counts, check_counts):
    tables = {"facts": facts(x=counted, y=value)}
    moved = decide(reading(fact("x")), reading(fact("y"), name="o", status="ours"), tables=tables)
    beside = decide(reading(fact("x"), {**fact("y"), "status": "ours"}), tables=tables)
    assert (moved.if_counted, beside.if_counted) == (reading_counts, check_counts)
    assert judge(fact("x"), facts=facts(x=counted)).if_counted == ""


def test_a_check_is_idle_at_a_tenth_of_the_error_over_the_readings():
    # Twice the p-value that uniform play is less than twice as bad is 0.0022: at most 0.0025 once.
    regrets = [10.0 + 2.0 * z for z in SPREAD]
    tables = [finals("here", name, [7.0] * 10) for name in "ab"]
    tables.append(finals("here", "uniform", regrets))
    one, two = reading(rivals("above", 2)), reading(rivals("above", 2), name="two")
    assert decide(one, tables={"finals": tables}).word == "untestable"
    assert decide(one, two, tables={"finals": tables}).word == "open"
    # Our own readings are not among the readings that may lose a check by chance.
    ours = {**two, "status": "ours"}
    assert decide(one, ours, tables={"finals": tables}).word == "untestable"


def test_a_band_is_better_than_claimed_beyond_the_end_that_is_worth_praise():
    # The ratio is 10, far above all of these bands.
    keys = {"relation": "between", "bound": [2, 3]}
    texts = [judge(ratio(**keys, better=b), finals=TEN).text for b in ("above", "neither", "below")]
    assert texts == ["better than claimed", "not reproduced", "not reproduced"]
    # Its other end has to hold, by a test of its own at the same error.
    near = {"relation": "between", "better": "above"}
    words = [
        judge(ratio(**near, bound=[at(q), at(q) + 1e-9]), finals=TEN).word
        for q in (-3.12, -2.68, 3.12)
    ]
    assert words == ["better than claimed", "open", "not reproduced"]
    one_sided = judge(ratio("above", 2), finals=TEN)
    assert one_sided.word == "reproduced"


def test_better_than_claimed_needs_every_reading_and_every_other_check():
    keys = {"relation": "between", "bound": [2, 3]}
    band = ratio(**keys, better="above")
    other = reading(ratio(**keys, better="below"), name="other")
    tables = {"finals": TEN}
    assert decide(reading(band, name="one"), other, tables=tables).word == "not reproduced"
    both = decide(reading(band), reading(band, name="two"), tables=tables)
    assert (both.word, both.text, both.parts) == ("better than claimed", "better than claimed", {})
    assert [*both.outcomes.values()] == ["fails", "fails"]
    assert both.explanation == "fails in 2 of 2 readings"
    beside = [judge(band, ratio("below", bound), finals=TEN).word for bound in (12, 10, 8)]
    assert beside == ["better than claimed", "not reproduced", "not reproduced"]
    assert judge({**band, "status": "ours"}, ratio("below", 12), finals=TEN).word == "reproduced"


def test_what_is_better_than_claimed_is_gated_like_what_it_exceeds():
    keys = {"relation": "between", "bound": [0.8, 1.25], "better": "below"}
    tables = {"a": [1.0, 1.1] * 5, "b": [9.0, 9.2] * 5, "uniform": [40.0, 41.0] * 5}
    tables = [finals("here", name, regrets) for name, regrets in tables.items()]
    assert judge(rivals(**keys), finals=tables).word == "better than claimed"
    assert judge(rivals(**keys), finals=tables[:2]).word == "open"
    # As a band of others, it fails and praises nobody.
    assert judge(rivals(**{**keys, "better": "neither"}), finals=tables).word == "not reproduced"


def test_the_word_if_ours_counted_is_missing_where_a_check_of_ours_is():
    tables = {"facts": facts(x=0.0, y=2.0)}
    holds = {**fact("x"), "status": "ours"}
    lacking = reading(fact("y"), fact("z"), name="o", status="ours")
    assert decide(reading(fact("x")), lacking, tables=tables).if_counted == "missing"
    beside = decide(reading(fact("x"), holds, {**fact("z"), "status": "ours"}), tables=tables)
    assert (beside.word, beside.if_counted) == ("reproduced", "missing")
    # What has no bound would not count, and may be missing.
    shown = {**fact("z", relation=None, bound=None), "status": "ours"}
    assert decide(reading(fact("x"), shown), tables=tables).if_counted == ""
    assert decide(reading(fact("x"), holds, shown), tables=tables).if_counted == "reproduced"


def test_outcomes_of_checks_are_corrected_within_their_reading():
    # p of the failing side is 0.0143 twice, so 0.0225 asks for less than two such checks.
    near = ratio("below", at(-2.8))
    assert outcomes(judge(near, finals=TEN)) == ["fails"]
    assert outcomes(judge(near, near, finals=TEN)) == ["open", "open"]
    beside = judge(near, {**near, "status": "ours"}, finals=TEN)
    assert (beside.word, outcomes(beside)) == ("not reproduced", ["fails", "fails"])


def test_each_claim_has_its_own_level_and_id():
    near = reading(ratio("below", at(2.9)))  # between the quantiles of 0.95 and 0.98
    found = evaluate(
        document(claim_with(near), claim_with(near, id="toy.02", level=0.98)),
        {"finals": pd.concat(TEN)},
    )
    assert [(v.claim.id, v.word) for v in found] == [("toy.01", "reproduced"), ("toy.02", "open")]


def test_the_error_at_which_a_word_would_change():
    verdict = judge(ratio("below", at(3.5)), finals=TEN)
    assert verdict.turns == pytest.approx(2 * t.sf(3.5, 9), rel=1e-5)
    assert judge(ratio("below", 10), finals=TEN).turns == 0.0
    assert math.isnan(judge(ratio()).turns)


# The interval of a vague word.


@pytest.mark.parametrize(
    ("keys", "reproduced", "refuted"),
    [
        ({"relation": "below", "bound": 2}, 11.2657, 8.7343),
        ({"relation": "above", "bound": 2}, 8.7343, 11.2657),
        # A band to 1/c has two sides to fail on, and a quantile of 3.110935.
        ({"relation": "between", "bound": [0.8, 1.25], "better": "below"}, 11.2657, 8.5335),
    ],
)
def test_a_vague_word_has_the_bounds_at_which_it_would_be_decided(keys, reproduced, refuted):
    verdict = judge(ratio(**keys, word="quite_good"), finals=TEN)
    found = re.fullmatch(
        r"quite good: reproduced (from|up to) ([\d.]+)( up)?, "
        r"not reproduced (from|up to) ([\d.]+)( up)?",
        verdict.own_interval,
    )
    assert (float(found[2]), float(found[5])) == pytest.approx((reproduced, refuted), rel=6e-3)
    rises = keys["relation"] != "above"
    assert (found[1], found[4]) == (("from", "up to") if rises else ("up to", "from"))
    assert bool(found[3]) == rises != bool(found[6])


@pytest.mark.parametrize("better", ["above", "neither", "below"])
def test_a_band_from_one_over_c_to_c_has_two_ends_at_which_it_would_be_decided(better):
    # The ratio of b to a is a tenth, by far on the lower side of a band: from 1 / 11.26573 of it on
    # the band holds, and it fails until 1 / 8.5335, as above.
    keys = {"relation": "between", "bound": [0.8, 1.25], "better": better, "word": "similar"}
    check = ratio(**keys)
    check["arguments"] = {**check["arguments"], "setting": "b", "base": "a"}
    found = judge(check, finals=TEN).own_interval
    held, _, failed = found.partition(", ")
    ends = [re.fullmatch(r"similar: reproduced from ([\d.]+) up", held)[1]]
    assert ("not reproduced" in failed) == (better != "below")
    if better != "below":  # there it is better than claimed
        ends.append(re.fullmatch(r"not reproduced up to ([\d.]+)", failed)[1])
    expected = (11.2657, 8.5335)[: len(ends)]
    assert tuple(map(float, ends)) == pytest.approx(expected, rel=6e-3)


def test_a_vague_word_that_holds_at_its_least_bound_holds_at_any():
    check = ratio("below", 2, word="modest")
    check["arguments"] = {**check["arguments"], "setting": "b", "base": "a"}
    assert judge(check, finals=TEN).own_interval == "modest: reproduced at any bound"
    lopsided = {"relation": "between", "bound": [0.5, 20], "better": "below", "word": "near"}
    assert judge(ratio(**lopsided), finals=TEN).own_interval == ""


def test_a_sign_and_a_word_of_two_bounds_have_no_interval_of_their_own():
    mixed = ratio("below", 2, word="good"), ratio("below", 3, word="good")
    for checks in ([ratio("below", 1, word="better")], mixed, [ratio("below", 2)]):
        assert judge(*checks, finals=TEN).own_interval == ""
    # The gate stays at the bound of the word: without it nothing is decided at any bound.
    alone = [finals("here", "a", [1.0, 2.0] * 5), finals("here", "b", [1.0] * 10)]
    assert judge(rivals("below", 2, word="good"), finals=alone).own_interval == ""
    gated = [*alone, finals("here", "uniform", [30.0] * 10)]
    found = judge(rivals("below", 2, word="good"), finals=gated)
    assert re.match(r"good: reproduced from 1\.9\d up, ", found.own_interval)


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
        ("below", 1.0, -5.0, "vacuous", math.inf),
        ("above", -2.0, -1.0, "held", math.nan),
        ("between", [1.0, 8.0], 2.0, "held", 2.0),
        ("between", [1.0, 8.0], 9.0, "violated", 8 / 9),
        ("equals", 2.0, 2.0, "held", math.nan),
        ("below", 10.0, math.inf, "violated", 0.0),
        ("above", 10.0, math.inf, "vacuous", math.inf),
    ],
)
def test_a_sure_bound_is_violated_by_one_value_beyond_rounding(relation, bound, value, word, slack):
    check = fact("x", relation, bound, tolerance=1e-9 if relation == "equals" else None)
    verdict = judge(check, kind="guarantee", facts=facts(x=value))
    assert (verdict.word, outcomes(verdict)) == (word, [word])
    assert verdict.results[0].slack == pytest.approx(slack, abs=1e-6, nan_ok=True)
    assert ("times what was observed" in verdict.explanation) == (0.0 < slack < math.inf)


def test_one_trial_of_many_violates_a_sure_bound():
    check = check_of("column", "largest", {"setting": "here", "algorithm": "a", "column": "drift"})
    drift = [0.5] * 99 + [1.001]
    broken = judge(check, kind="guarantee", finals=[finals("here", "a", [1.0] * 100, drift=drift)])
    assert (broken.word, broken.results[0].evidence.n) == ("violated", 100)
    drift[-1] = 0.999
    kept = judge(check, kind="guarantee", finals=[finals("here", "a", [1.0] * 100, drift=drift)])
    assert kept.word == "held"


def coverage(n, lost, bound=0.99, **keys):
    """A check of coverage, and the table in which the first ``lost`` of n trials lost it."""
    arguments = {"algorithm": "a", "settings": ["here"]}
    covered = [i >= lost for i in range(n)]
    check = check_of("coverage", "share", arguments, "above", bound)
    return {**check, **keys}, finals("here", "a", [0.0] * n, covered=covered)


@pytest.mark.parametrize(
    ("lost", "checks", "word"),
    # P(Bin(60, 0.01) >= 3) = 0.0224, >= 4: 0.0032, >= 5: 0.00037, each doubled.
    [(0, 1, "held"), (3, 1, "held"), (4, 1, "violated"), (4, 5, "held"), (5, 5, "violated")],
)
def test_a_probable_bound_is_violated_by_a_count(lost, checks, word):
    check, table = coverage(60, lost)
    verdict = judge(*[check] * checks, kind="guarantee", finals=[table])
    assert verdict.word == word
    if checks == 1:  # P(Bin(60, 0.0899) >= 4) = 0.8
        found = f"{lost} of 60 trials break it; a rate of 0.09 is detectable with 80 % power"
        assert found in verdict.results[0].remark


@pytest.mark.parametrize(("covered", "word"), [(56, "violated"), (57, "held")])
def test_a_probable_bound_may_be_on_the_share_that_breaks_it(covered, word):
    check, table = coverage(60, 60 - covered, relation="below", bound=0.01)
    table = table.assign(covered=~table["covered"])
    assert judge(check, kind="guarantee", finals=[table]).word == word


def test_too_few_trials_of_a_probable_bound_say_that_they_show_nothing():
    check, table = coverage(2, 2, bound=0.5)
    (result,) = judge(check, kind="guarantee", finals=[table]).results
    assert result.outcome == "held"
    assert "2 of 2 trials break it; no rate is detectable" in result.remark


@pytest.mark.parametrize(
    ("value", "controls", "keys", "word"),
    [
        (5.0, [], {}, "held"),
        (1.0, [], {}, "vacuous"),
        (1.01, [], {}, "held"),
        (5.0, ["breaks"], {}, "held"),
        (5.0, ["keeps"], {}, "vacuous"),
        (5.0, ["keeps", "breaks"], {}, "held"),
        (5.0, [], {"could_not_fail": "no run can exceed it"}, "vacuous"),
        (11.0, ["keeps"], {"could_not_fail": "no run can exceed it"}, "violated"),
    ],
)
def test_a_guarantee_that_no_run_could_break_is_vacuous(value, controls, keys, word):
    check = fact("x", bound=10, controls=[fact(name, bound=10) for name in controls])
    tables = {"facts": facts(x=value, keeps=9.0, breaks=11.0)}
    verdict = decide(reading(check), kind="guarantee", tables=tables, **keys)
    assert (verdict.word, outcomes(verdict)) == (word, [word])
    is_control = word == "vacuous" and bool(controls)
    assert ("play outside the theorem keeps it" in verdict.results[0].remark) == is_control


def test_a_guarantee_is_vacuous_if_all_of_it_is_and_says_how_much():
    checks = [fact("x", bound=10), fact("y", bound=10)]
    verdict = judge(*checks, kind="guarantee", facts=facts(x=0.1, y=4.0))
    assert (verdict.word, outcomes(verdict)) == ("held", ["vacuous", "held"])
    assert verdict.explanation == (
        "held in all 2 checks, of which 1 are vacuous; the bound is at least 2.5 times what was "
        "observed"
    )
    verdict = judge(*checks, kind="guarantee", facts=facts(x=0.1, y=1.0))
    assert (verdict.word, verdict.explanation) == (
        "vacuous",
        "held and vacuous in all 2 checks; the bound is at least 10 times what was observed",
    )


def test_one_violation_needs_no_other_number():
    checks = [fact("x"), fact("absent")]
    found = judge(*checks, facts=facts(x=2.0), kind="guarantee")
    assert (found.word, outcomes(found)) == ("violated", ["violated", "missing"])


def test_a_trial_whose_coverage_is_not_known_is_none_that_was_covered():
    table = finals("here", "a", [1.0] * 10).assign(covered=[True, 1.0, *[math.nan] * 8])
    arguments = {"algorithm": "a", "settings": ["here"]}
    found = measure("coverage", "share", arguments, finals=[table]).evidence
    assert (found.successes, found.n) == (2, 10)


def test_a_guarantee_without_a_value_or_data_is_missing():
    for known in (facts(x=math.nan), facts(y=1.0)):
        verdict = judge(fact("x"), kind="guarantee", facts=known)
        assert (verdict.word, outcomes(verdict)) == ("missing", ["missing"])


# Facts.


def test_a_fact_matches_to_half_a_unit_of_its_last_digit():
    # 2.3 + 0.05 is 2.3499999999999996.
    check = fact("x", "equals", 2.3, tolerance=0.05)
    for value in (2.35, 2.3499, 2.25):
        assert judge(check, kind="fact", facts=facts(x=value)).word == "matches"
    for value in (2.3501, 2.2499):
        assert judge(check, kind="fact", facts=facts(x=value)).word == "differs"


def test_one_number_that_differs_decides():
    checks = [fact(name, "equals", 1, tolerance=0.5) for name in "xy"]
    verdict = judge(*checks, kind="fact", facts=facts(x=1.0, y=2.0))
    assert (verdict.word, outcomes(verdict)) == ("differs", ["matches", "differs"])
    assert verdict.explanation == "1 of 2 numbers match, not: y, here"


def test_a_fact_is_its_value_even_if_trials_are_behind_it():
    verdict = judge(ratio("equals", 10.4, tolerance=0.5), kind="fact", finals=TEN)
    assert verdict.word == "matches"


@pytest.mark.parametrize("key", ["could_not_fail", "chosen_by_it"])
@pytest.mark.parametrize("kind", ["empirical", "guarantee", "fact"])
def test_claims_that_say_little_are_flagged_with_the_reason(key, kind):
    check = fact("x", "equals", 1, tolerance=0.5)
    flagged = decide(reading(check), kind=kind, tables={"facts": facts(x=1.0)}, **{key: "why"})
    words = {"could_not_fail": "vacuous", "chosen_by_it": "selected by it"}
    assert flagged.flags == f"{words[key]}: why"
    assert (flagged.word == words[key]) == ((kind, key) in SAYING_LITTLE)


SAYING_LITTLE = {("guarantee", "could_not_fail"), ("fact", "chosen_by_it")}


# Shortened runs.


def world(n, effect=1.0):
    """Values of a and b in the same trials: their ratio varies around an effect."""
    values = np.random.default_rng(5).gamma(4.0, 0.25, (2, n))
    return [finals("a", "x", effect * values[0]), finals("b", "x", values[1])]


def test_a_shortened_run_gives_values_and_no_verdict():
    limits = "at most 150 rounds, 2 trials"
    tables = {"finals": world(30, effect=3.0)}
    full, verdict = (decide(reading(ratio()), tables=tables, shortened=s) for s in ("", limits))
    assert (full.word, verdict.word) == ("not reproduced", "shortened")
    assert verdict.explanation == (
        "the run was shortened (at most 150 rounds, 2 trials), so nothing in it is a result"
    )
    assert outcomes(verdict) == ["reported"]
    frame = to_frame([verdict])
    assert frame["value"].notna().all() and (frame["reading_outcome"] == "").all()
    assert (frame[["support", "refute"]] == 1.0).all(axis=None) and frame["needs"].isna().all()
    assert "1 claim: 1 shortened." in pages.tally(frame)


# Turns.


def test_times_in_turns_count_turns():
    tables = [
        times("here", name, [[c * s] for s in (1.0, 1.1, 0.9, 1.05, 0.95)], turns="one")
        for name, c in (("a", 1.0), ("b", 1.03))
    ]
    check = check_of("time", "ratio", RATIO)
    (row,) = to_frame([judge(check, times=tables)]).itertuples()
    assert (row.n, row.units, row.outcome) == (5, "turns", "holds")
