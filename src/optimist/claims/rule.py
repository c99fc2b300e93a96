r"""The rule that turns an empirical claim's p-values into the word of its verdict.

A check has two one-sided p-values: $p^+$ is small if the data support the check, and $p^-$ is small
if they refute it. Both are already corrected for doubling (`optimist.claims.first`) and gated
(`optimist.claims.gates`). A reading is a conjunction of m checks. Its p-value for holding,
$P = \max p^+$, needs no correction (intersection-union test, Berger 1982). Its p-value for failing,
$Q = \min(1, m \min p^-)$, is corrected by Bonferroni's method.

The outer words, *reproduced*, *not reproduced* and *better than claimed*, are about all active
readings. The inner words, *supported*, *depends* and *doubted*, are about some readings, selected
by Holm's method (1979). If a claim has gates, a tenth of the allowed error is reserved for
declaring checks idle.

A sentence that says that something *can* be had is true if one alternative of a choice is enough
(`Sufficient`). For K alternatives, $P = \min(1, K \min P_\kappa)$ by Bonferroni's method, and
$Q = \max Q_\kappa$, since all of them must fail.

Each of the following errors has a probability of at most $\alpha$, however the tests depend on each
other: the word is *reproduced* although an active reading is false; it is *not reproduced* although
an active reading is true; it is *better than claimed* although an active reading is true, or false
on the side that does not praise the method; an inner word names a false reading as holding; an
inner word names a true reading as failing; the word is *depends* although all readings are true, or
all are false. The probability that any of these errors occurs is at most $4\alpha$: on each side
$\alpha$ for the outer words and $\alpha$ for the inner ones.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any, TypeVar

T = TypeVar("T")
BETTER = "better than claimed"
DECIDED = ("reproduced", "supported", "depends", BETTER, "not reproduced", "doubted")
# The words that further trials may still turn into an answer.
UNDECIDED = ("open", "doubted")
WORDS = (*DECIDED, "open", "untestable", "missing")
WHERE_TESTABLE, IN_PART = "where testable", "in part"
# Share of the allowed error that is reserved for declaring checks idle.
IDLE = 0.1


@dataclass(frozen=True)
class Tested:
    """A check's p-values and other properties, as used by the rule.

    Attributes
    ----------
    support, refute : float
        $p^+$ and $p^-$; ``refute`` is nan for the placeholder of a cell that was not run, because
        it cannot fail.
    part : str
        The part of the claim tested by the check.
    idle : float
        The p-value for "no method beats uniform play by the check's factor"; nan if there is no
        gate. It is multiplied by the number of readings, because any of them may be found idle by
        chance.
    relaxed : float
        $p^+$ without the end of a band whose far side favours the paper's method; nan if the check
        has no such end, so that it is ``support``.
    """

    support: float
    refute: float
    part: str = ""
    idle: float = math.nan
    relaxed: float = math.nan

    def is_idle(self, alpha: float) -> bool:
        """Return whether no method beats uniform play, so that the check can decide nothing."""
        return self.idle <= IDLE * alpha

    @property
    def unless_better(self) -> float:
        """The p-value of ``relaxed``, or of ``support`` if nothing is relaxed."""
        return self.support if math.isnan(self.relaxed) else self.relaxed


def any_of(checks: Sequence[Tested]) -> Tested:
    """Return checks of which one suffices as a single check.

    The p-value for "one of them holds" is corrected by Bonferroni's method. That for "none holds"
    needs no correction. It is idle only if all of them are.
    """
    refutes = [c.refute for c in checks if not math.isnan(c.refute)]
    return Tested(
        bonferroni([c.support for c in checks]),
        max(refutes, default=math.nan),
        checks[0].part,
        math.nan if any(math.isnan(c.idle) for c in checks) else max(c.idle for c in checks),
        bonferroni([c.unless_better for c in checks]),
    )


@dataclass(frozen=True)
class TestedReading:
    """The checks of a reading, as input for the rule.

    Attributes
    ----------
    name : str
    checks : tuple of Tested
    alternatives : mapping
        A mapping from the name of each choice to the chosen alternative.
    """

    name: str
    checks: tuple[Tested, ...]
    alternatives: Mapping[str, str] = field(default_factory=dict)

    def is_active(self, alpha: float) -> bool:
        """Return whether at least one check is not idle."""
        return not all(check.is_idle(alpha) for check in self.checks)

    def support(self, alpha: float) -> float:
        """Return P: the largest $p^+$ among checks that are not idle, or 1 if all are idle."""
        active = [check.support for check in self.checks if not check.is_idle(alpha)]
        return max(active, default=1.0)

    def unless_better(self, alpha: float) -> float:
        """Return P with the praising ends of bands dropped; see `Tested.relaxed`."""
        active = [check.unless_better for check in self.checks if not check.is_idle(alpha)]
        return max(active, default=1.0)

    def refute(self, alpha: float) -> float:
        """Return Q, computed from all checks that can fail, or 1 if all checks are idle."""
        return bonferroni([c.refute for c in self.run]) if self.is_active(alpha) else 1.0

    @property
    def run(self) -> list[Tested]:
        """The checks that can fail: all except placeholders for cells that were not run."""
        return [check for check in self.checks if not math.isnan(check.refute)]

    @property
    def ends(self) -> Iterator[float]:
        """The values that P and Q can take, whichever checks are idle."""
        yield bonferroni([c.refute for c in self.run])
        yield from (c.support for c in self.checks)
        yield from (c.unless_better for c in self.checks)

    def of_part(self, name: str) -> "TestedReading":
        """Return the reading with only one part's checks."""
        return replace(self, checks=tuple(c for c in self.checks if c.part == name))


@dataclass(frozen=True)
class Sufficient:
    """Readings of which one suffices, as input for the rule.

    Attributes
    ----------
    name : str
    members : tuple of TestedReading
        One reading for each alternative of the choice.
    alternatives : mapping
        The alternatives of all other choices.
    """

    name: str
    members: tuple[TestedReading, ...]
    alternatives: Mapping[str, str] = field(default_factory=dict)

    @property
    def checks(self) -> tuple[Tested, ...]:
        """The checks of all members."""
        return tuple(check for member in self.members for check in member.checks)

    def is_active(self, alpha: float) -> bool:
        """Return whether at least one member is active."""
        return any(member.is_active(alpha) for member in self.members)

    def support(self, alpha: float) -> float:
        """Return P: the smallest P of the members, times their number."""
        return bonferroni([member.support(alpha) for member in self.members])

    def unless_better(self, alpha: float) -> float:
        """Return P with the praising ends of bands dropped."""
        return bonferroni([member.unless_better(alpha) for member in self.members])

    def refute(self, alpha: float) -> float:
        """Return Q: the largest Q of the members."""
        return max(member.refute(alpha) for member in self.members)

    @property
    def ends(self) -> Iterator[float]:
        """The values that P and Q can take, whichever checks are idle."""
        for member in self.members:
            yield from member.ends
            yield from (len(self.members) * end for end in member.ends)

    def of_part(self, name: str) -> "Sufficient":
        """Return the readings with only one part's checks."""
        return replace(self, members=tuple(member.of_part(name) for member in self.members))


AnyReading = TestedReading | Sufficient


def sufficient(readings: Sequence[TestedReading], choice: str) -> list[AnyReading]:
    """Join the readings that differ only in a choice of which one alternative suffices.

    Return the readings themselves if ``choice`` is empty.
    """
    if not choice:
        return [*readings]

    def others(reading: TestedReading) -> dict[str, str]:
        return {name: taken for name, taken in reading.alternatives.items() if name != choice}

    return [
        Sufficient("; ".join(others(members[0]).values()), tuple(members), others(members[0]))
        for members in grouped(readings, lambda reading: tuple(others(reading).items()))
    ]


@dataclass(frozen=True)
class Conclusion:
    """A word, and the outcomes of the readings that lead to it.

    Attributes
    ----------
    word : str
        One of `WORDS`.
    qualifiers : tuple of str
        `WHERE_TESTABLE` or `IN_PART`.
    outcomes : dict of str to str
        The outcome of each reading, by name: ``holds``, ``fails``, ``open`` or ``idle``. With an
        outer word, all active readings have the same outcome.
    separating : tuple of tuple of str
        For *depends*: the smallest sets of choices whose alternatives distinguish the readings that
        hold from those that fail.
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
        """The word with its qualifiers or the choice on which it depends."""
        on = " or ".join(" and ".join(names) for names in self.separating)
        return self.word + (f" on {on}" if on else "".join(f" {q}" for q in self.qualifiers))


def decisive(readings: Iterable[AnyReading], alpha: float) -> float:
    """Return the error at which checks and readings are tested.

    This error is ``alpha``, reduced by the share `IDLE` if any check has a gate.
    """
    has_gates = any(not math.isnan(c.idle) for reading in readings for c in reading.checks)
    return (1.0 - IDLE) * alpha if has_gates else alpha


def conclude(
    readings: Sequence[AnyReading], alpha: float, level: float | None = None
) -> Conclusion:
    """Return the conclusion for an empirical claim with these counted readings.

    Parameters
    ----------
    readings : sequence of TestedReading or Sufficient
    alpha : float
        The probability of error allowed on each side.
    level : float or None
        The error allowed in each test; by default, the result of `decisive`.
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
        if all(r.unless_better(alpha) <= level for r in active):
            return Conclusion(BETTER, (), outcomes)
        parts = by_part(active)
        kept = tuple(
            name
            for name, cut in parts.items()
            if all(len(parts) * r.support(alpha) <= level for r in cut)
        )
        return Conclusion("not reproduced", (IN_PART,) * bool(kept), outcomes, parts=kept)
    supports = holm([r.support(alpha) for r in readings])
    refutes = holm([r.refute(alpha) for r in readings])
    holding = [r for r, p in zip(readings, supports, strict=True) if p <= level]
    failing = [r for r, p in zip(readings, refutes, strict=True) if p <= level]
    outcomes = {r.name: "open" for r in active} | idle
    outcomes |= {r.name: "fails" for r in failing} | {r.name: "holds" for r in holding}
    if holding and failing:
        return Conclusion("depends", (), outcomes, separating(holding, failing))
    return Conclusion("supported" if holding else "doubted" if failing else "open", (), outcomes)


def by_part(readings: Iterable[AnyReading]) -> dict[str, list[AnyReading]]:
    """Return, for each part, the readings that contain it, with only that part's checks."""
    parts: dict[str, list[AnyReading]] = {}
    for reading in readings:
        for name in dict.fromkeys(check.part for check in reading.checks):
            parts.setdefault(name, []).append(reading.of_part(name))
    return parts


def of_parts(readings: Sequence[AnyReading], alpha: float) -> dict[str, Conclusion]:
    """Return the rule's conclusion for each part of a claim."""
    level = decisive(readings, alpha)
    return {name: conclude(cut, alpha, level) for name, cut in by_part(readings).items()}


def separating(
    holding: Sequence[AnyReading], failing: Sequence[AnyReading]
) -> tuple[tuple[str, ...], ...]:
    """Return the smallest sets of choices whose alternatives distinguish two groups of readings."""

    def taken(names: tuple[str, ...], readings: Sequence[AnyReading]) -> set[Any]:
        return {tuple(r.alternatives.get(name) for name in names) for r in readings}

    choices = [*dict.fromkeys(name for r in (*holding, *failing) for name in r.alternatives)]
    for size in range(1, len(choices) + 1):
        sets = [*combinations(choices, size)]
        if apart := [s for s in sets if taken(s, holding).isdisjoint(taken(s, failing))]:
            return tuple(apart)
    return ()


def turning(readings: Sequence[AnyReading], alpha: float) -> float:
    """Return the largest error, at most ``alpha``, below which the word would differ.

    Return 0 if no smaller error changes the word. The word can change only at finitely many errors
    (``ends``). It is computed midway between neighbouring ends, because at the ends themselves it
    would depend on rounding.
    """
    word = conclude(readings, alpha).word
    share = decisive(readings, alpha) / alpha
    ends = {c.idle / IDLE for reading in readings for c in reading.checks}
    for p in {min(1.0, p) for reading in readings for p in reading.ends}:
        ends |= {rank * p / share for rank in range(1, len(readings) + 1)}
    ordered = sorted((end for end in ends if 0.0 < end <= alpha), reverse=True)
    for end, following in pairwise([*ordered, 0.0]):
        if conclude(readings, 0.5 * (end + following)).word != word:
            return end
    return 0.0


def grouped(items: Iterable[T], key: Callable[[T], Any]) -> list[list[T]]:
    """Return lists of the items with equal keys, in the order of the first item of each list."""
    groups: dict[Any, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return [*groups.values()]


def bonferroni(p_values: Sequence[float]) -> float:
    """Return Bonferroni's p-value for "at least one hypothesis is false", or 1 if there are
    none."""
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in their original order."""
    adjusted, largest = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted
