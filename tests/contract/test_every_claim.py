"""Every claim of every paper: its checks and its words can come out both ways."""

import math
import re
import string
import warnings

import pytest
from invented_tables import Invented, worlds
from played_worlds import Worlds

from optimist.claims.cells import Missing
from optimist.claims.claim import Gate
from optimist.claims.effects import sentence
from optimist.claims.evidence import Exact
from optimist.claims.gates import factor_of
from optimist.claims.guarantees import is_kept
from optimist.claims.measurement import measure
from optimist.claims.results import Result, Verdict, p_values, readings_of
from optimist.claims.rule import BETTER, IDLE, conclude
from optimist.claims.tails import at_least
from optimist.config.load import load_paper, paper_names
from optimist.plan.claims import PlannedClaims

PAPERS = {name: load_paper(name) for name in paper_names()}
PLANNED = PlannedClaims(PAPERS, PAPERS, {})
CLAIMS = [pytest.param(claim, id=claim.id) for some in PLANNED.by_paper.values() for claim in some]


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

    A check whose cells were not run has no outcome.
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


# The same with gates, which other methods open, in worlds of trials with uniform play in them.

# Settings in which nobody plays uniformly, so that no check of regrets there decides. In all of
# them the units are splits of one data set.
LONELY = {
    *("breast_cancer_gb", "breast_cancer_mlp[own_initial=true]", "australian_rf", "diabetes_gb"),
}
# By the kind of a check, as `Worlds` says which are equal, and the error of its claim.
DECIDED = {}


def players(paper):
    """Return the methods that a paper's runs play in each setting."""
    found = {}
    for block in PAPERS[paper].runs:
        for setting in block.settings:
            found.setdefault(setting.label, set()).update(block.algorithms)
    return found


PLAYERS = {paper: players(paper) for paper in PAPERS}


def gated(claim):
    """Yield the counted checks of a claim that have gates, each with its reading and its worlds."""
    paper = claim.id.partition(".")[0]
    for reading in claim.readings if claim.kind == "empirical" else ():
        for check in reading.counted:
            if check.metric.gate:
                made = Worlds(claim, check, PLANNED.document(paper), PLAYERS[paper])
                yield reading, check, made


def decided(claim, reading, check, made):
    """Return the outcomes that a check with its gate has in some world, until there are both."""
    level, found = (1.0 - IDLE) * claim.alpha, set()
    for world in made:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            result = measure(claim, reading, check, made.gates(**world))
        assert result.outcome != "missing", result.remark
        sides = ("holds", result.support), ("fails", result.refute)
        found |= {word for word, p in sides if p <= level}
        if found == {"holds", "fails"}:
            break
    return found


@pytest.mark.parametrize("claim", CLAIMS)
def test_checks_with_their_gates_can_come_out_both_ways(claim):
    for reading, check, made in gated(claim):
        if any(home is None for home in made.homes.values()):
            assert {s for s, home in made.homes.items() if home is None} <= LONELY, check.label
            continue
        kind = made.kind, claim.alpha
        if kind not in DECIDED:
            DECIDED[kind] = decided(claim, reading, check, made)
        assert DECIDED[kind] == {"holds", "fails"}, f"{check.label}: only {DECIDED[kind]}"


def test_settings_without_uniform_play_are_those_that_are_listed():
    homes = [made.homes for claim in CLAIMS for *_, made in gated(claim.values[0])]
    assert {s for one in homes for s, home in one.items() if home is None} == LONELY


def value_of(check, side):
    """Return a value that a check holds for, or one beyond its range on the given side.

    Beyond the praising end of a band ("praised"); what has none holds then.
    """
    low, high = check.allowed
    ends = [end for end in (low, high) if math.isfinite(end)]
    if side == "praised" and check.unless_better is not check:
        return min(ends) - 1.0 if check.better == "below" else max(ends) + 1.0
    if side in ("holds", "praised"):
        return sum(ends) / len(ends) + (0.0 if len(ends) == 2 else 1.0 if high > 1e300 else -1.0)
    is_above = check.better == "below" if check.better else math.isfinite(high)
    return max(ends) + 1.0 if is_above else min(ends) - 1.0


def word_of(claim, side, gated=1.0):
    """Return the word if all counted checks, or all checks of every other reading, are on a side.

    If one alternative of a choice suffices, all of its alternatives are on the same side.
    """
    results, others = [], []
    for reading in (r for r in claim.readings if r.counted):
        taken = {k: v for k, v in reading.alternatives.items() if k != claim.suffices}
        others += [taken] if taken not in others else []
        number = others.index(taken) if claim.suffices else len(others) - 1
        own = side if side != "half" else ("holds", "fails")[number % 2]
        for check in (c for c in reading.counted if c.relation is not None):
            value = value_of(check, own) if check.is_tested else math.nan
            has_gate = check.metric.gate and factor_of(check) > 1.0
            gate = Gate(gated, gated, 1.0 - gated) if has_gate else None
            found = Result(check, reading, Exact(value), None, "", gate=gate)
            results.append(found.compared())
    return conclude(readings_of(claim, results), claim.alpha).word


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.values[0].kind == "empirical"])
def test_words_can_come_out_both_ways(claim):
    """Through the readings of the claim, with gates that are open, and where nobody learns."""
    found = word_of(claim, "holds", gated=0.0), word_of(claim, "fails", gated=0.0)
    can_hold = all(check.is_tested for reading in claim.readings for check in reading.counted)
    # A check whose cells were not run may fail, and cannot hold; another alternative may be enough.
    can_hold = can_hold or claim.suffices
    assert found[0] in (("reproduced",) if can_hold else ("supported", "open"))
    assert found[1] == "not reproduced"
    taken = [reading.alternatives for reading in claim.readings if reading.counted]
    others = {tuple(v for k, v in one.items() if k != claim.suffices) for one in taken}
    if len(others) > 1 and can_hold:
        assert word_of(claim, "half", gated=0.0) == "depends"
    readings = [reading.counted for reading in claim.readings if reading.counted]
    if all(any(c.unless_better is not c for c in checks) for checks in readings) and can_hold:
        assert word_of(claim, "praised", gated=0.0) == BETTER
    checks = [check for reading in claim.readings for check in reading.counted]
    if all(check.metric.gate and factor_of(check) > 1.0 for check in checks):
        assert word_of(claim, "holds", gated=1.0) == "untestable"


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_say_what_readers_need(claim):
    assert claim.statement.endswith(".") and claim.place
    assert claim.headline
    for reading in claim.readings:
        assert reading.checks, f"{reading.name} has no check"


@pytest.mark.parametrize("claim", CLAIMS)
def test_claims_have_the_words_of_the_paper_and_the_measured_answer(claim):
    assert 0 < len(claim.quote.split()) <= 40
    assert claim.effect is not None
    # Digits are in fields alone, whose numbers come from checks, and in names such as f1.
    parsed = [*string.Formatter().parse(claim.effect.text)]
    bare = " ".join(text for text, *_ in parsed)
    assert not re.search(r"(?<![A-Za-z0-9_])[0-9]", bare), bare
    named = {name.partition(".")[0] for _, name, *_ in parsed if name is not None}
    assert named == {*claim.effect.numbers}


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_effect_can_be_said(claim):
    titles = PLANNED.document(claim.id.partition(".")[0]).titles
    results = [
        Result(check, reading, Exact(0.5, 10), None, "")
        for reading in claim.readings
        for check in reading.checks
    ]
    text = sentence(Verdict(claim, "open", "", results), titles)
    assert text.endswith(".") and not re.search(r"[{}]|unmeasured|\bnan\b|\(\)", text)


# The papers' own figures.

FIGURES = [
    (paper, name) for paper in PAPERS for name in PAPERS[paper].figures if name[3:].isdecimal()
]
# Lines that this project added to them: a second way to time a method, and methods that know less
# of the noise.
OURS = {
    ("glb_omd", "fig4"): {"ofuglb[history=aggregated]"},
    ("hvt_ucb", "fig3"): {"hvt_ucb[scale=bound]", "oful[weighted=true]"},
}


def drawn(paper, name):
    """Return the labels of all algorithms that a figure draws."""
    panels = PAPERS[paper].figures[name]["panels"]
    series = [one for panel in panels for one in panel.get("series", ())]
    return {label for panel in panels for label in panel.get("algorithms", ())} | {
        one["algorithm"] for one in series if "algorithm" in one
    }


def is_in(place, number):
    """Return whether the place of a claim names a figure, such as "Figures 1 and 2" the second."""
    one = r"\d+(?: ?\([a-z, ]+\))?"
    lists = re.findall(rf"Figures? ({one}(?:(?:, | and ){one})*)", place)
    return number in re.findall(r"\d+", " ".join(lists))


@pytest.mark.parametrize(("paper", "name"), FIGURES)
def test_what_a_figure_of_the_paper_draws_is_in_a_check_of_a_claim_on_it(paper, name):
    claims = [one for one in PLANNED.by_paper[paper] if is_in(one.place, name[3:])]
    assert claims
    checked = {label for one in claims for check in one.all_checks for label in check.algorithms}
    assert drawn(paper, name) - checked == OURS.get((paper, name), set())


def test_figures_are_found_in_places():
    assert is_in("Section 5; Figures 1 and 2", "2") and is_in("Figure 2(b, c)", "2")
    assert is_in("Figure 1 (a, b); Table 3", "1") and not is_in("Figure 1 (a, b); Table 3", "3")
    assert not is_in("Section 2, last sentence", "2") and not is_in("Figure 12", "1")
