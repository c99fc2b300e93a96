"""The gate: uniform play beaten by the factor that a check names, by tests of scipy."""

import math

import numpy as np
import pytest
from claim_tables import SPREAD, decide, finals, judge, reading
from scipy.stats import t, ttest_1samp

from optimist.claims.claim import Check
from optimist.claims.gates import factor_of

ALPHA = 0.025
SIDES = {"setting": "here", "numerator": "a", "denominator": "b"}
GROWTH = ("ratio", {"algorithm": "a", "setting": "here", "base": "there"})


def check(statistic="ratio", arguments=SIDES, relation="below", bound=1, **keys):
    own = {"relation": relation, "bound": bound, **keys}
    return {"quantity": "regret", "statistic": statistic, "arguments": arguments, **own}


def play(setting="here", noise=0.1, **means):
    """Regrets of ten trials around each mean, each player's spread in an order of its own."""
    return [
        finals(setting, name, [mean + noise * mean * z for z in SPREAD[i:] + SPREAD[:i]])
        for i, (name, mean) in enumerate(means.items())
    ]


def quiet(setting="here", **means):
    """The same with a fifth of the spread."""
    return play(setting, 0.02, **means)


def above(tables, method, factor, setting="here", trials=slice(None)):
    """Return 2 p of "uniform over the method is above the factor", by scipy; it may be over 1."""
    uniform, own = (
        next(f for f in tables if (f["setting"] == setting).all() and (f["algorithm"] == n).all())
        for n in ("uniform", method)
    )
    d = (uniform["regret"] - factor * own["regret"]).to_numpy()[trials]
    return 2.0 * ttest_1samp(d, 0.0, alternative="greater").pvalue


def below(*arguments, **keys):
    """Return 2 p of the opposite."""
    return 2.0 - above(*arguments, **keys)


def gate(*checks, **keys):
    """Return the gate of the first of some checks, from tables of final regrets.

    Curves, where a check reads them, are the same regrets at two earlier rounds.
    """
    ends = keys.pop("finals")
    tables = {"finals": ends, "regrets": [f.assign(round=t) for f in ends for t in (5, 9, 100)]}
    return decide(reading(*checks), tables=tables, **keys).results[0].gate


# The factor.


@pytest.mark.parametrize(
    ("relation", "bound", "factor"),
    [
        ("below", 1, 1.0),
        ("above", 1, 1.0),
        ("above", 2, 2.0),
        ("below", 2, 2.0),
        ("below", 0.8, 1.25),
        ("below", 0.1, 10.0),
        ("above", 0, 1.0),
        ("between", [0.8, 1.25], 1.25),
        ("between", [0.5, 1.25], 1.25),
        ("between", [0.8, 4], 1.25),
        ("between", [316, 3162], 316.0),
        ("between", [0, 0.5], 2.0),
        ("equals", 2.5, 2.0),
    ],
)
def test_the_factor_is_the_end_of_the_bound_that_is_nearest_to_one(relation, bound, factor):
    tolerance = 0.5 if relation == "equals" else None
    assert factor_of(Check("regret", "ratio", SIDES, relation, bound, tolerance)) == factor


@pytest.mark.parametrize(
    ("statistic", "arguments"),
    [
        GROWTH,
        ("ratio", {"algorithm": "a", "setting": "here"}),
        ("share", {"algorithm": "a", "setting": "here", "since": 5}),
        ("spread", SIDES),
    ],
)
@pytest.mark.parametrize("bound", [1, 1.7, 100])
def test_growth_and_what_names_no_factor_ask_for_a_quarter(statistic, arguments, bound):
    assert factor_of(Check("regret", statistic, arguments, "below", bound)) == 1.25


# Its p-values.


@pytest.mark.parametrize("bound", [1, 1.1, 1.5, 3])
def test_somebody_has_to_beat_uniform_play(bound):
    tables = play(uniform=20.0, a=15.0, b=16.0)
    found = gate(check(bound=bound), finals=tables)
    best = min(above(tables, name, bound) for name in "ab")
    assert found.support == pytest.approx(min(1.0, 2 * best))
    capped = min(bound, 2)
    best = min(above(tables, name, capped) for name in "ab")
    assert found.refute == pytest.approx(min(1.0, 2 * best))
    idle = max(below(tables, name, capped) for name in "ab") if bound > 1 else 1.0
    assert found.idle == pytest.approx(min(1.0, idle))


def test_p_values_of_a_check_are_at_least_those_of_its_gate():
    tables = play(uniform=10.6, a=10.0, b=30.0)
    (result,) = judge(check(), finals=tables).results
    assert result.support == result.gate.support > 1e-3
    turned = check(relation="above")
    (result,) = judge(turned, finals=tables).results
    assert result.refute == result.gate.refute > 1e-3


def test_uniform_play_itself_is_no_method_that_learns():
    tables = play(uniform=20.0, a=10.0)
    found = gate(check(arguments={**SIDES, "denominator": "uniform"}, bound=0.5), finals=tables)
    assert found.support == pytest.approx(above(tables, "a", 2.0))
    # A variant of a name is a method like any other.
    both = {**SIDES, "numerator": "uniform", "denominator": "uniform"}
    assert gate(check(arguments=both), finals=tables) is None


def test_times_and_facts_have_no_gate_and_guarantees_neither():
    tables = play(uniform=20.0, a=10.0, b=10.0)
    assert judge(check(), kind="guarantee", finals=tables).results[0].gate is None
    column = {"algorithm": "a", "column": "regret", "setting": "here"}
    assert gate({**check("rate", column), "quantity": "column"}, finals=tables) is None


def test_a_setting_without_uniform_play_decides_nothing_and_says_so():
    verdict = judge(check(), finals=play(a=1.0, b=100.0))
    found = verdict.results[0].gate
    assert (found.support, found.refute, found.idle) == (1.0, 1.0, 1.0)
    assert (verdict.word, verdict.results[0].remark) == ("open", "no uniform play in here")
    assert judge(check(), finals=play(a=1.0, b=100.0, uniform=100.0)).word == "reproduced"


# Exaggerations, and what is idle.


def test_an_exaggeration_is_refuted():
    # Both have a fifth of uniform play's regret, and "a tenth of the other's" is said of one.
    verdict = judge(check(bound=0.1), finals=play(uniform=50.0, a=10.0, b=10.0))
    assert verdict.word == "not reproduced"
    found = verdict.results[0].gate
    assert found.support == 1.0 and found.refute < 1e-3
    # At the factor itself it would be idle, and untestable.
    tables = play(uniform=50.0, a=10.0, b=10.0)
    assert found.idle == 1.0 and max(below(tables, name, 10.0) for name in "ab") < 1e-4


def test_where_nobody_beats_uniform_play_nothing_can_be_tested():
    idle = play(uniform=10.0, a=10.0, b=9.9)
    assert judge(check(bound=2), finals=idle).word == "untestable"
    assert judge(check(bound=1), finals=idle).word == "open"
    learns = [f.assign(setting="there") for f in play(uniform=30.0, a=10.0, b=10.0)]
    there = check(bound=2, arguments={**SIDES, "setting": "there"})
    both = decide(
        reading(check(bound=2), name="one"),
        reading(there, name="two"),
        tables={"finals": [*idle, *learns]},
    )
    assert both.text == "reproduced where testable"
    assert both.outcomes == {"one": "idle", "two": "holds"}
    assert [r.outcome for r in both.results] == ["idle", "holds"]


# Ten trials of uniform play, of two methods that play like it, and of one that learns, worked out
# to five digits.

WORKED = {
    "uniform": [100, 104, 98, 101, 97, 103, 99, 102, 96, 100],
    "x": [99, 103, 99, 102, 96, 104, 97, 103, 97, 99],
    "y": [100, 102, 100, 101, 97, 102, 98, 103, 96, 100],
    "z": [31, 28, 33, 30, 29, 32, 27, 30, 34, 26],
}


def worked(top, bottom, relation="above", bound=1, **keys):
    """Return the verdict on a ratio, where x, y and z are the methods of the paper."""
    sides = {"setting": "here", "numerator": top, "denominator": bottom}
    return decide(
        reading(check("ratio", sides, relation, bound, **keys)),
        tables={"finals": [finals("here", name, values) for name, values in WORKED.items()]},
        about={"learners": {"here": ["x", "y", "z"]}},
    )


def five_digits(*values):
    return pytest.approx(values, rel=2e-4)


@pytest.mark.parametrize(
    ("top", "bottom", "value", "bound", "p"),
    [
        ("x", "uniform", 0.999, 0.8, (3.9593e-12, 1.0)),
        ("x", "uniform", 0.999, 0.5, (1.5917e-14, 1.0)),
        # What shows that x does not learn is what used to make the check idle.
        ("uniform", "x", 1.001, 1.25, (1.0, 3.9593e-12)),
        ("uniform", "z", 3.333, 1.25, (1.2112e-11, 1.0)),
        ("uniform", "z", 3.333, 2, (1.0492e-8, 1.0)),
    ],
)
def test_p_values_of_uniform_play_are_those_worked_out(top, bottom, value, bound, p):
    (result,) = worked(top, bottom, bound=bound).results
    assert result.evidence.value == pytest.approx(value, abs=5e-4)
    assert result.without_gate() == five_digits(*p)


@pytest.mark.parametrize(
    ("bound", "keys", "word", "support", "refute", "gate"),
    [
        # Of one method, whose gate z opens: g(1.25), or g(2) for an exaggeration.
        (0.8, {}, "reproduced", 3.634e-11, 1.0, (3.634e-11, 3.634e-11, 1.0)),
        (0.5, {"relation": "below"}, "not reproduced", 1.0, 3.147e-8, (3.147e-8, 3.147e-8, 1.0)),
    ],
)
def test_a_method_that_does_not_learn_is_told_by_one_that_does(
    bound, keys, word, support, refute, gate
):
    verdict = worked("x", "uniform", **{"relation": "above", **keys}, bound=bound)
    (result,) = verdict.results
    assert verdict.word == word
    assert (result.support, result.refute) == five_digits(support, refute)
    found = result.gate
    assert (found.support, found.refute, found.idle) == five_digits(*gate)


def test_two_methods_that_play_uniformly_are_not_comparable_though_a_third_learns():
    verdict = worked("x", "y", "between", [0.8, 1.25], better="below")
    (result,) = verdict.results
    assert (verdict.word, result.outcome) == ("untestable", "idle")
    assert result.without_gate() == five_digits(5.566e-12, 1.0)
    found = result.gate
    assert (found.support, found.refute, found.idle) == five_digits(1.0, 1.0, 3.9593e-12)


# Which methods can open a gate.


def learners(**methods):
    return {"learners": {setting: [*names] for setting, names in methods.items()}}


def least(tables, names, factor, setting="here"):
    """Return g: Bonferroni's p-value for "one of these beats uniform play by the factor"."""
    p = [above(tables, name, factor, setting) for name in names]
    return min(1.0, len(p) * min(p))


def most(tables, names, factor, setting="here"):
    """Return i: the p-value for "none of these does"."""
    return min(1.0, max(below(tables, name, factor, setting) for name in names))


def test_two_methods_have_to_open_their_gate_themselves():
    tables = quiet(uniform=20.0, a=19.0, b=18.0, c=2.0)
    found = gate(check(bound=1.5), finals=tables, about=learners(here="abc"))
    assert found.support == pytest.approx(least(tables, "ab", 1.5)) == 1.0
    assert found.idle == pytest.approx(most(tables, "ab", 1.5)) and found.idle < 1e-4
    assert {algorithm for _, algorithm in found.opening} == {"a", "b"}


def test_the_gate_of_two_methods_is_the_worst_of_its_settings():
    growth = ("growth", {**SIDES, "base": "there"})
    tables = [*play("here", uniform=15.0, a=10.0, b=11.0), *play("there", uniform=14.0, a=10, b=15)]
    for relation in ("below", "above"):
        found = gate(check(*growth, relation, 2), finals=tables, about=learners(here="c"))
        each = [least(tables, "ab", 1.25, setting) for setting in ("here", "there")]
        assert found.support == found.refute == pytest.approx(max(each)) and each[0] < each[1] < 0.5
        idle = [most(tables, "ab", 1.25, setting) for setting in ("here", "there")]
        assert found.idle == pytest.approx(min(1.0, 2 * min(idle)))
    # Idle in one of them is idle: with Bonferroni's correction for the two.
    tables = [*quiet("here", uniform=15.0, a=10, b=11), *quiet("there", uniform=11.0, a=10, b=10)]
    found = gate(check(*growth), finals=tables)
    assert found.idle == pytest.approx(2 * most(tables, "ab", 1.25, "there")) and found.idle < 0.01


TO_UNIFORM = {**SIDES, "denominator": "uniform"}
OF_ONE = [
    ("ratio", TO_UNIFORM, 1.5),
    ("ratio", {**TO_UNIFORM, "since": 5}, 1.5),
    ("median", TO_UNIFORM, 1.5),
    ("ratio", {"algorithm": "a", "setting": "here"}, 1.25),
    ("share", {"algorithm": "a", "setting": "here", "since": 5}, 1.25),
    ("exponent", {"algorithm": "a", "setting": "here", "since": 5, "rounds": 9}, 1.25),
    ("rate", {"algorithm": "a", "setting": "here", "since": 5}, 1.25),
]


@pytest.mark.parametrize(("statistic", "arguments", "factor"), OF_ONE)
@pytest.mark.parametrize("relation", ["below", "above"])
def test_every_method_of_the_paper_opens_the_gate_of_one_method(
    statistic, arguments, factor, relation
):
    tables = quiet(uniform=20.0, a=19.0, b=10.0, c=12.0)
    curves = [f.assign(regret_half=f["regret"] / 2) for f in tables]
    curves += [f.assign(round=r, regret=r * f["regret"] / 100) for f in tables for r in (5, 9)]
    written = reading(check(statistic, arguments, relation, 1.5))
    everything = {"finals": tables, "regrets": curves}
    everything["finals"] = [f.assign(regret_half=f["regret"] / 2) for f in tables]
    (result,) = decide(written, tables=everything, about=learners(here="abc")).results
    found = result.gate
    assert found.support == pytest.approx(least(tables, "abc", factor)) and found.support < 1e-3
    assert found.refute == found.support
    assert found.idle == pytest.approx(most(tables, "abc", factor)) == 1.0
    # Where the paper plays no other method, the check has to be about one that learns.
    (result,) = decide(written, tables=everything, about=learners(here="a")).results
    assert result.gate.support == 1.0 and result.gate.idle < 1e-3


def test_methods_with_too_few_trials_open_no_gate():
    rng = np.random.default_rng(5)
    sizes = {"uniform": 40, "a": 40, "b": 40, "c": 29}
    factors = {"uniform": 2.0, "a": 2.0, "b": 1.0, "c": 1.0}
    tables = [finals("here", n, factors[n] * rng.gamma(9.0, 1 / 9, k)) for n, k in sizes.items()]
    label = "regret of a / uniform, here"
    row, about = ["toy.01", label, "trials", 20, 20], learners(here="abc")
    found = gate(check(arguments=TO_UNIFORM), finals=tables, first=[row], about=about)
    # Of 40 trials, those from 20 on count, doubled once; of c there are nine.
    kept = [f.iloc[20:40] for f in tables]
    own = min(above(kept, name, 1.0) for name in "ab")
    assert found.support == pytest.approx(2 * 2 * own)
    assert {algorithm for _, algorithm in found.opening} == {"a", "b"}
    tables[-1] = finals("here", "c", rng.gamma(9.0, 1 / 9, 30))
    found = gate(check(arguments=TO_UNIFORM), finals=tables, first=[row], about=about)
    assert {algorithm for _, algorithm in found.opening} == {"a", "b", "c"}


TUNINGS = [f"here[factor={f}]" for f in (1, 2)]


@pytest.mark.parametrize("other", ["b", "uniform"])
def test_tunings_of_a_check_are_one_place(other):
    tables = [*quiet(TUNINGS[0], uniform=20.0, a=10.0, b=21.0, c=19.0)]
    tables += quiet(TUNINGS[1], uniform=20.0, a=20.0, b=19.0, c=9.0)
    arguments = {"settings": TUNINGS, "numerator": "a", "denominator": other, "tuning": 2}
    about = {"learners": {TUNINGS[0]: ["a", "b", "c"], TUNINGS[1]: ["a", "c"]}}
    found = gate(check("ratio", arguments, bound=1.5), finals=tables, about=about)
    # Two methods in both tunings, or whatever the paper plays in either.
    opening = {(s, a) for s in TUNINGS for a in ("ab" if other == "b" else "ac")}
    opening |= set() if other == "b" else {(TUNINGS[0], "b")}
    assert {*found.opening} == opening
    p = [above(tables, name, 1.5, label) for label, name in opening]
    assert found.support == pytest.approx(min(1.0, len(p) * min(p))) and found.support < 1e-3
    assert found.idle == pytest.approx(
        min(1.0, max(below(tables, name, 1.5, label) for label, name in opening))
    )


# One method in several settings.

PLACES = ("here", "there")
AXIS = {"settings": ["here", "there"], "points": [1, 2]}
OVER_SETTINGS = [
    GROWTH,
    ("slope", {"algorithm": "a", **AXIS}),
    ("slope", {"numerator": "a", "denominator": "uniform", **AXIS}),
    ("exponent", {"algorithm": "a", **AXIS}),
    ("growth", {**TO_UNIFORM, "base": "there"}),
]


@pytest.mark.parametrize(("statistic", "arguments"), OVER_SETTINGS)
def test_below_a_bound_a_method_has_to_learn_everywhere_and_above_it_somebody(statistic, arguments):
    # It learns in one of two settings, and another method in both.
    tables = [
        *quiet("here", uniform=20.0, a=10.0, b=5.0),
        *quiet("there", uniform=14.0, a=13.9, b=5),
    ]
    about = learners(here="ab", there="ab")
    low = max(least(tables, "a", 1.25, setting) for setting in PLACES)
    somebody = max(least(tables, "ab", 1.25, setting) for setting in PLACES)
    union = min(1.0, 2 * min(above(tables, "a", 1.25, setting) for setting in PLACES))
    high = max(somebody, union)
    assert low == 1.0 and high == union < 1e-3
    idle = [most(tables, "ab", 1.25, setting) for setting in PLACES]
    idle.append(min(1.0, max(below(tables, "a", 1.25, setting) for setting in PLACES)))
    for relation, bound in (("below", 2), ("above", 2), ("between", [0.5, 2]), ("equals", 2)):
        keys = {"better": "below"} if relation == "between" else {"tolerance": 0.5}
        written = check(statistic, arguments, relation, bound, **keys)
        found = gate(written, finals=tables, about=about)
        holding, failing = (high, low) if relation == "above" else (low, high)
        assert (found.support, found.refute) == pytest.approx((holding, failing)), relation
        assert found.idle == pytest.approx(min(1.0, 3 * min(idle))) == 1.0


@pytest.mark.parametrize(
    ("here", "there", "opens", "is_idle"),
    [
        # The method learns everywhere: both sides are open.
        ({"a": 5.0, "b": 20.0}, {"a": 5.0, "b": 20.0}, (True, True), False),
        # Somebody learns in each of them, and the method in one.
        ({"a": 5.0, "b": 20.0}, {"a": 20.0, "b": 5.0}, (False, True), False),
        # Nobody learns in one of them, or the method in none.
        ({"a": 5.0, "b": 5.0}, {"a": 20.0, "b": 20.0}, (False, False), True),
        ({"a": 20.0, "b": 5.0}, {"a": 20.0, "b": 5.0}, (False, False), True),
    ],
)
def test_the_sides_that_are_open(here, there, opens, is_idle):
    tables = [*quiet("here", uniform=20.0, **here), *quiet("there", uniform=20.0, **there)]
    found = gate(check(*GROWTH), finals=tables, about=learners(here="ab", there="ab"))
    assert (found.support <= ALPHA, found.refute <= ALPHA) == opens
    assert (found.idle <= 0.1 * ALPHA) == is_idle
    turned = gate(check(*GROWTH, "above"), finals=tables, about=learners(here="ab", there="ab"))
    assert (turned.support, turned.refute) == (found.refute, found.support)


def test_a_setting_without_uniform_play_is_named_beside_one_that_has_it():
    alone = [*play("here", uniform=14.0, a=10.0), *play("there", a=10.0)]
    found = gate(check(*GROWTH), finals=alone)
    assert (found.remark, found.lacking) == ("no uniform play in there", ("there",))


@pytest.mark.parametrize("about", [{}, learners(here="ab")])
def test_an_order_of_regrets_is_never_idle(about):
    tables = quiet(uniform=10.0, a=20.0, b=20.1)
    for relation in ("below", "above"):
        for arguments in (SIDES, TO_UNIFORM):
            found = gate(check("ratio", arguments, relation, 1), finals=tables, about=about)
            assert found.idle == 1.0


# Uniform play that settings share.


def test_settings_that_uniform_play_does_not_see_read_the_one_with_most_trials():
    own = [finals("here[radius=1]", name, [9.0 + z / 9 for z in SPREAD]) for name in "ab"]
    few = finals("here[radius=1]", "uniform", [90.0] * 9)
    many = finals("here", "uniform", [20.0 + z for z in SPREAD] * 2)
    tables = [*own, few, many]
    written = check(arguments={**SIDES, "setting": "here[radius=1]"}, bound=1.1)
    alone = gate(written, finals=tables)
    assert alone.support == 1.0 and "no uniform" not in alone.remark
    shared = {"uniform_names": {"here": "here", "here[radius=1]": "here", "there": "there"}}
    found = gate(written, finals=tables, about=shared)
    same = many.iloc[:10].assign(setting="here[radius=1]")  # as many as there are of the methods
    seen = least([*own, same], "ab", 1.1, "here[radius=1]")
    assert found.support == pytest.approx(seen) and found.support < 1e-3
    # It need not be played there at all, and only uniform play is shared.
    found = gate(written, finals=[*own, many], about=shared)
    assert found.remark == "" and found.support < 1e-3
    verdict = decide(reading(check(arguments=SIDES)), tables={"finals": [*own, many]}, about=shared)
    assert verdict.word == "missing"


# How many trials count.


@pytest.mark.parametrize(
    ("uniform", "own", "fewest", "row", "counted", "k"),
    [
        (10, 10, 1, None, (0, 10), 0),
        (19, 40, 1, None, (0, 10), 0),
        (40, 40, 1, None, (0, 40), 2),
        (50, 80, 1, None, (0, 40), 2),
        (9, 40, 1, None, None, -1),
        # The least number of the paper's checks, for all of their gates.
        (40, 40, 40, None, (0, 40), 0),
        (39, 80, 40, None, None, -1),
        (80, 90, 40, None, (0, 80), 1),
        # From the first trial of the check on, whatever its number was at first.
        (40, 80, 1, (0, 80), (0, 40), 2),
        (40, 80, 1, (20, 20), (20, 40), 1),
        (40, 80, 20, (20, 40), (20, 40), 0),
        (29, 80, 1, (20, 10), None, -1),
    ],
)
def test_a_gate_has_doublings_of_its_own(uniform, own, fewest, row, counted, k):
    rng = np.random.default_rng(3)
    sizes = {"uniform": (1.4, uniform), "a": (1.0, own), "b": (1.0, own)}
    tables = [finals("here", n, c * rng.gamma(4.0, 0.25, size)) for n, (c, size) in sizes.items()]
    rows = [["toy.01", "regret of a / b, here", "trials", *row]] if row else []
    found = gate(check(bound=1.1), finals=tables, first=rows, about={"least": fewest})
    if k < 0:
        assert (found.support, found.refute, found.idle) == (1.0, 1.0, 1.0)
        return
    kept = [f.iloc[slice(*counted)] for f in tables]
    expected = min(2.0**k * above(kept, name, 1.1) for name in "ab")
    assert found.support == pytest.approx(min(1.0, 2 * expected))


# Splits of data, which trials share.

SPLIT = {"setting": "here", "one": "a", "other": "b", "since": 0, "rounds": 9}
SPLIT = check("difference", {**SPLIT, "folds": 5, "repeats": 2}, bound=0)


def curves(number, of_uniform=12):
    """Final regrets, and regrets at round 9, of ``number`` trials."""
    rng = np.random.default_rng(8)
    means = {"a": 9, "b": 9, "uniform": of_uniform}
    values = {name: c + rng.normal(size=number) for name, c in means.items()}
    ends = [finals("here", name, own) for name, own in values.items()]
    return {"finals": ends, "regrets": [f.assign(round=9) for f in ends]}, values


def test_splits_are_doubled_like_trials_which_average_their_seeds():
    for number, stop, k in ((10, 10, 1), (15, 10, 1), (19, 10, 1), (20, 20, 2), (39, 20, 2)):
        tables, values = curves(number)
        label = "regret of a minus regret of b, per round after 0 up to 9, over splits, here"
        first = [["toy.01", label, "splits", 0, 5]]
        (result,) = decide(reading(SPLIT), tables=tables, first=first).results
        d = (values["a"] - values["b"])[:stop].reshape(-1, 10).mean(axis=0) / 9
        assert (result.k, result.evidence.n) == (k, 10)
        error = d.std(ddof=1) * math.sqrt(1 / 10 + 1 / 4)
        p = t.cdf(d.mean() / error, 9)
        assert result.without_gate()[0] == pytest.approx(min(1.0, 2.0 ** (k + 1) * p))


def test_the_gate_of_splits_is_corrected_as_their_check():
    tables, values = curves(20, of_uniform=16)
    (result,) = decide(reading(SPLIT), tables=tables).results
    p = []
    for name in "ab":
        d = (values["uniform"] - 1.25 * values[name]).reshape(2, 10).mean(axis=0)
        # Five splits are enough, so that twenty are doubled twice.
        p.append(8 * t.sf(d.mean() / (d.std(ddof=1) * math.sqrt(1 / 10 + 1 / 4)), 9))
    assert result.gate.support == pytest.approx(min(1.0, 2 * min(p))) and result.gate.support < 0.1


def test_over_splits_too_every_method_opens_the_gate_of_one():
    tables, values = curves(20, of_uniform=16)
    tables["finals"] = [f.assign(regret_half=f["regret"] / 2) for f in tables["finals"]]
    about = {"algorithm": "a", "setting": "here", "folds": 5, "repeats": 2}
    written = reading(check("ratio", about, "below", 1.7))
    (result,) = decide(written, tables=tables, about=learners(here="ab")).results
    p = []
    for name in "ab":
        d = (values["uniform"] - 1.25 * values[name]).reshape(2, 10).mean(axis=0)
        p.append(8 * t.sf(d.mean() / (d.std(ddof=1) * math.sqrt(1 / 10 + 1 / 4)), 9))
    assert result.gate.support == pytest.approx(min(1.0, 2 * min(p)))
