"""Verdicts on claims, computed from tables: first the outcomes of checks, then the words."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from optimist.claims import guarantees, rule
from optimist.claims.cells import Groups
from optimist.claims.claim import READINGS, Claim, PaperClaims
from optimist.claims.first import of_document
from optimist.claims.gates import Gates
from optimist.claims.measurement import measure
from optimist.claims.results import (
    Result,
    Verdict,
    concluded,
    error_of,
    exact_p_values,
    readings_of,
)
from optimist.claims.vague import own_intervals
from optimist.claims.wording import number

# The largest number of readings with the same outcome to name in an explanation.
SHOWN = 3
# The explanation of an untestable claim or an idle reading.
IDLE = "no method beats uniform play by the factor that the claim names"
# Claims of at least this level are about heavy-tailed regrets. They get a word for the typical
# trial, too.
TYPICAL_LEVEL = 0.98


def evaluate(
    document: PaperClaims, tables: Mapping[str, object], shortened: str = ""
) -> list[Verdict]:
    """Return a `Verdict` for every claim.

    Parameters
    ----------
    document : PaperClaims
    tables : dict of str to pandas.DataFrame or None
        ``finals`` (setting, algorithm, trial, round, regret, status, covered, counters), ``times``
        (setting, algorithm, trial, round, seconds, status, turns, state_bytes, and for probes
        selections and agreements), ``facts`` (name, setting, value), and the tables of studies by
        name. If a table, row or column needed by a check is absent, the check's outcome is
        "missing".
    shortened : str
        The options that shortened the run; empty for a full run. In a shortened run, the verdict on
        every claim is "shortened".
    """
    gates = gates_of(document, tables)
    return [judge(claim, gates, shortened) for claim in document.claims]


def gates_of(document: PaperClaims, tables: Mapping[str, object]) -> Gates:
    """Return the gates of a paper's claims; `evaluate` describes the parameters."""
    groups, rows = Groups(tables, document.uniform_names), of_document(document.first)
    return Gates(groups, rows, document.learners, document.least)


def judge(claim: Claim, gates: Gates, shortened: str = "") -> Verdict:
    """Return the verdict on one claim."""
    measured = [
        measure(claim, reading, check, gates)
        for reading in claim.readings
        for check in reading.checks
    ]
    decide, conclude = {
        "empirical": (_tested, _empirical),
        "guarantee": (guarantees.decided, _guarantee),
        "fact": (_compared, _fact),
    }[claim.kind]
    results = decide(measured, claim)
    if shortened:
        reason = f"the run was shortened ({shortened}), so nothing in it is a result"
        results = [
            r if r.outcome == "missing" else replace(r, outcome="reported", support=1.0, refute=1.0)
            for r in results
        ]
        return Verdict(claim, "shortened", reason, results)
    counted = [r for r in results if r.counts]
    absent = [r for r in counted if r.outcome == "missing"]
    # A single violation decides a guarantee, even if other values are missing.
    if absent and all(r.outcome != "violated" for r in counted):
        lack = absent[0].remark.split("; ")[0]
        reason = f"{len(absent)} of {len(counted)} checks cannot be made: {lack}"
        return Verdict(claim, "missing", reason, results)
    verdict = conclude(claim, results, counted)
    return replace(verdict, typical=_typical(claim, gates)) if _is_typical(claim) else verdict


# Empirical claims.


def _tested(results: Sequence[Result], claim: Claim) -> list[Result]:
    """Return an empirical claim's results with their outcomes.

    Whether a check holds depends only on its own p-value. Whether it fails is decided after Holm's
    correction for all counted checks of its reading; checks that do not count are not corrected.
    Checks of which one suffices are one check: each p-value for holding is multiplied by their
    number, and none fails unless all do.
    """
    level = error_of(results, claim.alpha)
    readings = sum(reading.counts for reading in claim.readings)
    supports = {id(r): r.support for r in results}
    refutes = {id(r): r.refute for r in results}
    for reading in claim.readings:
        run = [r for r in results if r.reading is reading and r.counts and r.is_tested]
        tested = (r for r in run if r.check.is_tested)
        groups = rule.grouped(tested, lambda r: r.check.any_of or id(r))
        worst = rule.holm([max(r.refute for r in some) for some in groups])
        for some, refute in zip(groups, worst, strict=True):
            supports |= {id(r): min(1.0, len(some) * r.support) for r in some}
            refutes |= {id(r): refute for r in some}

    def decided(r: Result) -> Result:
        if not r.is_tested:
            return r
        if r.tested(readings).is_idle(claim.alpha):
            return replace(r, outcome="idle")
        support, refute = supports[id(r)], refutes[id(r)]
        if support <= level or refute <= level:
            return replace(r, outcome="holds" if support <= level else "fails")
        beyond = ""
        if r.first is not None and r.spare:
            used, unit = r.first.stop(r.k) - r.first.start, r.first.unit
            beyond = f"{used} of {used + r.spare} {unit} count; {r.spare} follow the last doubling"
        return r.remarked(beyond, outcome="open")

    return [decided(r) for r in results]


def _is_typical(claim: Claim) -> bool:
    """Return whether a claim gets a word for the typical trial."""
    checks = (check for reading in claim.readings for check in reading.counted)
    return (
        claim.kind == "empirical"
        and claim.level >= TYPICAL_LEVEL
        and any(check.metric.gate for check in checks)
    )


def _typical(claim: Claim, gates: Gates) -> str:
    """Return the qualified word for the typical trial, from the same checks and bounds."""
    results = [
        measure(claim, reading, check, gates, is_typical=True)
        for reading in claim.readings
        for check in reading.counted
    ]
    if any(r.outcome == "missing" for r in results):
        return "missing"
    return concluded(claim, results).text


def _empirical(claim: Claim, results: list[Result], counted: Sequence[Result]) -> Verdict:
    alpha, readings = claim.alpha, readings_of(claim, counted)
    conclusion = rule.conclude(readings, alpha)
    parts = rule.of_parts(readings, alpha)
    outcomes, reason = conclusion.outcomes, _why(conclusion, readings, alpha)
    if claim.suffices:
        outcomes = _of_members(readings, alpha)
        held = sum(outcome == "holds" for outcome in outcomes.values())
        reason += f"; one {claim.suffices} suffices, and {held} of {len(outcomes)} are shown to do"
    return Verdict(
        claim,
        conclusion.word,
        reason,
        results,
        outcomes,
        conclusion.text,
        {name: one.text for name, one in parts.items()} if len(parts) > 1 else {},
        _stated(claim, outcomes),
        _if_counted(claim, results),
        rule.turning(readings, alpha),
        "; ".join(own_intervals(claim, counted)),
    )


def _of_members(readings: Sequence[rule.AnyReading], alpha: float) -> dict[str, str]:
    """Return the outcome of each reading if one of them suffices."""
    level, outcomes = rule.decisive(readings, alpha), {}
    for reading in readings:
        assert isinstance(reading, rule.Sufficient)
        for one in reading.members:
            outcome = "open" if one.is_active(alpha) else "idle"
            if len(reading.members) * one.support(alpha) <= level:
                outcome = "holds"
            elif one.refute(alpha) <= level:
                outcome = "fails"
            outcomes[one.name] = outcome
    return outcomes


def _if_counted(claim: Claim, results: Sequence[Result]) -> str:
    """Return the word that would follow if our own checks with bounds counted.

    Return an empty string if we have no such checks.
    """
    bounded = [r for r in results if r.check.relation is not None]
    if all(r.counts for r in bounded):
        return ""
    if any(r.outcome == "missing" for r in bounded):
        return "missing"
    return concluded(claim, bounded).text


def _why(conclusion: rule.Conclusion, readings: Sequence[rule.AnyReading], alpha: float) -> str:
    """Describe the outcomes of counted readings, and name the readings if they are few."""
    if conclusion.word == "untestable":
        return f"{IDLE}{', in any reading' if len(readings) > 1 else ''}"
    names = {
        outcome: [name for name, one in conclusion.outcomes.items() if one == outcome]
        for outcome in READINGS["empirical"]
    }
    counts = ", ".join(f"{outcome} in {len(some)}" for outcome, some in names.items() if some)
    text = f"{counts} of {len(readings)} reading{'s' * (len(readings) > 1)}"
    idle = [check.is_idle(alpha) for reading in readings for check in reading.checks]
    text += f", with {sum(idle)} of {len(idle)} checks idle" if any(idle) else ""
    if conclusion.parts:
        text += f"; these parts hold: {_quoted(conclusion.parts)}"
    if len(readings) == 1:
        return text
    for outcome in ("holds", "fails"):
        if 0 < len(names[outcome]) <= SHOWN and len(names[outcome]) < len(readings):
            text += f"; {outcome} under {_quoted(names[outcome])}"
    if names["idle"]:
        more = len(names["idle"]) - SHOWN
        text += f"; {IDLE} under {_quoted(names['idle'][:SHOWN])}"
        text += f" and {more} more" if more > 0 else ""
    return text


def _quoted(names: Iterable[str]) -> str:
    """Join the names, each in quotation marks because it may contain commas."""
    return ", ".join(f'"{name}"' for name in names)


def _stated(claim: Claim, outcomes: Mapping[str, str]) -> str:
    """Describe the outcomes of the stated readings; return "" if the only reading is stated."""
    stated = [r.name for r in claim.readings if r.status == "stated"]
    if not stated:
        return "the paper fixes no reading"
    if len(claim.readings) == 1:
        return ""
    words = ((f'"{name}": ' if name else "") + outcomes.get(name, "") for name in stated)
    return ", ".join(words)


# Guarantees and facts.


def _guarantee(claim: Claim, results: list[Result], counted: Sequence[Result]) -> Verdict:
    broken = [r for r in counted if r.outcome == "violated"]
    vacuous = sum(r.outcome == "vacuous" for r in counted)
    word = "violated" if broken else "vacuous" if vacuous == len(counted) else "held"
    verb = "held and vacuous" if word == "vacuous" else "held"
    reason = f"{verb} in {'the only check' if len(counted) == 1 else f'all {len(counted)} checks'}"
    if broken:
        reason = f"{len(broken)} of {len(counted)} checks are violated: {broken[0].check.label}"
    elif word == "held" and vacuous:
        reason += f", of which {vacuous} are vacuous"
    least = min((r.slack for r in counted), default=math.nan)
    if not any(math.isnan(r.slack) for r in counted) and 0.0 < least < math.inf:
        # Round down to three significant digits. If the value is within 0.01 units of the last
        # digit below the next multiple, round up instead: so small a gap may be rounding error.
        unit = 10.0 ** (math.floor(math.log10(least)) - 2)
        least = math.floor(least / unit + 0.01) * unit
        reason += f"; the bound is at least {number(least)} times what was observed"
    outcomes = _by_reading(counted, ("violated", "held", "vacuous"))
    return Verdict(claim, word, reason, results, outcomes)


def _compared(results: Sequence[Result], claim: Claim) -> list[Result]:
    """Return a fact's results with their outcomes, which need no statistical test."""
    compared = []
    for r in results:
        if not r.outcome and r.evidence is not None:
            support, refute = exact_p_values(r.check, r.evidence.value)
            outcome = "matches" if support == 0.0 else "differs"
            r = replace(r, support=support, refute=refute, outcome=outcome)
        compared.append(r)
    return compared


def _fact(claim: Claim, results: list[Result], counted: Sequence[Result]) -> Verdict:
    off = [r for r in counted if r.outcome == "differs"]
    reason = f"{len(counted) - len(off)} of {len(counted)} numbers match"
    if off:
        more = f" and {len(off) - 1} more" if len(off) > 1 else ""
        reason += f", not: {off[0].check.label}{more}"
    word = "differs" if off else "selected by it" if claim.chosen_by_it else "matches"
    return Verdict(claim, word, reason, results, _by_reading(counted, ("differs", "matches")))


def _by_reading(counted: Sequence[Result], order: Sequence[str]) -> dict[str, str]:
    """Return, for each reading, the first outcome in ``order`` that occurs among its checks."""
    outcomes: dict[str, set[str]] = {}
    for r in counted:
        outcomes.setdefault(r.reading.name, set()).add(r.outcome)
    return {name: next((o for o in order if o in some), "") for name, some in outcomes.items()}
