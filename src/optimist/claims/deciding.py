"""What would decide an undecided claim: how many trials or turns, and what they cost."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from optimist.claims.checks import Claim, claim_cells
from optimist.claims.context import CellKey
from optimist.claims.metrics import metric
from optimist.claims.names import number
from optimist.claims.verdicts import Result, Verdict, conjunction, teaches_nothing

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
        Trials, or turns, of each cell that count.
    kind : {"trials", "turns", "new trials", "new turns"}
        New ones if the claim is not to be looked at twice: what was run does not count again then.
    hours : float
        Core-hours of what is lacking; nan if no costs are known.
    total : int
        Trials, or turns, of each cell in all, as the section ``decide`` of the configuration asks.
    lacking : int
        How many of them the cell lacks that lacks most; all of them if new ones are asked for.
    is_known : bool
        Whether a number is known of all that is open; else there may be need of more.
    """

    ratio: float
    units: int
    kind: str
    hours: float
    total: int
    lacking: int
    is_known: bool

    @property
    def is_enough(self) -> bool:
        """Whether as many were run already: then the truth is probably closer to the bound."""
        return self.lacking == 0


def needs(verdict: Verdict, seconds: Mapping[CellKey, float]) -> Needs | None:
    """Return what would decide a claim, None if it is decided or no number is known.

    What is open in a reading that holds or fails already needs nothing, nor does a check that
    cannot hold. Where a check waits for its controls, they are counted beside it.

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
    kinds: set[str] = set()
    is_known = True
    waiting = _open(verdict)
    for result in (*counted, *waiting):
        for cell in _cells(result):
            have[cell] = max(have.get(cell, 0), _number_of_units(result))
    for result in waiting:
        units = units_needed(result, claim.decides, claim.alpha)
        is_known &= units is not None
        for cell in _cells(result) if units else ():
            kinds.add(metric(result.check.metric).units)
            wanted[cell] = max(wanted.get(cell, 0), units or 0)
    if not wanted:
        return None
    most = max(wanted.values())
    lacking = max(units - have[cell] for cell, units in wanted.items())
    kind = "turns" if kinds == {"turns"} else "trials"
    if lacking <= 0:
        return Needs(claim.decides, most, kind, 0.0, most, 0, is_known) if is_known else None
    if claim.looks == 1:
        kind, lacking = f"new {kind}", most
    total = most if claim.looks == 2 else most + max(have.values())
    hours = _hours(claim, have, total, seconds)
    return Needs(claim.decides, most, kind, hours, total, lacking, is_known)


def _cells(result: Result) -> tuple[CellKey, ...]:
    return tuple(result.measurement.cells) if result.measurement else ()


def _number_of_units(result: Result) -> int:
    return (result.measurement.evidence.n or 0) if result.measurement else 0


def _open(verdict: Verdict) -> list[Result]:
    """Return the results, and their controls, on which an undecided claim waits."""
    alpha = verdict.claim.alpha
    tunings: dict[tuple[str, str], list[Result]] = {}
    for result in verdict.results:
        if result.counts:
            tunings.setdefault((result.reading.name, result.check.tuning), []).append(result)
    found = []
    for (reading, tuning), results in tunings.items():
        has_failed = tuning and conjunction(results).outcome(alpha) in ("fails", "mixed")
        if verdict.outcomes.get(reading) == "undecided" and not has_failed:
            found += [r for r in results if r.outcome == "undecided" and not r.cannot_hold]
    return [one for result in found for one in (result, *result.open_controls)]


def in_words(verdict: Verdict, wanted: Needs | None, is_enlarged: bool) -> str:
    """Return a sentence: what would decide an undecided claim; empty of others.

    Parameters
    ----------
    verdict : Verdict
    wanted : Needs or None
    is_enlarged : bool
        Whether it had its second look, or its new trials, already.
    """
    if verdict.word != "undecided":
        return ""
    claim = verdict.claim
    if is_enlarged:
        looks = "Both looks that were planned were" if claim.looks == 2 else "Its new trials were"
        return f"{looks} taken, so that more trials do not change the word."
    if teaches_nothing([result for result in verdict.results if result.counts]):
        return "No trials make it reproduced, as under one reading nothing can be learnt."
    if wanted is None:
        return _unknown(verdict)
    if wanted.is_enough:
        return (
            f"There are as many {wanted.kind} as decide it where the truth is a factor of "
            f"{claim.decides:g} from each bound, so that it is probably nearer to one of them."
        )
    more = wanted.kind if wanted.kind.startswith("new") else f"more {wanted.kind}"
    cost = "" if math.isnan(wanted.hours) else f" ({number(wanted.hours)} core-hours)"
    least = "" if wanted.is_known else "At least "
    return (
        f"{least}{wanted.lacking} {more}{cost} would probably decide it, if the truth is a factor "
        f"of {claim.decides:g} or more from each bound."
    )


def _unknown(verdict: Verdict) -> str:
    found = _open(verdict)
    ratio, alpha = verdict.claim.decides, verdict.claim.alpha
    units = [(result, units_needed(result, ratio, alpha)) for result in found]
    without = [result for result, known in units if known is None]
    if without:
        return (
            "No number of trials is known, as a ratio to its bound is not defined for a check: "
            f"{without[0].check.label}."
        )
    if units:  # without cells: they belong to a study, which plays its own trials
        most = max(known or 0 for _, known in units)
        return (
            f"{most} trials of the study that it reads would probably decide it, if the truth is a "
            f"factor of {ratio:g} or more from each bound; its section in runs.yaml has the number."
        )
    return "More trials can refute it at most, as some check cannot hold."


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


def command(paper: str, claim: str, units: int) -> str:
    """Return the command that runs what decides a claim."""
    return f"snakemake --cores all --config 'decide={{{claim}: {units}}}' -- {paper}"
