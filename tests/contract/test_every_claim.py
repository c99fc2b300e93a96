"""What holds for every claim of every paper: its checks, and its words, can come out both ways."""

import math
import warnings

import pytest
from invented_tables import Invented, worlds

from optimist.claims.cells import Missing
from optimist.claims.checks import claims_of
from optimist.claims.gates import Gate, factor_of
from optimist.claims.guarantees import is_kept
from optimist.claims.inference import Exact
from optimist.claims.results import Result, p_values
from optimist.claims.results import tested_readings as readings_of
from optimist.claims.rule import conclude
from optimist.claims.tails import at_least
from optimist.config.load import claims_path, load_claims, paper_names

CLAIMS = [
    pytest.param(claim, id=claim.id)
    for name in paper_names()
    for claim in claims_of(load_claims(claims_path(name)))
]


def outcomes(claim, check):
    """Return the outcomes that a check has in some world, until there are both."""
    found = set()
    for world in worlds(check):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                cells = Invented(check.arguments, **world)
                evidence = check.metric(cells, **check.arguments)
                found |= outcome(claim, check, evidence)
        except Missing:
            continue
        if found >= {"holds", "fails"}:
            break
    return found


def outcome(claim, check, evidence):
    if claim.kind == "guarantee" and isinstance(evidence, Exact):
        return {"holds" if is_kept(check, evidence.value) else "fails"}
    if claim.kind == "guarantee":
        broken = evidence.n - evidence.successes
        rate = at_least(broken, evidence.n, 1.0 - check.bound)
        return {"fails" if rate <= claim.alpha else "holds"}
    support, refute = p_values(check, evidence)
    return {word for word, p in (("holds", support), ("fails", refute)) if p <= claim.alpha}


def kinds(claim):
    """Return the counted checks of a claim, one of each metric, relation and bound.

    What was not run has no outcome.
    """
    found = {}
    for reading in claim.readings:
        for check in (check for check in reading.counted if check.is_tested):
            found.setdefault((check.metric, check.relation, check.bound_text), check)
    return found.values()


@pytest.mark.parametrize("claim", CLAIMS)
def test_checks_can_come_out_both_ways(claim):
    for check in kinds(claim):
        found = outcomes(claim, check)
        assert found == {"holds", "fails"}, f"{check.label}: only {found or 'undecided'}"


def value_of(check, side):
    """Return a value that a check holds for, or one beyond its range on the side that is asked."""
    low, high = check.allowed
    ends = [end for end in (low, high) if math.isfinite(end)]
    if side == "holds":
        return sum(ends) / len(ends) + (0.0 if len(ends) == 2 else 1.0 if high > 1e300 else -1.0)
    is_above = check.better == "below" if check.better else math.isfinite(high)
    return max(ends) + 1.0 if is_above else min(ends) - 1.0


def word_of(claim, side, gated=1.0):
    """Return the word if all counted checks, or those of every other reading, are on a side."""
    results = []
    for number, reading in enumerate(r for r in claim.readings if r.counted):
        own = side if side != "half" else ("holds", "fails")[number % 2]
        for check in (c for c in reading.counted if c.relation is not None):
            value = value_of(check, own) if check.is_tested else math.nan
            has_gate = check.metric.gate and factor_of(check) > 1.0
            gate = Gate(factor_of(check), *((gated,) * 2), 1.0 - gated) if has_gate else None
            found = Result(check, reading, Exact(value), None, "", gate=gate)
            results.append(found.compared())
    return conclude(readings_of(results), claim.alpha).word


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.values[0].kind == "empirical"])
def test_words_can_come_out_both_ways(claim):
    """Through the readings of the claim, with gates that are open, and where nobody learns."""
    found = word_of(claim, "holds", gated=0.0), word_of(claim, "fails", gated=0.0)
    can_hold = all(check.is_tested for reading in claim.readings for check in reading.counted)
    # What was not run may fail, and cannot hold.
    assert found[0] in (("reproduced",) if can_hold else ("supported", "open"))
    assert found[1] == "not reproduced"
    number = len([reading for reading in claim.readings if reading.counted])
    if number > 1 and can_hold:
        assert word_of(claim, "half", gated=0.0) == "depends"
    checks = [check for reading in claim.readings for check in reading.counted]
    if all(check.metric.gate and factor_of(check) > 1.0 for check in checks):
        assert word_of(claim, "holds", gated=1.0) == "untestable"


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_say_what_readers_need(claim):
    assert claim.statement.endswith(".") and claim.place
    assert claim.headline
    for reading in claim.readings:
        assert reading.checks, f"{reading.name} has no check"
