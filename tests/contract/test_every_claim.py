"""What holds for every claim of every paper: its checks can come out both ways."""

import warnings
from types import SimpleNamespace

import pytest
from invented_tables import Invented, worlds

from optimist.claims.cells import Missing
from optimist.claims.checks import claims_of
from optimist.claims.guarantees import is_kept
from optimist.claims.inference import Exact
from optimist.claims.metrics import metric
from optimist.claims.results import p_values
from optimist.claims.tails import at_least
from optimist.plan.config import claims_path, load_claims, paper_names

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
                evidence = metric(check.metric)(cells, **check.arguments).evidence
                found |= outcome(claim, check, evidence)
        except Missing:
            continue
        if found >= {"holds", "fails"}:
            break
    return found


def outcome(claim, check, evidence):
    if claim.kind == "guarantee" and isinstance(evidence, Exact):
        result = SimpleNamespace(measurement=SimpleNamespace(evidence=evidence))
        return {"holds" if is_kept(result, check) else "fails"}
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
        for check in (check for check in reading.counted if check.metric != "not_run"):
            found.setdefault((check.metric, check.relation, check.bound_text), check)
    return found.values()


@pytest.mark.parametrize("claim", CLAIMS)
def test_checks_can_come_out_both_ways(claim):
    for check in kinds(claim):
        found = outcomes(claim, check)
        assert found == {"holds", "fails"}, f"{check.label}: only {found or 'undecided'}"


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_say_what_readers_need(claim):
    assert claim.statement.endswith(".") and claim.place
    assert claim.headline
    for reading in claim.readings:
        assert reading.checks, f"{reading.name} has no check"
