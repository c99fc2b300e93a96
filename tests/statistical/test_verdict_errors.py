"""Shares of wrong words in worlds of known truth, by the rule, its doubling and its gate.

Each wrong word may come out with probability 0.025; three standard errors of the replicates are
allowed. Most worlds are normal estimates of checks, whose p-values go through the rule as it is
written again in `words_by_hand`; tests/unit/test_rule.py compares that with the rule itself.
"""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import words_by_hand
from claim_tables import check_of, claim_with, document, reading
from replicates import replicates, spare
from scipy.special import ndtr, stdtr
from words_by_hand import words

from optimist.claims.cells import Groups
from optimist.claims.first import First, doubled
from optimist.claims.gates import Gates
from optimist.claims.measurement import measure
from optimist.claims.results import concluded
from optimist.claims.verdicts import evaluate

pytestmark = pytest.mark.statistical

ALPHA = 0.025
N = replicates(40_000)
LIMIT = ALPHA + spare(ALPHA, N)
# Readings and checks of each; -5 and 5 are false and true by five standard errors.
SHAPES = [(1, 1), (2, 2), (4, 2), (4, 18), (8, 6), (12, 12), (15, 1), (2, 44)]
FALSE, EDGE, TRUE = -5.0, 0.0, 5.0
each_world = pytest.mark.parametrize("correlation", [0.0, 0.7])


def estimates(truth, correlation, seed=1):
    """Return normal estimates (N, readings, checks) around the truth, in standard errors."""
    rng = np.random.default_rng([seed, truth.size, int(10 * correlation)])
    common = rng.standard_normal((N, *[1] * truth.ndim))
    own = rng.standard_normal((N, *truth.shape))
    return truth + math.sqrt(correlation) * common + math.sqrt(1.0 - correlation) * own


def p_values(truth, correlation, **keys):
    """Return both p-values of estimates around the truth."""
    z = estimates(np.asarray(truth, dtype=float), correlation, **keys)
    return ndtr(-z), ndtr(z)


def share(found, *wrong):
    return float(np.isin(found, wrong).mean())


def world(readings, checks, *places, rest, at=EDGE):
    """Return a truth that is ``rest``, and ``at`` at some places."""
    truth = np.full((readings, checks), rest)
    for place in places:
        truth[place] = at
    return truth


# Wrong words, in the worst case of each.


def one_false_check(readings, checks):
    return world(readings, checks, (0, 0), rest=TRUE)


def one_true_reading(readings, checks):
    return world(readings, checks, 0, rest=FALSE)


def false_in_every_reading(readings, checks):
    return world(readings, checks, (slice(None), 0), rest=TRUE)


def all_on_the_bound(readings, checks):
    return world(readings, checks, rest=EDGE)


def one_false_reading(readings, checks):
    return world(readings, checks, 0, rest=TRUE)


@each_world
@pytest.mark.parametrize(
    ("truth", "wrong"),
    [
        (one_false_check, ["reproduced"]),
        (one_true_reading, ["not reproduced"]),
        (false_in_every_reading, ["reproduced", "supported", "depends"]),
        (all_on_the_bound, ["doubted", "depends", "not reproduced"]),
        (all_on_the_bound, ["reproduced", "supported", "depends"]),
        (one_false_reading, ["reproduced"]),
    ],
)
def test_a_wrong_word_is_as_rare_as_it_should_be(truth, wrong, correlation):
    rates = [share(words(*p_values(truth(*shape), correlation)), *wrong) for shape in SHAPES]
    assert max(rates) <= LIMIT
    # The bound is reached: by a claim of one check.
    assert rates[0] == pytest.approx(ALPHA, abs=spare(ALPHA, N))


@each_world
@pytest.mark.parametrize("shape", SHAPES)
def test_a_reading_that_is_named_is_rarely_on_the_other_side(shape, correlation):
    # Half of the readings hold, the other half are false by a check on its bound.
    truth = world(*shape, (slice(None, None, 2), 0), rest=TRUE)
    holding, failing, _, found = words_by_hand.named(*p_values(truth, correlation))
    assert holding[:, ::2].any(axis=1).mean() <= LIMIT
    assert share(found, "not reproduced") <= (LIMIT if len(truth) > 1 else 1.0)
    # Half are true, all of their checks on the bound, the others false by far.
    truth = world(*shape, slice(None, None, 2), rest=FALSE)
    _, failing, _, _ = words_by_hand.named(*p_values(truth, correlation))
    assert failing[:, ::2].any(axis=1).mean() <= LIMIT


@each_world
@pytest.mark.parametrize("shape", [s for s in SHAPES if s[0] > 1])
def test_a_false_reading_is_rarely_idle_by_mistake(shape, correlation):
    support, refute = p_values(world(*shape, 0, rest=TRUE, at=FALSE), correlation)
    idle = np.ones_like(support)
    idle[:, 0] = p_values(world(*shape, rest=EDGE), correlation, seed=2)[0][:, 0]
    rate = share(words(support, refute, idle), "reproduced")
    assert rate <= 0.1 * ALPHA + spare(0.1 * ALPHA, N)


@each_world
def test_a_reading_whose_false_check_is_idle_by_mistake_is_rarely_named(correlation):
    # One check makes each reading false: on its own bound and on the idle test's.
    for shape in ((4, 2), (15, 2)):
        support, refute = p_values(world(*shape, (slice(None), 0), rest=TRUE), correlation)
        idle = np.ones_like(support)
        idle[:, :, 0] = p_values(world(shape[0], 1, rest=EDGE), correlation, seed=2)[0][:, :, 0]
        holding = words_by_hand.named(support, refute, shape[0] * idle)[0]
        assert holding.any(axis=1).mean() <= LIMIT


@each_world
@pytest.mark.parametrize("shape", SHAPES)
def test_a_false_check_is_rarely_accepted_or_idle(shape, correlation):
    # It is on its own bound and on the idle test's, and all other checks are idle or true.
    support, refute = p_values(world(*shape, (0, 0), rest=TRUE), correlation)
    idle = np.ones_like(support)
    idle[:, 0] = 0.0
    idle[:, 0, 0] = p_values(np.zeros(1), correlation, seed=2)[0][:, 0]
    assert share(words(support, refute, idle), "reproduced") <= LIMIT


# Better than claimed. The praising end of a band is at 0, and the other one far below.


@each_world
@pytest.mark.parametrize("shape", SHAPES)
def test_a_reading_that_is_true_is_rarely_better_than_claimed(shape, correlation):
    # All checks of one reading are on the praising ends, all checks of the others far beyond.
    beyond, inside = p_values(world(*shape, 0, rest=TRUE), correlation)
    sure = np.full_like(beyond, 1e-9)
    found = words(inside, np.minimum(1.0, 2.0 * beyond), relaxed=sure)
    assert share(found, words_by_hand.BETTER) <= LIMIT
    if shape[0] > 1:  # where none is true, the word comes out
        beyond, inside = p_values(world(*shape, rest=2.0 * TRUE), correlation)
        found = words(inside, np.minimum(1.0, 2.0 * beyond), relaxed=sure)
        assert share(found, words_by_hand.BETTER) >= 0.97


@each_world
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape[1] > 1])
def test_a_reading_that_fails_elsewhere_is_rarely_better_than_claimed(shape, correlation):
    # One check of one reading is on a bound that is not a praising end; all others are praised.
    support, refute = p_values(world(*shape, (0, 0), rest=TRUE), correlation)
    praised = np.ones_like(support, bool)
    praised[:, 0, 0] = False
    sure = np.full_like(support, 1e-9)
    found = words(
        np.where(praised, 1.0, support),
        np.where(praised, sure, refute),
        relaxed=np.where(praised, sure, support),
    )
    rate = share(found, words_by_hand.BETTER)
    assert rate == pytest.approx(ALPHA, abs=spare(ALPHA, N))


# One suffices.


@each_world
@pytest.mark.parametrize("shape", [(1, 1), (4, 1), (9, 1), (9, 2), (50, 1)])
def test_one_of_several_that_suffices_is_rarely_found_where_there_is_none(shape, correlation):
    number = shape[0]
    support, refute = p_values(world(*shape, (slice(None), 0), rest=TRUE), correlation)
    assert share(words(support, refute, size=number), "reproduced") <= LIMIT
    # One of them is true on its bounds, and all others are false by far.
    support, refute = p_values(world(*shape, 0, rest=FALSE), correlation)
    assert share(words(support, refute, size=number), "not reproduced") <= LIMIT
    # They are what the sentence says: one true alternative is enough.
    support, refute = p_values(world(*shape, 0, rest=FALSE, at=2.0 * TRUE), correlation)
    assert share(words(support, refute, size=number), "reproduced") >= 0.99


@each_world
def test_others_choices_of_one_that_suffices_have_the_errors_of_readings(correlation):
    # Two readings of three alternatives each: all of the first false, all of the second true.
    truth = world(6, 1, slice(3, None), rest=EDGE, at=2.0 * TRUE)
    holding, *_ = words_by_hand.named(*p_values(truth, correlation), size=3)
    assert holding[:, 0].mean() <= LIMIT and holding[:, 1].mean() >= 0.99
    truth = world(6, 1, 0, rest=2.0 * FALSE, at=EDGE)
    _, failing, _, _ = words_by_hand.named(*p_values(truth, correlation), size=3)
    assert failing[:, 0].mean() <= LIMIT and failing[:, 1].mean() >= 0.99


# Bad faith.


@each_world
@pytest.mark.parametrize("added", [1, 5, 14, 50])
def test_readings_that_are_added_never_lift_a_claim_that_is_refuted(added, correlation):
    truth = world(added + 1, 2, slice(1, None), rest=-6.0)
    found = words(*p_values(truth, correlation))
    assert share(found, "reproduced", "supported") <= 0.0005 + spare(0.0005, N)


@each_world
def test_a_reading_that_is_dropped_lifts_one_so_that_the_word_with_it_is_said(correlation):
    support, refute = p_values(world(4, 1, 0, rest=TRUE, at=FALSE), correlation)
    assert share(words(support[:, 1:], refute[:, 1:]), "reproduced") >= 0.97
    assert share(words(support, refute), "depends") >= 0.97


# Doubling.

LOOKS = 6


def looked(n0, replicates_, readings=1, checks=1, law=None):
    """Return p-values (looks, N, readings, checks) of t tests after each doubling, of a mean 0."""
    rng = np.random.default_rng([3, n0, readings])
    size = replicates_, readings, checks, n0 * 2 ** (LOOKS - 1)
    values = rng.standard_normal(size) if law is None else law(rng, size)
    sums, squares = values.cumsum(axis=-1), (values**2).cumsum(axis=-1)
    found = []
    for k in range(LOOKS):
        n = n0 * 2**k
        mean = sums[..., n - 1] / n
        deviation = np.sqrt((squares[..., n - 1] - n * mean**2) / (n - 1))
        found.append(stdtr(n - 1, mean / deviation * math.sqrt(n)))
    return np.array(found)


def test_who_stops_at_any_trial_that_suits_him_errs_no_more_often():
    replicates_ = replicates(20_000)
    first, raw = First("trials", 0, 10), looked(10, replicates_)[..., 0, 0]
    smallest = np.ones(replicates_)
    for number in range(1, 10 * 2 ** (LOOKS - 1) + 1):
        k = first.doublings(number)
        if k >= 0:
            assert first.stop(k) == 10 * 2**k <= number
            p = [doubled(one, k) for one in raw[k]]
            smallest = np.minimum(smallest, p)
    rate = float((smallest <= ALPHA).mean())
    assert 0.5 * ALPHA <= rate <= ALPHA + spare(ALPHA, replicates_)


@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (4, 1)])
def test_who_stops_each_check_when_it_suits_him_gets_no_wrong_word_more_often(shape):
    replicates_ = replicates(10_000)
    limit = ALPHA + spare(ALPHA, replicates_)
    raw = looked(10, replicates_, *shape)
    steps = 2.0 ** np.arange(1, LOOKS + 1)[:, None, None, None]
    best, worst = ((steps * p).clip(max=1.0).min(axis=0) for p in (raw, 1.0 - raw))
    sure = np.full_like(best, 1e-9)
    # One check of one reading on its bound, the others true: stopped when it is shown.
    support, refute = sure.copy(), np.ones_like(sure)
    support[:, 0, 0] = best[:, 0, 0]
    assert share(words(support, refute), "reproduced") <= limit
    # One reading on its bounds, the others false.
    support, refute = np.ones_like(sure), sure.copy()
    refute[:, 0] = worst[:, 0]
    assert share(words(support, refute), "not reproduced") <= limit
    # All on their bounds: stopped where each is refuted, or shown.
    found = words(np.ones_like(best), worst)
    assert share(found, "doubted", "depends", "not reproduced") <= limit
    found = words(best, np.ones_like(best))
    assert share(found, "supported", "depends", "reproduced") <= limit


# The gate.


def players(number, n, **factors):
    """Return final regrets of methods in settings 0, 1, ..., of gamma noise, with mean factors."""
    rng = np.random.default_rng([4, number])
    replicate, trial = (index.ravel() for index in np.indices((number, n)))
    shared = {"setting": replicate.astype(str), "trial": trial, "round": 100, "status": "ok"}
    common = rng.lognormal(0.0, 0.3, number * n)
    return pd.concat(
        pd.DataFrame(
            {
                **shared,
                "algorithm": name,
                "regret": c * common * rng.gamma(4.0, 0.25, number * n),
            }
        )
        for name, c in factors.items()
    )


def ratio(setting, bound, relation="below"):
    about = {"setting": setting, "numerator": "a", "denominator": "b"}
    return check_of("regret", "ratio", about, relation, bound)


@pytest.mark.parametrize("bound", [1, 1.5])
def test_a_gate_on_its_bound_rarely_opens_and_its_check_is_rarely_idle(bound):
    """Nobody beats uniform play by more than the factor of the check."""
    number = replicates(4000)
    tables = {"finals": players(number, 30, uniform=bound, a=1.0, b=1.0)}
    gates = Gates(Groups(tables), {}, {})
    written = document(claim_with(*(reading(ratio(str(r), bound)) for r in range(number))))
    (claim,) = written.claims
    found = [gates.of(claim.id, one.checks[0]) for one in claim.readings]
    rates = [np.mean([getattr(g, side) <= ALPHA for g in found]) for side in ("support", "refute")]
    assert max(rates) <= ALPHA + spare(ALPHA, number)
    idle = np.mean([g.idle <= 0.1 * ALPHA for g in found])
    assert idle <= 0.1 * ALPHA + spare(0.1 * ALPHA, number)
    assert bound > 1 or idle == 0


# Gates of one method, of two, and of one in several settings: which words somebody gets who learns
# nothing, or whose check is on its bound.

HERE, THERE = "here", "there"
RADII = [f"here[factor={i}]" for i in range(4)]


def to_uniform(relation, bound, setting=HERE):
    about = {"setting": setting, "numerator": "x", "denominator": "uniform"}
    return check_of("regret", "ratio", about, relation, bound)


def of_two(relation, bound, **keys):
    about = {"setting": HERE, "numerator": "y", "denominator": "x"}
    return check_of("regret", "ratio", about, relation, bound, **keys)


def over_settings(relation, bound):
    about = {"algorithm": "x", "setting": THERE, "base": HERE}
    return check_of("regret", "ratio", about, relation, bound)


def texts(*readings, n=100, **means):
    """Return how often each text comes out, where each player has a mean in each setting.

    A mean is one number for all settings that share uniform play, or one for each setting.
    """
    number, settings = replicates(4000), {c for r in readings for c in settings_of(r)}
    own = {
        (setting, name): mean[setting] if isinstance(mean, dict) else mean
        for name, mean in means.items()
        for setting in settings
    }
    # One uniform play for all settings with the same name.
    own = {(s if name != "uniform" else home(s), name): mean for (s, name), mean in own.items()}
    learners = {
        s: [name for other, name in own if other == s and name != "uniform"] for s in settings
    }
    names = {s: s.partition("[")[0] for s in {*settings, *(s for s, _ in own)}}
    (claim,) = document(claim_with(*readings)).claims
    rng = np.random.default_rng([12, n, len(own)])
    rows = pd.DataFrame({"trial": np.arange(n), "round": 100, "status": "ok"})
    found = Counter()
    for _ in range(number):
        common = rng.lognormal(0.0, 0.3, n)
        tables = {
            pair: rows.assign(regret=mean * common * rng.gamma(4.0, 0.25, n))
            for pair, mean in own.items()
        }
        # All of these trials were planned, so that their p-values are doubled once.
        gates = Gates(Groups({"finals": tables}, names), {}, learners, n)
        results = [
            replace(result, k=0).compared()
            for one in claim.readings
            for result in (measure(claim, one, check, gates) for check in one.checks)
        ]
        found[concluded(claim, results).text] += 1
    return {text: count / number for text, count in found.items()}


def home(setting):
    return setting.partition("[")[0]


def settings_of(written):
    about = [check["arguments"] for check in written["checks"]]
    return {one[key] for one in about for key in ("setting", "base") if key in one}


def of_radii(*means):
    """Return readings of four radii that share uniform play, and the means of x in them."""
    readings = [reading(to_uniform("above", 0.8, s), name=s) for s in RADII]
    return readings, {"uniform": 1.0, "x": dict(zip(RADII, means, strict=True)), "z": 0.3}


ABOVE, BELOW = reading(to_uniform("above", 0.8)), reading(to_uniform("below", 0.5))
SIMILAR = reading(of_two("between", [0.8, 1.25], better="below"))
TWO_PLACES = reading(to_uniform("below", 0.5), to_uniform("below", 0.5, THERE))
GROWS, STAYS = reading(over_settings("above", 2)), reading(over_settings("below", 2))
BESIDE = reading(over_settings("below", 2), to_uniform("below", 0.9))


@pytest.mark.parametrize(
    ("readings", "means", "rates"),
    [
        pytest.param(
            [ABOVE],
            {"uniform": 1.0, "x": 0.8, "z": 0.3},
            {"reproduced": 0.0115, "not reproduced": 0.013},
            id="one method on its bound, another learns",
        ),
        pytest.param(
            [ABOVE],
            {"uniform": 1.0, "x": 1.0, "z": 1.0},
            {"reproduced": 0.0},
            id="all play uniformly",
        ),
        pytest.param(
            [ABOVE],
            {"uniform": 1.0, "x": 1.0} | dict.fromkeys("abcde", 0.8),
            {"reproduced": 0.002},
            id="five others exactly on the gate",
        ),
        pytest.param(
            [ABOVE],
            {"uniform": 1.0, "x": 1.0, "z": 0.3},
            {"reproduced": 0.75},
            id="one plays uniformly, another learns",
        ),
        pytest.param(
            [BELOW],
            {"uniform": 1.0, "x": 0.5, "z": 0.1},
            {"reproduced": 0.0115, "not reproduced": 0.011},
            id="an exaggeration on its bound",
        ),
        pytest.param(
            [BELOW],
            {"uniform": 1.0, "x": 1.0, "z": 0.1},
            {"not reproduced": 1.0},
            id="an exaggeration of one that plays uniformly",
        ),
        pytest.param(
            [TWO_PLACES],
            {"uniform": 1.0, "x": {HERE: 1.0, THERE: 0.1}, "z": {HERE: 0.5, THERE: 0.1}},
            {"reproduced where testable": 0.0013},
            id="a false check beside a true one, another method on the bound of idleness",
        ),
        pytest.param(
            *of_radii(0.8, 0.8, 0.8, 0.8),
            {"supported": 0.007, "doubted": 0.010},
            id="four radii share uniform play, all on the bound",
        ),
        pytest.param(
            *of_radii(0.8, 0.3, 0.3, 0.3),
            {"not reproduced": 0.012, "depends": 0.0045},
            id="four radii share uniform play, one true and three false",
        ),
        pytest.param(
            *of_radii(0.8, 2.0, 2.0, 2.0),
            {"reproduced": 0.0117},
            id="four radii share uniform play, one false and three true",
        ),
        pytest.param(
            [SIMILAR],
            {"uniform": 1.0, "x": 1.0, "y": 1.0, "z": 0.3},
            {"reproduced": 0.0},
            id="two that play uniformly are comparable",
        ),
        pytest.param(
            [reading(of_two("above", 2))],
            {"uniform": 1.0, "x": 1.0, "y": 1.0, "z": 0.3},
            {"untestable": 1.0},
            id="two that play uniformly, one said to be twice as bad",
        ),
        pytest.param(
            [STAYS],
            {"uniform": 1.0, "x": 1.0, "z": 0.3},
            {"reproduced": 0.0},
            id="one that plays uniformly does not grow",
        ),
        pytest.param(
            [BESIDE],
            {"uniform": 1.0, "x": {HERE: 0.2, THERE: 1.0}, "z": 0.1},
            {"not reproduced": 1.0, "reproduced where testable": 0.0},
            id="one that learns in one of two settings grows five times",
        ),
        pytest.param(
            [BESIDE],
            {"uniform": 1.0, "x": {HERE: 0.5, THERE: 1.0}, "z": 0.1},
            {"not reproduced": 0.013},
            id="one that learns in one of two settings grows twice",
        ),
        pytest.param(
            [GROWS],
            {"uniform": {HERE: 1.0, THERE: 3.0}, "x": {HERE: 1.0, THERE: 3.0}}
            | {"z": {HERE: 0.3, THERE: 0.9}},
            {"reproduced": 0.0},
            id="one that plays uniformly grows as uniform play does",
        ),
    ],
)
def test_words_of_those_who_learn_nothing_and_of_checks_on_their_bounds(readings, means, rates):
    found = texts(*readings, **means)
    number = replicates(4000)
    for text, rate in rates.items():
        # The named rates are of 4,000 worlds themselves.
        width = spare(max(rate, 0.002), number) + spare(max(rate, 0.002), 4000)
        assert found.get(text, 0.0) == pytest.approx(rate, abs=width if rate < 1.0 else 0.01), text


# From tables to words: noise that is skewed, and the power that is named.

LAWS = {
    "gamma": lambda rng, n: rng.gamma(4.0, 0.25, n),
    # Mean 1, with tails so heavy that the largest of 30 trials makes a third of their sum.
    "log-normal": lambda rng, n: np.exp(rng.normal(0.0, 1.5, n) - 1.125),
}


@pytest.mark.parametrize(
    ("law", "n", "q", "level", "least"),
    [
        ("gamma", 10, 1.0, 0.95, 0.0),
        ("log-normal", 30, 1.0, 0.95, 0.0),
        ("log-normal", 200, 1.0, 0.98, 0.0),
        ("gamma", 200, 0.8, 0.95, 0.94),
        ("gamma", 200, 1.25, 0.95, 0.94),
    ],
)
def test_a_claim_from_its_table_to_its_word(law, n, q, level, least):
    number = replicates(4000)
    rng = np.random.default_rng([11, n])
    common = rng.lognormal(0.0, 0.3, number * n)
    sides = [1.5 * q * common * LAWS[law](rng, number * n), common * LAWS[law](rng, number * n)]
    replicate, trial = (index.ravel() for index in np.indices((number, n)))
    shared = {"algorithm": "x", "trial": trial, "round": 100, "status": "ok"}
    tables = pd.concat(
        pd.DataFrame({**shared, "setting": [f"{name}{r}" for r in replicate], "regret": values})
        for name, values in zip("ab", sides, strict=True)
    )
    about = {"algorithm": "x", "column": "regret"}
    written = [
        claim_with(
            reading(
                check_of(
                    "column", "ratio", {**about, "setting": f"a{r}", "base": f"b{r}"}, "below", 1.5
                )
            ),
            id=f"toy.{r}",
            level=level,
        )
        for r in range(number)
    ]
    found = Counter(v.word for v in evaluate(document(*written), {"finals": tables}))
    right, wrong = ("reproduced", "not reproduced")[:: 1 if q <= 1 else -1]
    assert found[wrong] <= number * (ALPHA + spare(ALPHA, number))
    assert found[right] >= least * number
    if q == 1.0:
        assert found[right] <= number * (ALPHA + spare(ALPHA, number))
