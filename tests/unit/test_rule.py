"""From p-values to words: each row of the table of words, at the edges of its errors."""

import math
from dataclasses import replace

import numpy as np
import pytest
import words_by_hand

from optimist.claims.rule import BETTER, DECIDED, any_of, conclude, holm, of_parts, turning
from optimist.claims.rule import Tested as Known
from optimist.claims.rule import TestedReading as Conjunction
from optimist.claims.rule import sufficient as joined

ALPHA = 0.025
ABOVE = 1.0 + 1e-9  # just above a level
YES, NO, OPEN = Known(1e-9, 1.0), Known(1.0, 1e-9), Known(0.5, 0.5)
# With a gate: everything is tested at 0.0225, and a check is idle up to 0.0025.
HOLDS, FAILS = Known(1e-9, 1.0, idle=1.0), Known(1.0, 1e-9, idle=1.0)
IDLE = Known(1.0, 1.0, idle=1e-9)


def readings(*found, **taken):
    """Return readings from lists of checks; ``taken`` has their alternatives of each choice."""
    return [
        Conjunction(f"R{i}", tuple(checks), {k: v[i] for k, v in taken.items()})
        for i, checks in enumerate(found)
    ]


def word(*found):
    return conclude(readings(*found), ALPHA).text


def part(check, name):
    return replace(check, part=name)


@pytest.mark.parametrize(
    ("found", "text", "outcomes"),
    [
        ([[YES]], "reproduced", "h"),
        ([[YES, YES], [YES]], "reproduced", "hh"),
        ([[HOLDS], [IDLE, IDLE]], "reproduced where testable", "hi"),
        ([[HOLDS, IDLE], [HOLDS]], "reproduced where testable", "hh"),
        ([[NO]], "not reproduced", "f"),
        ([[NO, YES], [NO, OPEN]], "not reproduced", "ff"),
        ([[FAILS], [IDLE]], "not reproduced", "fi"),
        ([[FAILS, IDLE]], "not reproduced", "f"),
        ([[YES], [NO]], "depends", "hf"),
        ([[YES], [NO], [OPEN]], "depends", "hfo"),
        ([[HOLDS], [FAILS], [IDLE]], "depends", "hfi"),
        ([[YES], [OPEN]], "supported", "ho"),
        ([[HOLDS], [HOLDS, OPEN], [IDLE]], "supported", "hoi"),
        ([[NO], [OPEN]], "doubted", "fo"),
        ([[OPEN], [FAILS], [IDLE]], "doubted", "ofi"),
        ([[OPEN]], "open", "o"),
        ([[YES, OPEN]], "open", "o"),
        ([[OPEN], [OPEN]], "open", "oo"),
        ([[Known(0.5, 0.5, idle=1.0)], [IDLE]], "open", "oi"),
        ([[IDLE]], "untestable", "i"),
        ([[IDLE, IDLE], [IDLE]], "untestable", "ii"),
    ],
)
def test_each_word_of_the_table(found, text, outcomes):
    concluded = conclude(readings(*found), ALPHA)
    names = {"h": "holds", "f": "fails", "o": "open", "i": "idle"}
    assert concluded.text == text
    assert concluded.outcomes == {f"R{i}": names[o] for i, o in enumerate(outcomes)}


def supports(*values, idle=math.nan):
    return [Known(p, 1.0, idle=idle) for p in values]


def refutes(*values, idle=math.nan):
    return [Known(1.0, p, idle=idle) for p in values]


@pytest.mark.parametrize(
    ("found", "edge", "inside", "outside"),
    [
        # All checks must hold: no correction. One suffices to fail: m p.
        (lambda p: [supports(p)], 0.025, "reproduced", "open"),
        (lambda p: [supports(p, p, p)], 0.025, "reproduced", "open"),
        (lambda p: [supports(p), supports(p)], 0.025, "reproduced", "open"),
        (lambda p: [refutes(p)], 0.025, "not reproduced", "open"),
        (lambda p: [refutes(p, 1.0)], 0.0125, "not reproduced", "open"),
        (lambda p: [refutes(p), refutes(p)], 0.025, "not reproduced", "open"),
        # Holm over all readings: the smallest of r times r.
        (lambda p: [supports(p), [OPEN]], 0.0125, "supported", "open"),
        (lambda p: [refutes(p), [OPEN], [OPEN], [OPEN]], 0.00625, "doubted", "open"),
        (lambda p: [refutes(p, 1.0), [OPEN]], 0.00625, "doubted", "open"),
        (lambda p: [supports(p), [NO]], 0.0125, "depends", "doubted"),
        # The second of three that hold is tested at half of alpha, and the first at a third.
        (lambda p: [supports(p), [YES], [NO]], 0.0125, "depends", "depends"),
        # With gates everything is tested at nine tenths, and idle ones count in r and in m.
        (lambda p: [supports(p, idle=1.0)], 0.0225, "reproduced", "open"),
        (lambda p: [refutes(p, idle=1.0)], 0.0225, "not reproduced", "open"),
        (lambda p: [[*refutes(p, idle=1.0), IDLE]], 0.01125, "not reproduced", "open"),
        (lambda p: [supports(p, idle=1.0), [OPEN], [IDLE]], 0.0075, "supported", "open"),
        (lambda p: [supports(p), [HOLDS]], 0.0225, "reproduced", "supported"),
        # A tenth of alpha for what is idle.
        (lambda p: [[HOLDS], [Known(1.0, 1.0, idle=p)]], 0.0025, None, "supported"),
        (lambda p: [[HOLDS, Known(0.5, 0.5, idle=p)]], 0.0025, None, "open"),
        (lambda p: [[Known(0.5, 0.5, idle=p)]], 0.0025, "untestable", "open"),
    ],
)
def test_errors_at_their_edges(found, edge, inside, outside):
    # 0.9 * 0.025 is 0.0225 up to rounding, so that a hair below it is on its level too.
    assert word(*found(edge / ABOVE)) == (inside or "reproduced where testable")
    assert word(*found(edge * ABOVE)) == outside


def test_a_p_value_at_the_level_is_decided():
    assert word(supports(ALPHA)) == "reproduced" and word(refutes(ALPHA)) == "not reproduced"
    assert word([Known(1.0, 1.0, idle=0.1 * ALPHA)]) == "untestable"


def test_holm_by_hand():
    assert holm([0.03, 0.001, 0.02, 0.9]) == pytest.approx([0.06, 0.004, 0.06, 0.9])
    assert holm([0.01, 1.0, 0.02]) == pytest.approx([0.03, 1.0, 0.04])
    assert holm([]) == []
    second = conclude(readings(supports(0.0125 * ABOVE), [YES], [NO]), ALPHA)
    assert list(second.outcomes.values()) == ["open", "holds", "fails"]


def test_what_was_not_run_cannot_hold_and_weakens_no_failure():
    rest = Known(1.0, math.nan)
    assert word([YES, rest]) == "open"
    assert word([*refutes(0.025), rest]) == "not reproduced"
    assert word([PRAISED, rest]) == "not reproduced"


# Qualifiers.


@pytest.mark.parametrize(
    ("found", "text", "held"),
    [
        ([[part(YES, "a"), part(NO, "b")]], "not reproduced in part", ("a",)),
        ([[part(YES, "a"), part(OPEN, "b"), part(NO, "c")]], "not reproduced in part", ("a",)),
        # In every active reading that has it.
        ([[part(YES, "a"), part(NO, "b")], [part(OPEN, "a"), part(NO, "b")]], "not reproduced", ()),
        ([[part(YES, "a"), part(NO, "b")], [part(NO, "b")]], "not reproduced in part", ("a",)),
        (
            [[part(HOLDS, "a"), part(FAILS, "b")], [part(IDLE, "a"), part(IDLE, "b")]],
            "not reproduced in part",
            ("a",),
        ),
        ([[part(HOLDS, "a"), part(FAILS, "b")], [part(IDLE, "a"), part(FAILS, "b")]], *[""] * 2),
        # All of a part, and a part that is all of the claim is none.
        ([[part(YES, "a"), part(NO, "a")]], "not reproduced", ()),
        # Bonferroni over two parts.
        (
            [[Known(0.0125, 1.0, "a"), part(NO, "b")]],
            "not reproduced in part",
            ("a",),
        ),
        ([[Known(0.0125 * ABOVE, 1.0, "a"), part(NO, "b")]], "not reproduced", ()),
    ],
)
def test_in_part(found, text, held):
    concluded = conclude(readings(*found), ALPHA)
    assert (concluded.text, concluded.parts) == (text or "not reproduced", held or ())


# Better than claimed: it fails, and holds without the ends of its bands that are worth praise.

# Beyond the praising end of a band.
PRAISED = Known(1.0, 1e-9, relaxed=1e-9)
PRAISED_WITH_GATE = replace(PRAISED, idle=1.0)


@pytest.mark.parametrize(
    ("found", "text", "outcomes"),
    [
        ([[PRAISED]], BETTER, "f"),
        ([[PRAISED, YES]], BETTER, "f"),
        ([[PRAISED, PRAISED], [PRAISED, YES]], BETTER, "ff"),
        ([[PRAISED_WITH_GATE, IDLE], [IDLE]], BETTER, "fi"),
        # Beside a check that fails on the other side, or that has no band.
        ([[PRAISED, NO]], "not reproduced", "f"),
        ([[PRAISED, Known(1.0, 1e-9, relaxed=1.0)]], "not reproduced", "f"),
        ([[PRAISED], [NO]], "not reproduced", "ff"),
        # What is open without the praising end is not shown to be as good as claimed.
        ([[PRAISED, OPEN]], "not reproduced", "f"),
        ([[PRAISED], [Known(1.0, 1e-9, relaxed=0.5)]], "not reproduced", "ff"),
        # All readings have to fail.
        ([[PRAISED], [OPEN]], "doubted", "fo"),
        ([[PRAISED], [Known(0.5, 0.5, relaxed=1e-9)]], "doubted", "fo"),
        ([[PRAISED], [YES]], "depends", "fh"),
        ([[Known(0.5, 0.5, relaxed=1e-9)]], "open", "o"),
        # No part of it has to hold, and none is named.
        ([[part(PRAISED, "a"), part(YES, "b")]], BETTER, "f"),
        ([[part(PRAISED, "a"), part(OPEN, "b")]], "not reproduced", "f"),
        ([[part(NO, "a"), part(PRAISED, "b"), part(YES, "c")]], "not reproduced in part", "f"),
    ],
)
def test_better_than_claimed(found, text, outcomes):
    concluded = conclude(readings(*found), ALPHA)
    names = {"h": "holds", "f": "fails", "o": "open", "i": "idle"}
    assert concluded.text == text
    assert concluded.outcomes == {f"R{i}": names[o] for i, o in enumerate(outcomes)}


def praised(p, idle=math.nan):
    return Known(1.0, 1e-9, relaxed=p, idle=idle)


@pytest.mark.parametrize(
    ("found", "edge"),
    [
        # Both of all readings: no correction.
        (lambda p: [[praised(p)]], 0.025),
        (lambda p: [[praised(p), praised(p)], [praised(p)]], 0.025),
        (lambda p: [[praised(p, idle=1.0)], [IDLE]], 0.0225),
        (lambda p: [[PRAISED, Known(p, 1.0)]], 0.025),
    ],
)
def test_better_than_claimed_at_its_edges(found, edge):
    assert word(*found(edge / ABOVE)) == BETTER
    assert word(*found(edge * ABOVE)) == "not reproduced"


def test_better_than_claimed_is_a_word_of_its_own_before_not_reproduced():
    assert DECIDED.index(BETTER) < DECIDED.index("not reproduced")
    found = readings([PRAISED])
    assert (conclude(found, ALPHA).word, conclude(found, ALPHA).qualifiers) == (BETTER, ())
    words = {
        name: one.word for name, one in of_parts(readings([part(PRAISED, "a")]), ALPHA).items()
    }
    assert words == {"a": BETTER}


# One suffices.


def tunings(*found, others=("",)):
    """Return readings of K tunings in each alternative of another choice, joined by the rule."""
    size = len(found) // len(others)
    taken = [{"tuning": str(i % size), "other": others[i // size]} for i in range(len(found))]
    known = [Conjunction(f"R{i}", tuple(c), taken[i]) for i, c in enumerate(found)]
    return joined(known, "tuning")


def one_of(*found, **keys):
    return conclude(tunings(*found, **keys), ALPHA).text


# bkb.07: P and Q of nine tunings in 40 trials, three of which fail by far.
TUNED_P = [1.0, 0.0281, 1.0, 1.0, 1.0, 0.0116, 1.0, 0.436, 1.0]
TUNED_Q = [2.6e-21, 1.0, 1.0, 2.6e-21, 1.2e-7, 1.0, 1.0, 1.0, 1.0]


def test_nine_tunings_of_which_one_suffices():
    pairs = [*zip(TUNED_P, TUNED_Q, strict=True)]
    (found,) = tunings(*([Known(p, q, idle=1.0)] for p, q in pairs))
    assert found.support(ALPHA) == pytest.approx(9 * 0.0116) == pytest.approx(0.104, abs=5e-4)
    assert (found.refute(ALPHA), found.is_active(ALPHA), found.name) == (1.0, True, "")
    assert conclude([found], ALPHA).text == "open"
    # As readings of their own, tunings that nobody defends would raise doubts.
    assert word(*([Known(p, q, idle=1.0)] for p, q in pairs)) == "doubted"


def test_one_of_nine_that_holds_has_to_hold_at_a_ninth_of_the_error():
    rest = [refutes(1e-9)] * 8
    edge = ALPHA / 9
    assert one_of(supports(edge / ABOVE), *rest) == "reproduced"
    assert one_of(supports(edge * ABOVE), *rest) == "open"
    gated = [refutes(1e-9, idle=1.0)] * 8
    assert one_of(*gated, supports(0.9 * edge / ABOVE, idle=1.0)) == "reproduced"
    assert one_of(*gated, supports(0.9 * edge * ABOVE, idle=1.0)) == "open"


def test_all_have_to_fail():
    assert one_of(*[refutes(ALPHA)] * 9) == "not reproduced"
    assert one_of(*[refutes(ALPHA)] * 8, refutes(ALPHA * ABOVE)) == "open"
    # Each by Bonferroni over its own checks.
    assert one_of(refutes(ALPHA), refutes(ALPHA / 2, 1.0)) == "not reproduced"
    assert one_of(refutes(ALPHA), refutes(ALPHA / 2 * ABOVE, 1.0)) == "open"
    assert one_of([PRAISED], [PRAISED]) == BETTER
    # One of two that is as good without the praising end is enough for that.
    assert one_of([PRAISED], [NO]) == BETTER
    assert one_of([praised(ALPHA / 2 * ABOVE)], [NO]) == "not reproduced"


def test_they_are_idle_only_if_all_of_them_are():
    assert one_of([IDLE], [IDLE, IDLE]) == "untestable"
    # An idle tuning cannot fail, so that the claim cannot, but one of the others may hold.
    assert one_of([IDLE], [FAILS]) == "open"
    assert one_of([IDLE], [HOLDS]) == "reproduced where testable"
    assert one_of([IDLE], supports(0.0225 / 2 * ABOVE, idle=1.0)) == "open"


def test_what_was_not_run_counts_among_the_alternatives_and_may_fail_by_its_other_check():
    rest = Known(1.0, math.nan)
    assert one_of(supports(ALPHA / 2 / ABOVE), [rest, NO]) == "reproduced"
    assert one_of(supports(ALPHA / 2 * ABOVE), [rest, NO]) == "open"
    assert one_of([NO], [rest, NO]) == "not reproduced"
    assert one_of([NO], [rest, OPEN]) == "open"


def test_other_choices_have_readings_of_one_that_suffices_each():
    found = tunings([YES], [NO], [NO], [NO], others=("x", "y"))
    assert [(r.name, dict(r.alternatives), len(r.members)) for r in found] == [
        ("x", {"other": "x"}, 2),
        ("y", {"other": "y"}, 2),
    ]
    concluded = conclude(found, ALPHA)
    assert concluded.text == "depends on other"
    assert concluded.outcomes == {"x": "holds", "y": "fails"}
    assert one_of([YES], [NO], [NO], [OPEN], others=("x", "y")) == "supported"
    plain = [Conjunction("R", (YES,), {"tuning": "1"})]
    assert joined(plain, "") == plain


def test_parts_of_what_suffices_have_words_of_their_own():
    found = tunings([part(YES, "a"), part(NO, "b")], [part(NO, "a"), part(NO, "b")])
    words = {name: one.text for name, one in of_parts(found, ALPHA).items()}
    assert words == {"a": "reproduced", "b": "not reproduced"}
    # Both tunings fail, as each lacks a part.
    concluded = conclude(found, ALPHA)
    assert (concluded.text, concluded.parts) == ("not reproduced in part", ("a",))


def test_where_a_word_of_one_that_suffices_turns():
    found = tunings(supports(0.001), supports(0.002), [NO])
    assert turning(found, ALPHA) == pytest.approx(0.003)
    assert turning(tunings(refutes(0.004), refutes(0.007)), ALPHA) == pytest.approx(0.007)


# One check of several suffices.


def test_of_checks_the_smallest_p_value_times_their_number_supports_and_the_largest_refutes():
    found = any_of([Known(0.01, 0.9, "a"), Known(0.4, 0.2, "a"), Known(1.0, 0.03, "a")])
    assert (found.support, found.refute, found.part) == (pytest.approx(0.03), 0.9, "a")
    assert math.isnan(found.idle) and found.unless_better == found.support
    assert any_of([Known(0.5, 0.5)] * 3).support == 1.0
    assert word([any_of(supports(ALPHA / 3 / ABOVE, 1.0, 1.0))]) == "reproduced"
    assert word([any_of(supports(ALPHA / 3 * ABOVE, 1.0, 1.0))]) == "open"
    assert word([any_of(refutes(ALPHA, ALPHA))]) == "not reproduced"
    assert word([any_of(refutes(ALPHA, ALPHA * ABOVE))]) == "open"
    # It is one check of its reading: of two, each may fail at half of the error.
    assert word([any_of([NO, *refutes(ALPHA / 2)]), YES]) == "not reproduced"
    assert word([any_of([NO, *refutes(ALPHA / 2 * ABOVE)]), YES]) == "open"


def test_checks_of_which_one_suffices_are_idle_if_all_are():
    assert any_of([IDLE, Known(0.5, 0.5, idle=0.2)]).idle == 0.2
    assert any_of([IDLE, Known(1.0, 1.0, idle=1e-5)]).is_idle(ALPHA)
    # A check without a gate, such as one of times, is never idle.
    assert math.isnan(any_of([IDLE, YES]).idle)
    assert word([any_of([IDLE, IDLE])]) == "untestable"
    assert word([any_of([IDLE, HOLDS])]) == "reproduced"


def test_of_checks_that_suffice_one_without_the_praising_end_is_enough():
    found = any_of([praised(0.02), Known(0.9, 1e-9)])
    assert (found.support, found.unless_better) == (1.0, pytest.approx(0.04))
    assert word([any_of([praised(ALPHA / 2), NO])]) == BETTER
    assert word([any_of([praised(ALPHA / 2 * ABOVE), NO])]) == "not reproduced"


def test_what_was_not_run_is_no_check_that_could_refute():
    rest = Known(1.0, math.nan)
    found = any_of([rest, Known(0.01, 0.3)])
    assert (found.support, found.refute) == (pytest.approx(0.02), 0.3)
    assert math.isnan(any_of([rest, rest]).refute)


# Choices.


def separating(holding, failing, others=()):
    """Return the choices that separate readings, each a text of alternatives of a, b, c, ..."""
    texts = [*holding, *failing, *others]
    checks = [[YES]] * len(holding) + [[NO]] * len(failing) + [[OPEN]] * len(others)
    taken = {name: [text[i] for text in texts] for i, name in enumerate("abcd"[: len(texts[0])])}
    concluded = conclude(readings(*checks, **taken), ALPHA)
    assert concluded.word == "depends"
    return concluded.separating


@pytest.mark.parametrize(
    ("holding", "failing", "expected"),
    [
        # The only choice.
        (["0"], ["1"], ["a"]),
        # One of two, by all four combinations; its alternatives may be many.
        (["00", "01"], ["10", "11"], ["a"]),
        (["00", "10"], ["01", "11", "02"], ["b"]),
        # Two that tell the same.
        (["00"], ["11"], ["a", "b"]),
        (["000", "001"], ["110", "111"], ["a", "b"]),
        # Only both together: exclusive or, and one corner.
        (["00", "11"], ["01", "10"], ["ab"]),
        (["11"], ["00", "01", "10"], ["ab"]),
        # Two pairs of three choices.
        (["011", "100"], ["000", "111"], ["ab", "ac"]),
        (["0000"], ["1100", "0011"], ["ac", "ad", "bc", "bd"]),
    ],
)
def test_the_smallest_sets_of_choices_that_separate(holding, failing, expected):
    assert separating(holding, failing) == tuple(map(tuple, expected))
    # Readings that are open separate nothing.
    width = len(holding[0])
    assert separating(holding, failing, ["9" * width]) == tuple(map(tuple, expected))


def test_a_choice_that_a_reading_has_not_is_an_alternative_of_its_own():
    one, other = Conjunction("R0", (YES,), {"a": "0"}), Conjunction("R1", (NO,), {})
    assert conclude([one, other], ALPHA).separating == (("a",),)
    assert conclude(readings([YES], [NO]), ALPHA).separating == ()


# Parts.


def test_parts_have_words_of_their_own_by_the_readings_that_have_them():
    found = readings(
        [part(HOLDS, "a"), part(FAILS, "b"), part(IDLE, "c")],
        [part(HOLDS, "a"), part(HOLDS, "b")],
        # At 0.0225 of two readings, though no check of the part has a gate.
        [Known(0.01125 * ABOVE, 1.0, "d"), part(OPEN, "a")],
        [part(OPEN, "d")],
    )
    words = {name: one.text for name, one in of_parts(found, ALPHA).items()}
    assert words == {"a": "supported", "b": "depends", "c": "untestable", "d": "open"}


# Where a word changes, and the rule written again.


def random_readings(rng, *, gates=True):
    """Return readings with as many checks each, and their p-values as arrays."""
    shape = rng.integers(1, 5), rng.integers(1, 4)
    p = np.exp(-rng.exponential(3.0, (4, *shape)))
    p[1] = np.where(rng.random(shape) < 0.5, p[1], 1.0)
    p[2] = np.where(rng.random(shape) < 0.4, 1e-3 * p[2], 1.0)
    # Half of the checks have a praising end; without it they hold at least as well.
    p[3] = np.where(rng.random(shape) < 0.5, p[0] * p[3], p[0])
    found = [
        [
            Known(*one[:2], idle=one[2] if gates else math.nan, relaxed=one[3])
            for one in zip(*checks, strict=True)
        ]
        for checks in zip(*p.tolist(), strict=True)
    ]
    return readings(*found), (p[0], p[1], p[2] if gates else None), p[3]


@pytest.mark.parametrize("suffices", [False, True])
@pytest.mark.parametrize("gates", [True, False])
def test_words_are_those_of_the_rule_written_again(gates, suffices):
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(3000):
        found, arrays, relaxed = random_readings(rng, gates=gates)
        alpha = float(np.exp(rng.uniform(-5.0, -1.0)))
        arrays = [None if p is None else p[None] for p in arrays]
        size = 1
        if suffices:  # of pairs of readings, or of all if they are odd
            size = 2 if len(found) % 2 == 0 else len(found)
            taken = [{"other": str(i // size), "one": str(i % size)} for i in range(len(found))]
            named = [replace(r, alternatives=a) for r, a in zip(found, taken, strict=True)]
            found = joined(named, "one")
        holding, failing, active, (expected,) = words_by_hand.named(
            *arrays, alpha, relaxed[None], size
        )
        concluded = conclude(found, alpha)
        assert concluded.word == expected
        if expected in ("depends", "supported", "doubted", "open"):
            sides = zip(holding[0], failing[0], active[0], strict=True)
            assert [concluded.outcomes[r.name] for r in found] == [
                "idle" if not on else "holds" if h else "fails" if f else "open"
                for h, f, on in sides
            ]
        seen.add(expected)
    assert seen >= {*words_by_hand.WORDS} - (set() if gates else {"untestable"})


@pytest.mark.parametrize("suffices", [False, True])
@pytest.mark.parametrize("gates", [True, False])
def test_a_word_changes_just_below_where_it_turns_and_nowhere_above(gates, suffices):
    rng = np.random.default_rng(2)
    turned = 0
    for _ in range(400):
        found, _, _ = random_readings(rng, gates=gates)
        if suffices:
            found = tunings(*(r.checks for r in found))
        own, end = conclude(found, ALPHA).word, turning(found, ALPHA)
        assert 0.0 <= end <= ALPHA
        # A hundred thousandth of a percent apart, where no other end lies between.
        if end:
            assert conclude(found, end * (1.0 - 1e-7)).word != own
            turned += 1
        above = np.geomspace(max(end * (1.0 + 1e-7), 1e-12), ALPHA, 100)
        assert {conclude(found, float(alpha)).word for alpha in above if alpha > end} <= {own}
    assert turned > (80 if suffices else 150)


def test_where_a_word_turns_by_hand():
    assert turning(readings([Known(0.01, 1.0)]), ALPHA) == pytest.approx(0.01)
    assert turning(readings(supports(ALPHA)), ALPHA) == ALPHA
    assert turning(readings(refutes(0.004, 1.0)), ALPHA) == pytest.approx(0.008)
    assert turning(readings(supports(0.004), [OPEN]), ALPHA) == pytest.approx(0.008)
    assert turning(readings(supports(0.009, idle=1.0)), ALPHA) == pytest.approx(0.01)
    # The second of two that hold is tested at the whole error, and the first at half of it.
    assert turning(readings(supports(0.002), supports(0.02), [NO]), ALPHA) == pytest.approx(0.006)
    assert turning(readings(supports(0.02), supports(0.002)), ALPHA) == pytest.approx(0.02)
    # Two checks are idle that would be open: the first comes back at ten times its p-value.
    idle = [Known(0.5, 1.0, idle=0.0012), Known(0.4, 1.0, idle=0.0021)]
    assert turning(readings([HOLDS, *idle]), ALPHA) == pytest.approx(0.021)
    # It is idle up to a tenth of the error.
    assert turning(readings([Known(1.0, 1.0, idle=0.002)]), ALPHA) == pytest.approx(0.02)
    # Nothing changes an open word below alpha, nor one without any error.
    assert turning(readings([OPEN]), ALPHA) == turning(readings([Known(0.0, 1.0)]), ALPHA) == 0.0
