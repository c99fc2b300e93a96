"""The word for the typical trial: the sign test in place of means, for claims on heavy tails."""

import numpy as np
import pandas as pd
import pytest
from claim_tables import check_of, choice, decide, finals, reading
from scipy.stats import binom

from optimist.claims import pages
from optimist.claims.evidence import Exact, Mean, MedianRatio, RatioOfMeans, for_typical_trial
from optimist.claims.inference import from_logarithm, ratio_of_ratios
from optimist.claims.table import to_frame

SIDES = {"setting": "here", "numerator": "a", "denominator": "b"}
LABEL = "regret of a / b, here"


def rivals(relation="below", bound=0.8, statistic="ratio", arguments=SIDES, **keys):
    return check_of("regret", statistic, arguments, relation, bound, **keys)


def outlying(n=20, lost=1, uniform=3.0):
    """Regrets of a and b: half in all trials but the last ones, and by far more in those."""
    half = np.array([0.5] * (n - lost) + [200.0] * lost)
    means = {"a": half, "b": np.ones(n), "uniform": np.full(n, uniform)}
    jitter = 1.0 + 0.01 * (np.arange(n) % 5)
    return [finals("here", name, list(values * jitter)) for name, values in means.items()]


def verdict(*checks, n=20, lost=1, level=0.98, **keys):
    tables = {"finals": keys.pop("tables", None) or outlying(n, lost)}
    return decide(reading(*(checks or (rivals(),))), tables=tables, level=level, **keys)


def test_a_claim_that_one_trial_leaves_open_has_a_word_for_the_typical_trial():
    found = verdict()
    assert (found.word, found.typical) == ("open", "reproduced")
    # The word of the mean is the only one of its kind, and in the tally.
    (row,) = to_frame([found]).itertuples()
    assert (row.verdict, row.typical, row.method) == ("open", "reproduced", "Fieller")
    assert pages.tally(to_frame([found])).startswith("1 claim: 1 open.")
    assert "In the typical trial: reproduced." in pages.to_markdown(to_frame([found]), {})
    refuted = verdict(rivals("above", 1.25))
    assert refuted.typical == "not reproduced"


@pytest.mark.parametrize(
    ("level", "kind", "has"),
    [(0.98, "empirical", True), (0.99, "empirical", True), (0.95, "empirical", False)],
)
def test_only_claims_on_heavy_tails_have_it(level, kind, has):
    assert bool(verdict(level=level, kind=kind).typical) == has


def test_claims_that_compare_no_regrets_have_none():
    size = {"algorithm": "a", "column": "regret", "setting": "here"}
    assert verdict(check_of("column", "rate", size)).typical == ""
    assert verdict(kind="guarantee").typical == ""
    assert verdict(shortened="at most 2 trials").typical == ""
    assert verdict(rivals(), {**rivals("above"), "status": "ours"}).typical == "reproduced"
    lacking = [f for f in outlying() if (f["algorithm"] != "a").all()]
    assert (verdict(tables=lacking).word, verdict(tables=lacking).typical) == ("missing", "")


@pytest.mark.parametrize(
    ("n", "lost", "k"), [(10, 0, 0), (10, 1, 0), (19, 0, 0), (20, 2, 1), (20, 5, 1), (40, 9, 2)]
)
def test_it_is_decided_by_the_number_of_trials_on_a_side(n, lost, k):
    counted = 10 * 2**k
    tables = [f.iloc[:n] for f in outlying(counted, lost)]
    tables = [pd.concat([f, f.iloc[: n - counted].assign(trial=range(counted, n))]) for f in tables]
    first = [["toy.01", LABEL, "trials", 0, 100]]
    p = 2.0 ** (k + 1) * binom.cdf(lost, counted, 0.5)
    # At nine tenths of the error, and with too few trials for a word of the mean.
    found = verdict(tables=tables, first=first, about={"least": 100})
    assert found.word == "open"
    assert found.typical == ("reproduced" if p <= 0.9 * 0.01 else "open")


def test_it_counts_trials_from_the_first_of_its_check_on():
    first = [["toy.01", LABEL, "trials", 20, 100]]
    tables = outlying(40, 0)
    late = [f.assign(regret=f["regret"].where(f["trial"] < 20, 3.0)) for f in tables]
    assert verdict(tables=tables, first=first).typical == "reproduced"
    assert verdict(tables=late, first=first).typical != "reproduced"
    assert verdict(tables=[f.iloc[:29] for f in tables], first=first).typical == "open"


def test_ties_count_against_both_sides():
    ones = np.ones(20)
    # Five ties, and fifteen on one side: five of twenty are too many.
    sides = {"a": [0.5] * 15 + [0.8] * 5, "b": ones, "uniform": 3.0 * ones}
    tables = [finals("here", name, list(values)) for name, values in sides.items()]
    assert verdict(rivals("below", 0.8), tables=tables).typical == "open"
    assert verdict(rivals("above", 0.8), tables=tables).typical == "open"
    assert verdict(rivals("below", 0.81), tables=tables).typical == "reproduced"


def test_its_gate_is_a_sign_test_too():
    # On average uniform play is much worse, and in the typical trial it is not.
    rare = np.where(np.arange(20) < 19, 1.1, 1e3)
    values = {"a": [0.5] * 20, "b": [1.0] * 20, "uniform": list(rare)}
    tables = [finals("here", name, regrets) for name, regrets in values.items()]
    low = {**SIDES, "numerator": "b", "denominator": "a"}
    assert verdict(rivals("above", 1.9, arguments=low), tables=tables).typical == "reproduced"
    # Nobody has less than a third of uniform play's regret in more than half of the trials.
    found = verdict(rivals("below", 0.3), tables=tables)
    assert found.typical == "not reproduced"  # at the cap of 2, which a beats
    tables[2] = finals("here", "uniform", [0.9] * 20)
    assert verdict(rivals("below", 0.5), tables=tables).typical == "untestable"


@pytest.mark.parametrize(("beaten", "opens"), [(20, True), (18, True), (17, False)])
def test_its_gate_needs_uniform_play_to_be_beaten_in_most_trials(beaten, opens):
    uniform = [3.0] * beaten + [0.1] * (20 - beaten)
    values = {"a": [0.5] * 20, "b": [1.0] * 20, "uniform": uniform}
    tables = [finals("here", name, regrets) for name, regrets in values.items()]
    # Four times P(Bin(20, 1/2) <= lost), over two methods: 0.0016 for 2 lost, 0.0103 for 3.
    found = verdict(rivals("below", 0.8), tables=tables)
    assert found.typical == ("reproduced" if opens else "open")


def test_it_has_the_qualifiers_of_the_rule():
    names = {"nu": "a", "sd": "c"}
    tables = [*outlying(), finals("here", "c", [5.0] * 20)]
    written = [
        {
            **reading(rivals(arguments={**SIDES, "numerator": top}), name=name),
            "alternatives": {"radius": name},
        }
        for name, top in names.items()
    ]
    choices = {"radius": choice("radius", *names)}
    found = decide(*written, tables={"finals": tables}, level=0.98, choices=choices)
    assert found.typical == "depends on radius"
    band = rivals("between", [0.8, 1.25], better="below")
    assert verdict(band).typical == "better than claimed"


def test_what_becomes_of_evidence():
    y, x = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 4.0])
    found = for_typical_trial(RatioOfMeans(y, x))
    assert isinstance(found, MedianRatio) and found.value == 1.0
    # A ratio of ratios of means is one of products in each trial.
    columns = np.random.default_rng(1).gamma(4.0, 0.25, (4, 40))
    grown = for_typical_trial(ratio_of_ratios(*columns))
    a, b, c, d = columns
    assert isinstance(grown, MedianRatio)
    np.testing.assert_allclose(grown.ratios, np.sort(a / b / (c / d)))
    for other in (Mean(y), Exact(1.0), from_logarithm(Mean(y), "t"), MedianRatio(y, x)):
        assert for_typical_trial(other) is other
