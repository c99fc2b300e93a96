"""What would decide an undecided claim: how many trials or turns, and what they cost."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from optimist.claims.checks import Claim, claim_cells
from optimist.claims.context import CellKey
from optimist.claims.metrics import metric
from optimist.claims.verdicts import Result, Verdict, teaches_nothing

# Ratios between which what a check can decide is looked for.
MOST_RATIO = 100.0
STEPS = 40


@dataclass(frozen=True)
class Needs:
    """What decides a claim with a power of 80 %, if its ratios are away from their bounds.

    Attributes
    ----------
    ratio : float
        How far away they are taken to be.
    units : int
        Trials, or turns, of each cell that count; 0 if nothing that can be counted is lacking.
    kind : {"trials", "turns", "new trials", "new turns"}
        New ones if the claim is not to be looked at twice: what was run does not count again then.
    hours : float
        Core-hours of what is lacking; nan if no costs are known.
    is_enough : bool
        Whether as many were run already: then the truth is probably closer to the bound.
    total : int
        Trials, or turns, of each cell in all, as the section ``decide`` of the configuration asks.
    """

    ratio: float
    units: int
    kind: str
    hours: float
    is_enough: bool
    total: int = 0


def needs(verdict: Verdict, seconds: Mapping[CellKey, float]) -> Needs | None:
    """Return what would decide a claim, None if it is decided or no number would.

    Parameters
    ----------
    verdict : Verdict
    seconds : mapping
        Processor seconds of a trial of each cell, by lane, setting and algorithm.
    """
    counted = [result for result in verdict.results if result.counts]
    if verdict.word != "undecided" or teaches_nothing(counted):
        return None
    claim = verdict.claim
    wanted: dict[CellKey, int] = {}
    have: dict[CellKey, int] = {}
    kinds = set()
    for result in counted:
        if result.measurement is None:
            continue
        open_cells = result.measurement.cells if result.outcome == "undecided" else ()
        units = units_needed(result, claim.decides, claim.alpha)
        for cell in result.measurement.cells:
            have[cell] = max(have.get(cell, 0), result.measurement.evidence.n or 0)
        for cell in open_cells if units else ():
            kinds.add(metric(result.check.metric).units)
            wanted[cell] = max(wanted.get(cell, 0), units or 0)
    if not wanted:
        return None
    most = max(wanted.values())
    kind = "turns" if kinds == {"turns"} else "trials"
    if all(have[cell] >= units for cell, units in wanted.items()):
        return Needs(claim.decides, most, kind, 0.0, True, most)
    total = most if claim.looks == 2 else most + max(have.values())
    kind = kind if claim.looks == 2 else f"new {kind}"
    return Needs(claim.decides, most, kind, _hours(claim, have, total, seconds), False, total)


def _hours(
    claim: Claim, have: Mapping[CellKey, int], total: int, seconds: Mapping[CellKey, float]
) -> float:
    """Return the core-hours of giving all cells of a claim so many trials; nan if not known.

    Cells of controls have as many as the others, as far as is known here.
    """
    cells = claim_cells(claim) | set(have)
    if any(cell not in seconds for cell in cells):
        return math.nan
    most = max(have.values())
    return sum(max(0, total - have.get(cell, most)) * seconds[cell] for cell in cells) / 3600


def units_needed(result: Result, ratio: float, alpha: float) -> int | None:
    """Return how many units decide a check if its value is a ratio away from its bound."""
    if result.measurement is None or result.check.relation is None:
        return None
    bounds = [end for end in result.check.allowed if math.isfinite(end)]
    evidence = result.measurement.evidence
    found = [evidence.units_for(bound, ratio, alpha) for bound in bounds]
    known = [units for units in found if units is not None]
    return max(known) if known and len(known) == len(found) else None


def ratio_decided(result: Result, alpha: float) -> float:
    """Return the ratio from its bound that a check decides with a power of 80 %, as many as it has.

    Infinite if none below `MOST_RATIO`, nan if that is not defined.
    """
    if result.measurement is None or not result.measurement.evidence.n:
        return math.nan
    n = result.measurement.evidence.n
    largest = units_needed(result, MOST_RATIO, alpha)
    if largest is None:
        return math.nan
    if largest > n:
        return math.inf
    low, high = 0.0, math.log(MOST_RATIO)
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        units = units_needed(result, math.exp(middle), alpha)
        low, high = (low, middle) if units is not None and units <= n else (middle, high)
        if high - low < 1e-3:
            break
    return math.exp(high)


def by_cost(verdicts: Iterable[Verdict], seconds: Mapping[CellKey, float]) -> list[Verdict]:
    """Return the undecided claims that a number of trials decides, cheapest first."""
    known = [(needs(verdict, seconds), verdict) for verdict in verdicts]
    priced = [(n.hours, v.claim.id, v) for n, v in known if n is not None and not n.is_enough]
    return [verdict for _, _, verdict in sorted(priced, key=lambda row: (row[0], row[1]))]


def command(paper: str, claim: str, units: int) -> str:
    """Return the command that runs what decides a claim."""
    return f"snakemake --cores all --config 'decide={{{claim}: {units}}}' -- {paper}"
