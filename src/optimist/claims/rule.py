r"""From p-values to words: the rule for empirical claims.

A check has two one-sided p-values: $p^+$ is small if the data show its relation, and $p^-$ is small
if they refute it. Both are already corrected for doubling (`optimist.claims.first`) and gated
(`optimist.claims.gates`). A reading is a conjunction of m checks: its $P = \max p^+$ needs no
correction (intersection-union, Berger 1982), and its $Q = \min(1, m \min p^-)$ is Bonferroni's.
The outer words, *reproduced* and *not reproduced*, use all active readings; Holm's method (1979)
selects the readings that an inner word names. If a claim has gates, a tenth of the error pays for
calling checks idle.

Each of these errors has probability at most $\alpha$ under any dependence: *reproduced* although
an active reading is false; *not reproduced* although one is true; an inner word that names a false
reading as holding, or a true one as failing; *depends* although all are true, or all false. The
probability of any such error is at most $2\alpha$ under the worst dependence.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any

DECIDED = ("reproduced", "supported", "depends", "not reproduced", "doubted")
WORDS = (*DECIDED, "open", "untestable", "missing")
WHERE_TESTABLE, IN_PART, STRONGER = "where testable", "in part", "stronger than claimed"
# The share of the error on a side that pays for idle checks.
IDLE = 0.1


@dataclass(frozen=True)
class Tested:
    """A check in the form that the rule takes.

    Attributes
    ----------
    support, refute : float
        $p^+$ and $p^-$; ``refute`` is nan for a cell that was not run, which cannot fail.
    part : str
    idle : float
        The p-value for "no method beats uniform play by the check's factor", multiplied by the
        number of readings, since any of them may lose its refutation by chance; nan without a gate.
    praises : bool
        Whether the value lies beyond a band, on the side that favours the paper's method.
    """

    support: float
    refute: float
    part: str = ""
    idle: float = math.nan
    praises: bool = False

    def is_idle(self, alpha: float) -> bool:
        """Return whether the check cannot decide anything."""
        return self.idle <= IDLE * alpha


@dataclass(frozen=True)
class TestedReading:
    """The checks of a reading.

    Attributes
    ----------
    name : str
    checks : tuple of Tested
    alternatives : mapping
        The chosen alternative for each choice, by the choice's name.
    """

    name: str
    checks: tuple[Tested, ...]
    alternatives: Mapping[str, str] = field(default_factory=dict)

    def is_active(self, alpha: float) -> bool:
        """Return whether at least one check can decide something."""
        return not all(check.is_idle(alpha) for check in self.checks)

    def support(self, alpha: float) -> float:
        """Return P: 1 for an idle reading, otherwise the largest $p^+$ among active checks."""
        active = [check.support for check in self.checks if not check.is_idle(alpha)]
        return max(active, default=1.0)

    def refute(self, alpha: float) -> float:
        """Return Q: 1 for an idle reading, otherwise computed from all checks that can fail."""
        return bonferroni([c.refute for c in self.run]) if self.is_active(alpha) else 1.0

    @property
    def run(self) -> list[Tested]:
        """The checks that can fail: all except placeholders for cells that were not run."""
        return [check for check in self.checks if not math.isnan(check.refute)]


@dataclass(frozen=True)
class Conclusion:
    """A word, and the readings that it describes.

    Attributes
    ----------
    word : str
        One of `WORDS`.
    qualifiers : tuple of str
        Some of `WHERE_TESTABLE`, `IN_PART` and `STRONGER`.
    outcomes : dict of str to str
        ``holds``, ``fails``, ``open`` or ``idle``, by name of the reading. An outer word describes
        all active readings; an inner word, the readings that it names.
    separating : tuple of tuple of str
        For *depends*: the smallest sets of choices whose alternatives separate the readings that
        hold from the readings that fail.
    parts : tuple of str
        For *not reproduced in part*: the parts that hold.
    """

    word: str
    qualifiers: tuple[str, ...] = ()
    outcomes: dict[str, str] = field(default_factory=dict)
    separating: tuple[tuple[str, ...], ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The word with its qualifiers, or with the choice that it depends on."""
        on = " or ".join(" and ".join(names) for names in self.separating)
        said = "".join(f", {q}" if q == STRONGER else f" {q}" for q in self.qualifiers)
        return self.word + (f" on {on}" if on else said)


def decisive(readings: Iterable[TestedReading], alpha: float) -> float:
    """Return the error for tests of checks and readings, which is smaller if a check has a gate."""
    has_gates = any(not math.isnan(c.idle) for reading in readings for c in reading.checks)
    return (1.0 - IDLE) * alpha if has_gates else alpha


def conclude(
    readings: Sequence[TestedReading], alpha: float, level: float | None = None
) -> Conclusion:
    """Return the conclusion for an empirical claim with these counted readings.

    Parameters
    ----------
    readings : sequence of TestedReading
    alpha : float
        The probability of error allowed on each side.
    level : float or None
        The error of each test, by default the result of `decisive`.
    """
    level = decisive(readings, alpha) if level is None else level
    active = [reading for reading in readings if reading.is_active(alpha)]
    idle = {r.name: "idle" for r in readings if r not in active}
    if not active:
        return Conclusion("untestable", outcomes=idle)
    if all(r.support(alpha) <= level for r in active):
        outcomes = idle | {r.name: "holds" for r in active}
        some = any(check.is_idle(alpha) for reading in readings for check in reading.checks)
        return Conclusion("reproduced", (WHERE_TESTABLE,) * some, outcomes)
    if all(r.refute(alpha) <= level for r in active):
        outcomes = idle | {r.name: "fails" for r in active}
        parts = by_part(active)
        kept = tuple(
            name
            for name, cut in parts.items()
            if all(len(parts) * r.support(alpha) <= level for r in cut)
        )
        qualifiers = (IN_PART,) * bool(kept) + (STRONGER,) * _fails_by_praise(active, level)
        return Conclusion("not reproduced", qualifiers, outcomes, parts=kept)
    supports = holm([r.support(alpha) for r in readings])
    refutes = holm([r.refute(alpha) for r in readings])
    holding = [r for r, p in zip(readings, supports, strict=True) if p <= level]
    failing = [r for r, p in zip(readings, refutes, strict=True) if p <= level]
    outcomes = {r.name: "open" for r in active} | idle
    outcomes |= {r.name: "fails" for r in failing} | {r.name: "holds" for r in holding}
    if holding and failing:
        return Conclusion("depends", (), outcomes, separating(holding, failing))
    return Conclusion("supported" if holding else "doubted" if failing else "open", (), outcomes)


def by_part(readings: Iterable[TestedReading]) -> dict[str, list[TestedReading]]:
    """Return, for each part, the readings that have it, with only the checks of that part."""
    parts: dict[str, list[TestedReading]] = {}
    for reading in readings:
        for name in dict.fromkeys(check.part for check in reading.checks):
            checks = tuple(check for check in reading.checks if check.part == name)
            parts.setdefault(name, []).append(replace(reading, checks=checks))
    return parts


def _fails_by_praise(active: Sequence[TestedReading], level: float) -> bool:
    """Return whether every check that fails does so on the favourable side of a band."""
    failing = [
        check
        for reading in active
        for check, p in zip(reading.run, holm([c.refute for c in reading.run]), strict=True)
        if p <= level
    ]
    return bool(failing) and all(check.praises for check in failing)


def of_parts(readings: Sequence[TestedReading], alpha: float) -> dict[str, Conclusion]:
    """Return the conclusion for each part of a claim, by the same rule."""
    level = decisive(readings, alpha)
    return {name: conclude(cut, alpha, level) for name, cut in by_part(readings).items()}


def separating(
    holding: Sequence[TestedReading], failing: Sequence[TestedReading]
) -> tuple[tuple[str, ...], ...]:
    """Return the smallest sets of choices whose alternatives tell two groups of readings apart."""

    def taken(names: tuple[str, ...], readings: Sequence[TestedReading]) -> set[Any]:
        return {tuple(r.alternatives.get(name) for name in names) for r in readings}

    choices = [*dict.fromkeys(name for r in (*holding, *failing) for name in r.alternatives)]
    for size in range(1, len(choices) + 1):
        sets = [*combinations(choices, size)]
        if apart := [s for s in sets if taken(s, holding).isdisjoint(taken(s, failing))]:
            return tuple(apart)
    return ()


def turning(readings: Sequence[TestedReading], alpha: float) -> float:
    """Return the largest error up to ``alpha`` below which the word changes, or 0 if it does not.

    The word can change only at finitely many errors, called ends here. Each interval between two
    neighbouring ends is evaluated at its midpoint, because at an end rounding would decide.
    """
    word = conclude(readings, alpha).word
    share = decisive(readings, alpha) / alpha
    ends = {c.idle / IDLE for reading in readings for c in reading.checks}
    # Whichever checks are idle, P is the support of one of the checks.
    possible = (p for r in readings for p in (r.refute(0.0), *(c.support for c in r.checks)))
    for p in set(possible):
        ends |= {rank * p / share for rank in range(1, len(readings) + 1)}
    ordered = sorted((end for end in ends if 0.0 < end <= alpha), reverse=True)
    for end, following in pairwise([*ordered, 0.0]):
        if conclude(readings, 0.5 * (end + following)).word != word:
            return end
    return 0.0


def bonferroni(p_values: Sequence[float]) -> float:
    """Return the p-value for "one of several hypotheses is false"; 1 without hypotheses."""
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method, and return them in the given order."""
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted
