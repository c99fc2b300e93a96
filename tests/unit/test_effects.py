"""Sentences on effects: numbers from selections of checks, and what is refused."""

import math

import numpy as np
import pytest
from claim_tables import check_of, choice, claim_with, document, reading

from optimist.claims.effects import Range, check_effect, joined, selects, sentence, short
from optimist.claims.evidence import Exact, Mean, RatioOfMeans
from optimist.claims.results import Result, Verdict
from optimist.core.errors import ConfigError

TITLES = {"s3": "logistic, S = 3", "s5": "logistic, S = 5", "f1": "f1"}


def ratio(setting, top="x", bottom="y", **keys):
    arguments = {"setting": setting, "numerator": top, "denominator": bottom}
    return check_of("regret", "ratio", arguments, **keys)


def slope(settings, algorithm="x"):
    arguments = {"algorithm": algorithm, "settings": settings, "points": [1, 2]}
    return check_of("regret", "slope", arguments)


READINGS = [
    {
        **reading(
            ratio("s3"),
            ratio("s5[radius=nu]"),
            ratio("s3", bottom="z[tuned=true]"),
            ratio("s5", bottom="y[solver=exact]"),
            check_of("time", "ratio", {"setting": "s3", "numerator": "x", "denominator": "y"}),
            slope(["s3", "s5"]),
            slope(["s3", "f1"]),
            {**ratio("f1"), "status": "ours"},
            name="R nu",
        ),
        "alternatives": {"the radius": "nu"},
    },
    {
        **reading(ratio("s3"), ratio("s5"), name="R sd", status="unstated"),
        "alternatives": {"the radius": "sd"},
    },
    {
        **reading(ratio("s3"), name="R odd", status="ours"),
        "alternatives": {"the radius": "odd"},
    },
]
CHOICE = choice("the radius", "nu", "sd", "odd")


def claim(text, **numbers):
    effect = {"text": text, "numbers": numbers}
    written = document(claim_with(*READINGS, choices={"radius": CHOICE}, effect=effect))
    (made,) = written.claims
    return made


def selected(selection, values=range(1, 100)):
    """Return the numbers of the selected checks, from 1 in the order of the readings."""
    made = claim("It is {it:.0f} in all.", it=selection)
    found = [
        number
        for number, place in zip(values, places(made), strict=False)
        if selects(made, selection, *place)
    ]
    sentence = said(made, results(made, values))
    if found:
        ends = f"{found[0]}" if len(found) == 1 else f"{found[0]} to {found[-1]}"
        assert sentence == f"It is {ends} in all."
    return found


def said(made, found, titles=TITLES):
    return sentence(Verdict(made, "open", "", found), titles)


def places(made):
    return [(one, check) for one in made.readings for check in one.checks]


def results(made, values, units=None):
    found = []
    for (one, check), value in zip(places(made), values, strict=False):
        n = None if units is None else units[len(found)]
        evidence = None if value is None else Exact(float(value), n)
        outcome = "missing" if value is None else "open"
        found.append(Result(check, one, evidence, None, "", outcome=outcome))
    return found


# Numbers.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (13.96, "14"),
        (1.0, "1.0"),
        (2.04, "2.0"),
        (0.996, "1.0"),
        (0.0996, "0.10"),
        (0.0512, "0.051"),
        (0.00123, "0.0012"),
        (0.000123, "1.2e-04"),
        (9.96, "10"),
        (99.6, "100"),
        (123.0, "120"),
        (1234.0, "1,200"),
        (1234567.0, "1,200,000"),
        (-0.25, "-0.25"),
        (-1234.0, "-1,200"),
        (0.0, "0"),
        (math.inf, "inf"),
    ],
)
def test_numbers_have_two_digits_and_all_before_the_point(value, text):
    assert short(value) == text


def test_a_range_is_one_number_where_its_ends_read_alike():
    assert f"{Range((1.61, 1.99))}" == "1.6 to 2.0"
    assert f"{Range((13.96, 14.4))}" == "14"
    assert f"{Range((13.96, 14.4)):.1f}" == "14.0 to 14.4"
    assert f"{Range((math.nan, math.nan))}" == f"{Range((math.nan,) * 2):.0f}" == "unmeasured"


def test_properties_of_a_range():
    found = Range((0.04, 0.25), "logistic", (10, 1200))
    assert (f"{found.low}", f"{found.high}") == ("0.040", "0.25")
    assert (f"{found.inverse}", f"{found.percent:.0f}") == ("4.0 to 25", "4 to 25")
    assert f"{found.inverse.high}" == "25"
    assert (found.n, Range((1.0, 1.0), "", (40, 40)).n) == ("10 to 1,200", "40")
    assert found.inverse.settings == "logistic"
    assert Range((0.0, 0.5)).inverse.ends == (2.0, math.inf)


@pytest.mark.parametrize(
    ("titles", "text"),
    [
        ([], ""),
        (["f1"], "f1"),
        (["f1", "f2"], "f1 and f2"),
        (["S = 3", "S = 5", "S = 9"], "S = 3, 5 and 9"),
        (["logistic, S = 3", "logistic, S = 5", "f1"], "logistic, S = 3 and 5; f1"),
        (["logistic, S = 3", "Poisson, S = 3"], "logistic, S = 3; Poisson, S = 3"),
        (["logistic, S = 3", "Poisson, S = 3", "logistic, S = 5"], None),
    ],
)
def test_titles_that_differ_in_their_last_word_share_the_others(titles, text):
    # Only neighbours are joined.
    assert joined(titles) == ("; ".join(titles) if text is None else text)


# Sentences.


def test_a_sentence_has_the_values_the_settings_and_the_units():
    made = claim(
        "It has {one} times the regret in {one.settings}, {one.low} at least, with {one.n} trials.",
        one={"quantity": "regret", "statistic": "ratio", "denominator": "y"},
    )
    values = [0.5, 2.0, 9.0, 3.0, 9.0, 9.0, 9.0, 9.0, 1.0, 1.5, 9.0]
    units = [10, 40, 1, 20, 1, 1, 1, 1, 30, 30, 1]
    assert said(made, results(made, values, units)) == (
        "It has 0.50 to 3.0 times the regret in logistic, S = 3 and 5, 0.50 at least, with "
        "10 to 40 trials."
    )


def test_settings_are_named_in_the_order_of_their_titles():
    made = claim("It is so in {all.settings} now.", all={"quantity": "regret"})
    known = results(made, range(1, 12))
    assert said(made, known) == "It is so in logistic, S = 3 and 5; f1 now."
    turned = {name: TITLES[name] for name in ("f1", "s5", "s3")}
    assert said(made, known, turned) == "It is so in f1; logistic, S = 5 and 3 now."
    # A setting without a title has its name.
    assert "s3, s5 and f1" in said(made, known, {"f1": "f1"})


def test_values_that_are_no_number_are_left_out():
    made = claim("It is {it} in {it.settings}, of {it.n}.", it={"setting": ["s3", "s5"]})
    values = [math.nan, 2.0, math.nan, 3.0, *[math.nan] * 7]
    assert said(made, results(made, values)) == ("It is 2.0 to 3.0 in logistic, S = 3 and 5, of 0.")
    assert said(made, results(made, [math.nan] * 11)) == (
        "It is unmeasured in logistic, S = 3 and 5, of 0."
    )


def test_a_selection_with_a_check_that_is_missing_is_unmeasured():
    made = claim("It is {it} and {other}.", it={"setting": "s3"}, other={"setting": "s5"})
    values = [1.0, 2.0, None, *[2.0] * 8]
    assert said(made, results(made, values)) == "It is unmeasured and 2.0."


def test_the_units_of_a_check_are_all_that_were_measured():
    made = claim("It is {it} of {it.n}.", it={"when": {"radius": ["sd"]}, "setting": "s5"})
    found = results(made, range(1, 12))
    sides = np.ones(20), np.ones(20)
    found[9] = Result(*reversed(places(made)[9]), RatioOfMeans(*sides), None, "", spare=5)
    assert said(made, found) == "It is 1.0 of 25."
    found[9] = Result(*reversed(places(made)[9]), Mean(np.full(7, 0.4)), None, "")
    assert said(made, found) == "It is 0.40 of 7."


# Selections. Checks 1 to 8 belong to the first reading, and 8 does not count; 9 and 10 belong to
# the second reading, and 11 to a reading that does not count.


@pytest.mark.parametrize(
    ("selection", "checks"),
    [
        ({"quantity": "regret"}, [1, 2, 3, 4, 6, 7, 9, 10]),
        ({"quantity": "time"}, [5]),
        ({"statistic": "slope"}, [6, 7]),
        ({"quantity": ["regret", "time"], "setting": "s3"}, [1, 3, 5, 9]),
        # A label without options is any of its variants; one with options is itself.
        ({"setting": "s5"}, [2, 4, 10]),
        ({"setting": "s5[radius=nu]"}, [2]),
        ({"denominator": "y", "quantity": "regret"}, [1, 2, 4, 9, 10]),
        ({"denominator": "y[solver=exact]"}, [4]),
        ({"denominator": ["z", "y[solver=exact]"]}, [3, 4]),
        # All of a check's settings have to be among those that are listed.
        ({"settings": ["s3", "s5"]}, [6]),
        ({"settings": ["s3", "s5", "f1"]}, [6, 7]),
        ({"settings": "s3"}, []),
        ({"points": [1, 2]}, [6, 7]),
        ({"algorithm": "x", "settings": ["f1", "s3"]}, [7]),
        # The alternatives of a reading.
        ({"when": {"radius": ["sd"]}}, [9, 10]),
        ({"when": {"radius": "nu"}, "quantity": "time"}, [5]),
        ({"when": {"radius": ["nu", "sd"]}, "setting": "s3", "quantity": "regret"}, [1, 3, 9]),
        ({"when": {"radius": ["odd"]}}, []),
        # What does not count.
        ({"setting": "f1"}, []),
        ({"setting": "f1", "ours": True}, [8]),
        ({"when": {"radius": ["odd"]}, "ours": True}, [11]),
        ({"setting": "s3", "quantity": "regret", "ours": True}, [1, 3, 9, 11]),
        # An argument that no check has.
        ({"base": "s3"}, []),
        ({}, [1, 2, 3, 4, 5, 6, 7, 9, 10]),
    ],
)
def test_a_selection_has_the_checks_with_its_values(selection, checks):
    assert selected(selection) == checks


# What is refused.


@pytest.mark.parametrize(
    ("text", "numbers", "words"),
    [
        ("It is {it} in 3 settings.", {"it": {}}, ["has the number '3'", "fields such as {it}"]),
        ("It is 1.25 times {it}.", {"it": {}}, ["has the number '1.25'"]),
        ("It is S = 3, {it}.", {"it": {}}, ["has the number '3,'"]),
        ("It is 1,000 of f1.", {}, ["has the number '1,000'", "{ratio}"]),
        ("It is {its} times.", {"it": {}}, ["field of effect 'its'", "it"]),
        ("It is {it.lowest}.", {"it": {}}, ["property of the field 'it'", "'lowest'", "percent"]),
        (
            "It is {it}.",
            {"it": {"setting": "s7"}},
            ["effect.numbers.it is {'setting': 's7'} and selects no check"],
        ),
        ("It is {it}.", {"it": {"setting": "f1"}}, ["selects no check", "ours"]),
        ("It is {it}.", {"it": {"settin": "s3"}}, ["selects no check"]),
        ("It is {it}.", {"it": {"when": {"radios": ["nu"]}}}, ["choice in effect 'radios'"]),
        ("It is {it}.", {"it": {"when": {"radius": ["mu"]}}}, ["selects no check"]),
        # A selection that no field shows has to select something, too.
        ("It is {it}.", {"it": {}, "other": {"setting": "s7"}}, ["effect.numbers.other"]),
    ],
)
def test_an_effect_that_cannot_be_said_is_refused(text, numbers, words):
    effect = {"text": text, "numbers": numbers}
    written = document(claim_with(*READINGS, choices={"radius": CHOICE}, effect=effect))
    with pytest.raises(ConfigError) as error:
        check_effect(*written.claims)
    assert [word for word in words if word not in str(error.value)] == []
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text", ["It is {it} on f1 and f2.", "GLM2 with SLSQP2 has {it:.0f} and {it.percent:.1f}."]
)
def test_digits_of_names_are_no_typed_numbers(text):
    effect = {"text": text, "numbers": {"it": {}}}
    written = document(claim_with(*READINGS, choices={"radius": CHOICE}, effect=effect))
    check_effect(*written.claims)


def test_a_claim_without_an_effect_is_no_fault():
    check_effect(*document(claim_with(*READINGS, choices={"radius": CHOICE})).claims)
