"""From p-values to words: outcomes, words, and how often a word is wrong."""

import numpy as np
import pytest
from scipy.special import ndtr

from optimist.claims.logic import Conjunction, Part, bonferroni, conclude, holm, one_suffices

ALPHA = 0.025
YES, NO, OPEN = (1e-9, 1.0), (1.0, 1e-9), (0.5, 0.5)


def reading(*parts):
    """Return a reading from its parts, each a list of (p+, p-) of checks."""
    return Conjunction(
        tuple(
            Part(str(i), tuple(p for p, _ in checks), tuple(q for _, q in checks))
            for i, checks in enumerate(parts)
        )
    )


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([[YES], [YES, YES]], "holds"),
        ([[YES], [OPEN]], "undecided"),
        ([[YES], [NO]], "mixed"),
        ([[NO], [NO]], "fails"),
        ([[NO], [OPEN]], "fails"),
        ([[YES, NO]], "fails"),
    ],
)
def test_readings(parts, expected):
    assert reading(*parts).outcome(ALPHA) == expected


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        ([[[YES]], [[YES]]], "reproduced"),
        ([[[YES]], [[NO]]], "partly"),
        ([[[NO]], [[NO]]], "not reproduced"),
        ([[[NO]], [[OPEN]]], "undecided"),
        ([[[YES]], [[OPEN]]], "undecided"),
        ([[[YES], [NO]]], "partly"),
        ([[[YES, NO]]], "not reproduced"),
        ([[[OPEN], [NO]]], "not reproduced"),
        ([[[YES], [NO]], [[OPEN], [OPEN]]], "partly"),
    ],
)
def test_words(readings, expected):
    assert conclude([reading(*parts) for parts in readings], ALPHA) == expected


def test_no_correction_where_all_must_hold_and_one_where_one_decides():
    barely = (0.02, 0.98)
    assert reading(*[[barely]] * 12).outcome(ALPHA) == "holds"
    assert reading([(0.98, 0.02)] * 2).outcome(ALPHA) == "undecided"
    assert reading([(0.98, 0.02)]).outcome(ALPHA) == "fails"


def test_one_of_several_tunings_suffices():
    assert one_suffices([reading([YES]), reading([NO])]).outcome(ALPHA) == "holds"
    assert one_suffices([reading([NO]), reading([NO])]).outcome(ALPHA) == "fails"
    assert one_suffices([reading([OPEN]), reading([NO])]).outcome(ALPHA) == "undecided"
    # The best of three is chosen for its outcome.
    assert one_suffices([reading([(0.02, 0.98)])] * 3).outcome(ALPHA) == "undecided"


def test_holm_stops_where_bonferroni_would_go_on():
    p = [0.03, 0.001, 0.02, 0.9]
    assert holm(p) == pytest.approx([0.06, 0.004, 0.06, 0.9])
    assert bonferroni(p) == pytest.approx(0.004)
    assert holm([]) == []


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("truth", "readings", "word", "rate"),
    [
        ([0.0] + [5.0] * 11, 1, "reproduced", 0.025),
        ([0.0] * 4 + [-5.0] * 8, 3, "not reproduced", 0.025),
        ([-5.0] + [0.0] * 11, 1, "partly", 0.021),
        ([0.0, 5.0, 5.0], 3, "partly", 0.009),
    ],
)
@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_wrong_words_are_as_rare_as_they_should_be(truth, readings, word, rate, correlation):
    # Normal estimates, true and false by five standard errors or on the bound.
    rng = np.random.default_rng(2026)
    common = rng.standard_normal((4000, 1))
    own = rng.standard_normal((4000, len(truth)))
    z = np.sqrt(correlation) * common + np.sqrt(1.0 - correlation) * own + truth
    size = len(truth) // readings
    found = [
        conclude(
            [
                reading(*[[pair] for pair in pairs[i : i + size]])
                for i in range(0, len(pairs), size)
            ],
            ALPHA,
        )
        for pairs in (list(zip(ndtr(-row), ndtr(row), strict=True)) for row in z)
    ]
    wrong = np.mean(np.array(found) == word)
    assert wrong <= ALPHA + 0.007
    if correlation == 0.0:
        assert wrong == pytest.approx(rate, abs=0.01)
