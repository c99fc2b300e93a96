"""Why a claim is open, and what would decide it: how many trials, turns or splits, and their cost.

The effect is fixed beforehand, a ratio of `EFFECT` from the bound: a number made from the effect
that was observed would restate the p-value (Hoenig and Heisey 2001, The abuse of power).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from optimist.claims.results import Result, error_of
from optimist.claims.verdicts import Verdict
from optimist.claims.wording import number
from optimist.experiments.trials import CellKey

EFFECT = 1.25
MOST_DOUBLINGS = 20
CAUSES = ("few trials", "idle", "few splits")


@dataclass(frozen=True)
class Needs:
    """Why a claim is open, and what decides it with a power of 80 %.

    Attributes
    ----------
    cause : str
        One of `CAUSES`.
    units : int
        How many trials, or turns, of its cells decide it, as the section ``decide`` of the
        configuration asks for them; 0 if no number is known.
    kind : str
        "trials", "turns" or "splits".
    lacking : int
        How many of them the cell lacks that lacks most.
    hours : float
        Core-hours of all that is lacking; nan if no costs are known.
    text : str
        A sentence that says so.
    """

    cause: str
    units: int
    kind: str
    lacking: int
    hours: float
    text: str


def needs(verdict: Verdict, seconds: Mapping[CellKey, float]) -> Needs | None:
    """Return why a claim is open and what would decide it, None if it has another word.

    Parameters
    ----------
    verdict : Verdict
    seconds : mapping
        Processor seconds of a trial of each cell.
    """
    if verdict.word != "open":
        return None
    waiting = [
        r
        for r in verdict.results
        if r.counts and r.outcome == "open" and verdict.outcomes.get(r.reading.name) == "open"
    ]
    alpha = error_of(verdict.results, verdict.claim.alpha)
    gated = [r for r in waiting if _waits_for_gate(r, alpha)]
    tested = [r for r in waiting if r not in gated]
    known = [(r, units_needed(r, alpha)) for r in tested]
    lacking = [(r, units) for r, units in known if units is not None and units > _have(r)]
    if lacking:
        return _more(verdict, lacking, seconds)
    floors = [r for r, units in known if units is None and _unit(r) == "splits"]
    if floors:
        text = "No number of splits decides this; other data sets would."
        return Needs("few splits", 0, "splits", 0, math.nan, text)
    lonely = [r.gate.remark for r in waiting if r.gate is not None and r.gate.remark]
    if lonely:
        text = f"There is {lonely[0]}, without which nothing can be told there."
        return Needs("few trials", 0, "trials", 0, math.nan, text)
    if gated or not tested:
        text = (
            "Whether a method beats uniform play by the factor that the claim names is open, or "
            "shown to be false, in every reading that is not decided."
        )
        return Needs("idle", 0, "trials", 0, math.nan, text)
    unknown = [r for r, units in known if units is None]
    if unknown:
        text = (
            "No number of trials is known, as a ratio to its bound is not defined for a check: "
            f"{unknown[0].check.label}."
        )
    else:
        text = (
            f"There are as many {_unit(tested[0])} as decide it where the truth is a factor of "
            f"{EFFECT:g} from each bound, so it is probably within that factor of a bound."
        )
    return Needs("few trials", 0, _unit(tested[0]), 0, math.nan, text)


def _more(
    verdict: Verdict,
    lacking: list[tuple[Result, int]],
    seconds: Mapping[CellKey, float],
) -> Needs:
    """Return what decides a claim that lacks units."""
    wanted: dict[CellKey, int] = {}
    have: dict[CellKey, int] = {}
    for result, units in lacking:
        start = result.first.start if result.first else 0
        for cell in result.check.cells:
            wanted[cell] = max(wanted.get(cell, 0), start + units)
            have[cell] = max(have.get(cell, 0), start + _have(result))
    most, kind = max(units for _, units in lacking), _unit(lacking[0][0])
    short = max(units - _have(result) for result, units in lacking)
    cost = sum(
        (wanted[cell] - have[cell]) * seconds.get(cell, math.nan)
        for cell in wanted
        if wanted[cell] > have[cell]
    )
    hours = cost / 3600 if wanted else math.nan
    shown = "" if math.isnan(hours) else f" ({number(hours)} core-hours)"
    is_study = not wanted
    text = (
        f"{short} more {kind}{shown} would probably decide it, if the truth is a factor of "
        f"{EFFECT:g} or more from each bound."
    )
    if is_study:
        text = f"{most} {kind} of the study that it reads, in its section of runs.yaml, would "
        text += f"probably decide it, if the truth is a factor of {EFFECT:g} from each bound."
    cause = "few splits" if kind == "splits" else "few trials"
    total = max(wanted.values(), default=0)
    return Needs(cause, total, kind, short, hours, text)


def _waits_for_gate(result: Result, alpha: float) -> bool:
    """Return whether a check would be decided by its own test, but for its gate."""
    if result.gate is None or result.evidence is None:
        return False
    free = result.compared(gated=False)
    return min(free.support, free.refute) <= alpha


def _unit(result: Result) -> str:
    return result.first.unit if result.first else result.check.metric.units


def _have(result: Result) -> int:
    return (result.evidence.n or 0) if result.evidence else 0


def units_needed(result: Result, alpha: float) -> int | None:
    """Return the smallest number n0 2^k of units that decides a check, at the error of its step.

    None if no number of units does, or a ratio to its bound is not defined.
    """
    evidence = result.evidence
    if evidence is None or result.check.relation is None:
        return None
    bounds = [end for end in result.check.allowed if math.isfinite(end)]
    n0 = result.first.n0 if result.first else max(evidence.n or 0, 1)
    for k in range(max(result.k, 0), MOST_DOUBLINGS):
        found = [evidence.units_for(bound, EFFECT, alpha / 2.0 ** (k + 1)) for bound in bounds]
        known = [units for units in found if units is not None]
        if not known or len(known) < len(found):
            return None
        if max(known) <= n0 * 2**k:
            return n0 * 2**k
    return None


def command(paper: str, claim: str, units: int) -> str:
    """Return the command that runs what decides a claim."""
    return f"snakemake --cores all --config 'decide={{{claim}: {units}}}' -- {paper}"
