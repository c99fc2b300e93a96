"""Why a claim is open, how many trials, turns or splits would decide it, and what they would cost.

The size of the effect is fixed in advance: the truth is assumed to differ from the bound by a
factor `EFFECT`. A number of units computed from the observed effect would only restate the p-value
(Hoenig and Heisey 2001, The abuse of power).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from optimist.claims.checks import Claim
from optimist.claims.results import Result, error_of
from optimist.claims.verdicts import Verdict
from optimist.claims.wording import number
from optimist.experiments.trials import CellKey

EFFECT, POWER = 1.25, 0.8
MOST_DOUBLINGS = 20


@dataclass(frozen=True)
class Needs:
    """Why a claim is open, and what would decide it with 80 % power.

    The attributes are columns of `optimist.claims.table`; they keep their defaults if the claim is
    decided.

    Attributes
    ----------
    cause : {"few trials", "idle", "few splits", ""}
    deciding : str
        A sentence on what would decide the claim.
    needs : int or None
        Number of units (trials, turns or splits) per cell needed to decide the claim, as set in the
        configuration's section ``decide``; None if unknown.
    needs_kind : str
        The unit of ``needs``: "trials", "turns" or "splits"; empty if the number is unknown.
    hours : float
        Core-hours for all additional units; nan if the cost is unknown.
    command : str
        The command that runs the additional units.
    """

    cause: str = ""
    deciding: str = ""
    needs: int | None = None
    needs_kind: str = ""
    hours: float = math.nan
    command: str = ""


def needs(verdict: Verdict, seconds: Mapping[CellKey, float]) -> Needs:
    """Return why a claim is open and what would decide it.

    Parameters
    ----------
    verdict : Verdict
    seconds : mapping
        Processor seconds per trial, for each cell.
    """
    if verdict.word != "open":
        return Needs()
    waiting = [
        r
        for r in verdict.results
        if r.counts and r.outcome == "open" and verdict.outcomes.get(r.reading.name) == "open"
    ]
    alpha = error_of(verdict.results, verdict.claim.alpha)
    # Exclude checks that stay open only because of their gates.
    tested = [r for r in waiting if r.gate is None or min(r.without_gate()) > alpha]
    needed = [(r, units_needed(r, alpha)) for r in tested]
    lacking = [(r, units) for r, units in needed if units is not None and units > r.n]
    if lacking:
        return _more(verdict.claim, lacking, seconds)
    unknown = [r.check for r, units in needed if units is None]
    if any(check.metric.units == "splits" for check in unknown):
        return Needs("few splits", "No number of splits decides this; other data sets would.")
    lonely = [r.gate.remark for r in waiting if r.gate is not None and r.gate.remark]
    if lonely:
        text = f"There is {lonely[0]}, and nothing can be decided without it."
        return Needs("few trials", text)
    if len(tested) < len(waiting) or not tested:
        text = (
            "In every undecided reading, no method is known to beat uniform play by the factor "
            "that the claim names."
        )
        return Needs("idle", text)
    if unknown:
        text = (
            "The required number of trials is unknown, because a ratio to the bound is undefined "
            f"for a check: {unknown[0].label}."
        )
        return Needs("few trials", text)
    text = (
        f"There are enough {tested[0].check.metric.units} to decide it if the truth is a factor of "
        f"{EFFECT:g} from each bound, so the truth is probably closer to a bound."
    )
    return Needs("few trials", text)


def _more(
    claim: Claim, lacking: Sequence[tuple[Result, int]], seconds: Mapping[CellKey, float]
) -> Needs:
    """Return `Needs` with the additional units needed to decide a claim, and their cost.

    ``lacking`` contains the open checks, each with the number of units needed to decide it.
    """
    wanted: dict[CellKey, int] = {}
    have: dict[CellKey, int] = {}
    for result, units in lacking:
        start = result.first.start if result.first else 0
        for cell in result.check.cells:
            wanted[cell] = max(wanted.get(cell, 0), start + units)
            have[cell] = max(have.get(cell, 0), start + result.n)
    kind = lacking[0][0].check.metric.units
    cause = "few splits" if kind == "splits" else "few trials"
    if not wanted:
        most = max(units for _, units in lacking)
        text = f"{most} {kind} of its study (a section of runs.yaml) would probably decide it, "
        text += f"if the truth is a factor of {EFFECT:g} from each bound."
        return Needs(cause, text)
    short = {cell: units - have[cell] for cell, units in wanted.items() if units > have[cell]}
    hours = sum(n * seconds.get(cell, math.nan) for cell, n in short.items()) / 3600
    shown = "" if math.isnan(hours) else f" ({number(hours)} core-hours)"
    text = (
        f"{max(units - r.n for r, units in lacking)} more {kind}{shown} would probably decide it, "
        f"if the truth is a factor of {EFFECT:g} or more from each bound."
    )
    units, paper = max(wanted.values()), claim.id.partition(".")[0]
    command = f"snakemake --cores all --config 'decide={{{claim.id}: {units}}}' -- {paper}"
    return Needs(cause, text, units, kind, hours, command)


def units_needed(result: Result, alpha: float) -> int | None:
    """Return the smallest number of units n0 2^k that decides a check with power `POWER`.

    The error is corrected for the k doublings. Return None if no such number exists or the power at
    a bound is undefined.
    """
    evidence, bounds = result.evidence, [b for b in result.check.allowed if math.isfinite(b)]
    n0 = result.first.n0 if result.first else max(result.n, 1)
    for k in range(max(result.k, 0), MOST_DOUBLINGS):
        n, error = n0 << k, alpha / 2.0 ** (k + 1)
        if evidence and all(evidence.power(b, EFFECT, n, error) >= POWER for b in bounds):
            return n
    return None
