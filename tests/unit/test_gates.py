"""The gate: uniform play beaten by the factor that a check names, by tests of scipy."""

import math

import numpy as np
import pytest
from claim_tables import SPREAD, decide, finals, judge, reading
from scipy.stats import t, ttest_1samp

from optimist.claims.checks import Check
from optimist.claims.gates import factor_of

ALPHA = 0.025
SIDES = {"setting": "here", "numerator": "a", "denominator": "b"}
GROWTH = ("ratio", {"algorithm": "a", "setting": "here", "base": "there"})


def check(statistic="ratio", arguments=SIDES, relation="below", bound=1, **keys):
    own = {"relation": relation, "bound": bound, **keys}
    return {"quantity": "regret", "statistic": statistic, "arguments": arguments, **own}


def play(setting="here", **means):
    """Regrets of ten trials around each mean, each player's spread in an order of its own."""
    return [
        finals(setting, name, [mean + 0.1 * mean * z for z in SPREAD[i:] + SPREAD[:i]])
        for i, (name, mean) in enumerate(means.items())
    ]


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
    """Return the gate of the first of some checks, from tables of final regrets."""
    return decide(reading(*checks), tables={"finals": keys.pop("finals")}, **keys).results[0].gate


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


# Several settings.


def test_somebody_has_to_learn_in_each_setting():
    tables = [*play("here", uniform=15.0, a=10.0), *play("there", uniform=14.0, a=10.0)]
    found = gate(check(*GROWTH), finals=tables)
    each = [above(tables, "a", 1.25, setting) for setting in ("here", "there")]
    assert found.support == pytest.approx(max(each)) and each[0] < each[1] < 0.5
    idle = [below(tables, "a", 1.25, setting) for setting in ("here", "there")]
    assert found.idle == pytest.approx(min(1.0, 2 * min(idle)))
    # Idle in one of them is idle: with Bonferroni's correction for the two.
    tables = [*play("here", uniform=14.0, a=10.0), *play("there", uniform=11.0, a=10.0)]
    found = gate(check(*GROWTH), finals=tables)
    assert found.idle == pytest.approx(2 * below(tables, "a", 1.25, "there"))
    alone = [*play("here", uniform=14.0, a=10.0), *play("there", a=10.0)]
    assert gate(check(*GROWTH), finals=alone).remark == "no uniform play in there"


def test_of_tunings_one_suffices():
    labels = [f"here[factor={f}]" for f in (1, 2)]
    tables = [*play(labels[0], uniform=20.0, a=10.0, b=21.0)]
    tables += play(labels[1], uniform=20.0, a=20.0, b=19.0)
    arguments = {"settings": labels, "numerator": "a", "denominator": "b", "tuning": 2}
    found = gate(check("ratio", arguments), finals=tables)
    p = [above(tables, name, 1.0, label) for label in labels for name in "ab"]
    assert found.support == pytest.approx(min(1.0, 4 * min(p))) and found.support < 1e-3


# How many trials count.


@pytest.mark.parametrize(
    ("uniform", "own", "first", "number", "k"),
    [
        (10, 10, {}, 10, 0),
        (20, 10, {}, 10, 0),
        (40, 40, {"gate:here": 10}, 40, 2),
        (50, 80, {"gate:here": 10}, 40, 2),
        # A k of its own, smaller or larger than that of the check.
        (40, 40, {"gate:here": 40}, 40, 0),
        (40, 80, {"gate:here": 20, "CHECK": 80}, 40, 1),
        # The check was judged with fewer at first, so its pairs with uniform play were too.
        (40, 40, {"gate:here": 40, "CHECK": 10}, 40, 2),
        (9, 40, {"gate:here": 10}, 9, -1),
    ],
)
def test_a_gate_has_doublings_of_its_own(uniform, own, first, number, k):
    rng = np.random.default_rng(3)
    sizes = {"uniform": (1.4, uniform), "a": (1.0, own), "b": (1.0, own)}
    tables = [finals("here", n, c * rng.gamma(4.0, 0.25, size)) for n, (c, size) in sizes.items()]
    label = "regret of a / b, here"
    rows = [["toy.01", n.replace("CHECK", label), "trials", 0, n0] for n, n0 in first.items()]
    found = gate(check(bound=1.1), finals=tables, first=rows)
    if k < 0:
        assert found.support == 1.0
        return
    kept = [f.iloc[:number] for f in tables]
    expected = min(2.0**k * above(kept, name, 1.1) for name in "ab")
    assert found.support == pytest.approx(min(1.0, 2 * expected))


def test_the_row_of_a_claim_goes_before_that_of_its_paper():
    rng = np.random.default_rng(3)
    tables = [finals("here", n, rng.gamma(4.0, 0.25, 30) + 1.0) for n in ("uniform", "a", "b")]
    rows = [["toy", "gate:here", "trials", 0, 10], ["toy.01", "gate:here", "trials", 20, 10]]
    found = gate(check(), finals=tables, first=rows)
    own = min(above(tables, name, 1.0, trials=slice(20, 30)) for name in "ab")
    assert found.support == pytest.approx(min(1.0, 2 * own))
    found = gate(check(), finals=tables, first=rows[:1])
    paper = min(2 * above(tables, name, 1.0, trials=slice(20)) for name in "ab")
    assert found.support == pytest.approx(min(1.0, 2 * paper / 2))


# Splits of data, which trials share.

SPLIT = {"setting": "here", "one": "a", "other": "b", "since": 0, "rounds": 9}
SPLIT = check("difference", {**SPLIT, "folds": 5, "repeats": 2}, bound=0)


def curves(number):
    """Final regrets, and regrets at round 9, of ``number`` trials."""
    rng = np.random.default_rng(8)
    values = {
        name: c + rng.normal(size=number) for name, c in (("a", 9), ("b", 9), ("uniform", 12))
    }
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
    tables, values = curves(20)
    (result,) = decide(reading(SPLIT), tables=tables).results
    p = []
    for name in "ab":
        d = (values["uniform"] - 1.25 * values[name]).reshape(2, 10).mean(axis=0)
        p.append(2 * t.sf(d.mean() / (d.std(ddof=1) * math.sqrt(1 / 10 + 1 / 4)), 9))
    assert result.gate.support == pytest.approx(min(1.0, 2 * min(p)))
