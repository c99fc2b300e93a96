"""Checks with their measured values, and the verdicts on claims.

The functions compute the corrected and gated p-values that the rule uses.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

from optimist.claims import rule
from optimist.claims.claim import Check, Claim, Gate, Reading
from optimist.claims.evidence import RATIO_UNITS, Evidence, Exact
from optimist.claims.first import First, doubled
from optimist.claims.tails import NEITHER

# Relative tolerance for numbers that lie beyond a bound because of rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Result:
    """A check of a reading, with its measured value and outcome.

    Attributes
    ----------
    evidence : Evidence or None
        None if cells are missing.
    rounds : int or None
        The smallest number of rounds in the cells that were read.
    remark : str
        Remarks on the measured value, or on the missing data.
    first : First or None
        The first unit and the number of units at the first judgement; None for facts and for values
        that are not tested.
    k : int
        Number of doublings since the first judgement; -1 if there are too few units for it.
    spare : int
        Number of units after the last doubling, not yet counted.
    controls : tuple of Result
        Results of the check's controls.
    gate : Gate or None
        The comparison of the check's methods with uniform play; None if the check needs no gate.
    support, refute : float
        One-sided p-values, corrected for doubling and gated. ``support`` is small if the data
        support the check, and ``refute`` is small if they refute it.
    outcome : str
        One of `optimist.claims.claim.READINGS`, "missing" or "reported".
    slack : float
        For a guarantee, the factor by which the value lies inside its bound; otherwise nan.
    """

    check: Check
    reading: Reading
    evidence: Evidence | None
    rounds: int | None
    remark: str
    first: First | None = None
    k: int = 0
    spare: int = 0
    controls: tuple["Result", ...] = ()
    gate: Gate | None = None
    support: float = 1.0
    refute: float = 1.0
    outcome: str = ""
    slack: float = math.nan

    @property
    def counts(self) -> bool:
        """Whether the verdict depends on the check."""
        return self.reading.counts and self.check.status != "ours"

    @property
    def is_tested(self) -> bool:
        """Whether p-values determine the outcome."""
        return self.outcome not in ("missing", "reported")

    def remarked(self, remark: str, **changes: Any) -> Self:
        """Return a copy with a further remark and with ``changes`` to other fields."""
        return replace(self, remark="; ".join(filter(None, [self.remark, remark])), **changes)

    def tested(self, readings: int) -> rule.Tested:
        """Return the check as a `rule.Tested`, the input of the rule for empirical claims.

        The idle test's p-value is multiplied by the number of readings, because any of them may be
        found idle by chance.
        """
        idle = min(1.0, readings * self.gate.idle) if self.gate else math.nan
        refute = self.refute if self.check.is_tested else math.nan
        check = self.check.unless_better
        relaxed = math.nan if check is self.check else self.compared(check).support
        return rule.Tested(self.support, refute, self.check.part, idle, relaxed)

    @property
    def n(self) -> int:
        """Number of units, including those after the last doubling."""
        return (self.evidence.n or 0) + self.spare if self.evidence else 0

    def compared(self, check: Check | None = None) -> Self:
        """Return a copy with the p-values at the bound of ``check``.

        By default, ``check`` is the result's own check.
        """
        check = check or self.check
        support, refute = self.without_gate(check)
        if self.gate is not None:
            support, refute = max(support, self.gate.support), max(refute, self.gate.refute)
        return replace(self, check=check, support=support, refute=refute)

    def without_gate(self, check: Check | None = None) -> tuple[float, float]:
        """Return the p-values of the check's own test, corrected for doubling but not gated.

        Both are 1 if there is no evidence.
        """
        evidence = self.evidence
        if evidence is None:
            return NEITHER
        support, refute = p_values(check or self.check, evidence)
        # A count may be the same in all trials because it has reached its limit. Regret has no such
        # limit, so further trials may differ.
        if self.gate is not None and 0.0 in (support, refute) and _is_certain(evidence):
            return NEITHER
        return doubled(support, self.k), doubled(refute, self.k)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, with the results on which it is based.

    Attributes
    ----------
    word : str
        One of `optimist.claims.claim.VERDICTS`.
    explanation : str
        The reason for the word, in one line.
    results : list of Result
        The measured checks.
    outcomes : dict of str to str
        The outcome of each counted reading, by name.
    qualified : str
        The word with its qualifiers or the choice on which it depends; empty if the kind of claim
        has neither.
    parts : dict of str to str
        For an empirical claim with several parts: the qualified word for each part.
    stated : str
        The outcome of the stated reading, or a remark that the paper fixes no reading.
    if_counted : str
        The word that would follow if our own readings and checks counted; empty if we have none.
    turns : float
        The largest error on each side, at most the claim's, below which the word changes; 0 if no
        smaller error changes it.
    own_interval : str
        The bounds of the claim's vague words at which the verdict would be *reproduced* or *not
        reproduced*.
    typical : str
        The qualified word for the typical trial, if the claim is about heavy-tailed regrets: the
        sign test replaces the test of means.
    """

    claim: Claim
    word: str
    explanation: str
    results: list[Result]
    outcomes: dict[str, str] = field(default_factory=dict)
    qualified: str = ""
    parts: dict[str, str] = field(default_factory=dict)
    stated: str = ""
    if_counted: str = ""
    turns: float = math.nan
    own_interval: str = ""
    typical: str = ""

    @property
    def text(self) -> str:
        """The word with all its qualifiers."""
        return self.qualified or self.word

    @property
    def flags(self) -> str:
        """Reasons why the verdict means less than it seems to."""
        could_not_fail, chosen = self.claim.could_not_fail, self.claim.chosen_by_it
        flags = [f"vacuous: {could_not_fail}"] if could_not_fail else []
        flags += [f"selected by it: {chosen}"] if chosen else []
        return "; ".join(flags) if self.word != "shortened" else ""


@dataclass(frozen=True)
class NextLook:
    """Why a claim is open, and its next look.

    The attributes are columns of `optimist.claims.table`; they keep their defaults if the claim is
    answered.

    Attributes
    ----------
    cause : {"few trials", "idle", "few splits", "bound", ""}
    deciding : str
        A sentence on the next look.
    needs : int or None
        Number of units per cell at the next look, as set in the configuration's section ``decide``.
    needs_kind : str
        The unit of ``needs``: "trials", "turns" or "splits"; empty if the number is unknown.
    hours : float
        Core-hours for the additional units; nan if the cost is unknown.
    chance : float
        Share of the replicates in which the claim is answered; nan without a forecast.
    likely : {"likely", "even", "unlikely", ""}
    forecast : str
        The commonest word of the replicates.
    command : str
        The command that plays the additional units.
    """

    cause: str = ""
    deciding: str = ""
    needs: int | None = None
    needs_kind: str = ""
    hours: float = math.nan
    chance: float = math.nan
    likely: str = ""
    forecast: str = ""
    command: str = ""


def error_of(results: Iterable[Result], alpha: float) -> float:
    """Return the error allowed on each side when a claim's checks are decided.

    This error is ``alpha``, or nine tenths of it if any counted check has a gate. It determines
    outcomes, intervals, the bounds at which outcomes change, and the number of trials needed to
    decide a claim.
    """
    return rule.decisive(tested_readings(r for r in results if r.counts), alpha)


def tested_readings(results: Iterable[Result]) -> list[rule.TestedReading]:
    """Group the results into readings and return them as input for the rule."""
    readings = rule.grouped(results, lambda r: id(r.reading))
    return [
        rule.TestedReading(
            some[0].reading.name,
            tuple(_joined(some, len(readings))),
            some[0].reading.alternatives,
        )
        for some in readings
    ]


def _joined(results: Iterable[Result], readings: int) -> Iterator[rule.Tested]:
    """Yield the checks of a reading, and one for all checks with the same ``any_of``."""
    for some in rule.grouped(results, lambda r: r.check.any_of or id(r)):
        tested = [r.tested(readings) for r in some]
        yield tested[0] if len(tested) == 1 else rule.any_of(tested)


def concluded(claim: Claim, results: Iterable[Result]) -> rule.Conclusion:
    """Return the rule's conclusion for a claim from these results, all of which count."""
    return rule.conclude(readings_of(claim, results), claim.alpha)


def readings_of(claim: Claim, results: Iterable[Result]) -> list[rule.AnyReading]:
    """Return a claim's readings; those that differ only in its key ``suffices`` are one."""
    return rule.sufficient(tested_readings(results), claim.suffices)


def p_values(check: Check, evidence: Evidence) -> tuple[float, float]:
    """Return the p-values for supporting and for refuting a check.

    The first is small if the evidence supports the check, and the second if it refutes the check. A
    range with two ends needs two one-sided tests (Schuirmann, 1987).
    """
    low, high = check.allowed
    if isinstance(evidence, Exact):
        return exact_p_values(check, evidence.value)
    below_high, above_high = evidence.p_values(high) if high < math.inf else (0.0, 1.0)
    below_low, above_low = evidence.p_values(low) if low > -math.inf else (1.0, 0.0)
    support = max(below_high, above_low)
    sides = 2.0 if math.isfinite(low) and math.isfinite(high) else 1.0
    refute = min(1.0, sides * min(above_high, below_low))
    if math.isnan(support) or math.isnan(refute):
        return NEITHER
    if support == refute == 1.0 and _is_certain(evidence):
        return exact_p_values(check, evidence.value)
    return support, refute


def _is_certain(evidence: Evidence) -> bool:
    """Return whether all trials have the same value and there are enough of them to decide."""
    pieces = evidence.pieces(0.5)
    return (evidence.n or 0) >= RATIO_UNITS and len(pieces) == 1 and pieces[0][0] == pieces[0][1]


def exact_p_values(check: Check, value: float) -> tuple[float, float]:
    """Return the p-values of an exact value: (0, 1) if the check allows it, otherwise (1, 0).

    For nan, return (1, 1). A range includes its ends; a one-sided bound is strict.
    """
    if math.isnan(value):
        return NEITHER
    low, high = check.allowed
    if check.relation in ("below", "above"):
        inside = low < value < high
    else:
        spare = ROUNDING * max(abs(low), abs(high))
        inside = low - spare <= value <= high + spare
    return (0.0, 1.0) if inside else (1.0, 0.0)
