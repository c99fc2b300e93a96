"""From p-values to words: each row of the table of words, at the edges of its errors."""

import math

import numpy as np
import pytest
import words_by_hand

from optimist.claims.rule import Tested as Known
from optimist.claims.rule import TestedReading as Conjunction
from optimist.claims.rule import conclude, holm, of_parts, turning

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
    return Known(check.support, check.refute, name, check.idle, check.praises)


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
    rest = Known(1.0, math.nan, "", praises=False)
    assert word([YES, rest]) == "open"
    assert word([*refutes(0.025), rest]) == "not reproduced"
    praised = Known(1.0, 0.025, praises=True)
    assert word([praised, rest]) == "not reproduced, stronger than claimed"


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


PRAISED = Known(1.0, 1e-9, praises=True)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ([[PRAISED]], "not reproduced, stronger than claimed"),
        ([[PRAISED, YES, OPEN]], "not reproduced, stronger than claimed"),
        ([[PRAISED], [PRAISED]], "not reproduced, stronger than claimed"),
        # One that fails on the other side, or that is no band, is enough for the plain word.
        ([[PRAISED, NO]], "not reproduced"),
        ([[PRAISED], [NO]], "not reproduced"),
        # On the side of praise, and not shown to be beyond the bound.
        ([[NO, Known(0.5, 0.5, praises=True)]], "not reproduced"),
        ([[PRAISED, Known(1.0, 0.0125 * ABOVE)]], "not reproduced"),
        ([[PRAISED, Known(1.0, 0.03)]], "not reproduced, stronger than claimed"),
        ([[PRAISED], [OPEN]], "doubted"),
        (
            [[part(PRAISED, "a"), part(YES, "b")]],
            "not reproduced in part, stronger than claimed",
        ),
    ],
)
def test_stronger_than_claimed(found, text):
    assert word(*found) == text


# Choices.


def separating(holding, failing, others=()):
    """Return what separates readings, each a text of the alternatives of choices a, b, c, ..."""
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
    p = np.exp(-rng.exponential(3.0, (3, *shape)))
    p[1] = np.where(rng.random(shape) < 0.5, p[1], 1.0)
    p[2] = np.where(rng.random(shape) < 0.4, 1e-3 * p[2], 1.0)
    found = [
        [Known(*one[:2], idle=one[2] if gates else math.nan) for one in zip(*checks, strict=True)]
        for checks in zip(*p.tolist(), strict=True)
    ]
    return readings(*found), (p[0], p[1], p[2] if gates else None)


@pytest.mark.parametrize("gates", [True, False])
def test_words_are_those_of_the_rule_written_again(gates):
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(3000):
        found, arrays = random_readings(rng, gates=gates)
        alpha = float(np.exp(rng.uniform(-5.0, -1.0)))
        arrays = [None if p is None else p[None] for p in arrays]
        holding, failing, active, (expected,) = words_by_hand.named(*arrays, alpha)
        concluded = conclude(found, alpha)
        assert concluded.word == expected
        if expected in ("depends", "supported", "doubted", "open"):
            sides = zip(holding[0], failing[0], active[0], strict=True)
            assert concluded.outcomes == {
                f"R{i}": "idle" if not on else "holds" if h else "fails" if f else "open"
                for i, (h, f, on) in enumerate(sides)
            }
        seen.add(expected)
    assert seen >= {*words_by_hand.WORDS} - (set() if gates else {"untestable"})


@pytest.mark.parametrize("gates", [True, False])
def test_a_word_changes_just_below_where_it_turns_and_nowhere_above(gates):
    rng = np.random.default_rng(2)
    turned = 0
    for _ in range(400):
        found, _ = random_readings(rng, gates=gates)
        own, end = conclude(found, ALPHA).word, turning(found, ALPHA)
        assert 0.0 <= end <= ALPHA
        # A hundred thousandth of a percent apart, where no other end lies between.
        if end:
            assert conclude(found, end * (1.0 - 1e-7)).word != own
            turned += 1
        above = np.geomspace(max(end * (1.0 + 1e-7), 1e-12), ALPHA, 100)
        assert {conclude(found, float(alpha)).word for alpha in above if alpha > end} <= {own}
    assert turned > 150


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
