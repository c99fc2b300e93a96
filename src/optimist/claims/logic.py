r"""From p-values to words: checks, parts, readings and claims.

Every check has two one-sided p-values: $p^+$, small if the data show what the check states, and
$p^-$, small if they refute it. Checks of a part, and parts of a reading, must all hold, so that
$p^+$ of a conjunction is the largest of its members (intersection-union: Berger, 1982) and $p^-$ is
$m \min p^-$ over its $m$ checks (Bonferroni, the first step of Holm, 1979). Nothing is corrected
where all must hold; everything is where one of several decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

EMPIRICAL = ("reproduced", "partly", "not reproduced", "undecided", "missing")


@dataclass(frozen=True)
class Part:
    """What a claim asserts by itself.

    Attributes
    ----------
    name : str
    supports : tuple of float
        $p^+$ of its checks.
    refutes : tuple of float
        $p^-$ of its checks, but of what was not run.
    """

    name: str
    supports: tuple[float, ...]
    refutes: tuple[float, ...]

    @property
    def support(self) -> float:
        """The p-value that all of its checks hold."""
        return max(self.supports)

    @property
    def refute(self) -> float:
        """The p-value that one of its checks fails."""
        return bonferroni(self.refutes)


@dataclass(frozen=True)
class Conjunction:
    """The parts of a reading, all of which must hold."""

    parts: tuple[Part, ...]

    @property
    def refutes(self) -> tuple[float, ...]:
        """$p^-$ of all checks."""
        return tuple(p for part in self.parts for p in part.refutes)

    @property
    def support(self) -> float:
        """The p-value that the reading holds."""
        return max(part.support for part in self.parts)

    @property
    def refute(self) -> float:
        """The p-value that it fails."""
        return bonferroni(self.refutes)

    def outcome(self, alpha: float) -> str:
        """Return ``holds``, ``fails``, ``mixed`` or ``undecided``.

        Mixed is a reading that fails although one of its parts holds.
        """
        if self.support <= alpha:
            return "holds"
        if self.refute > alpha:
            return "undecided"
        some = bonferroni([part.support for part in self.parts])
        return "mixed" if some <= alpha else "fails"

    @property
    def units(self) -> list[float]:
        """$p^+$ of what could hold by itself: the parts."""
        return [part.support for part in self.parts]


def bonferroni(p_values: Sequence[float]) -> float:
    """Return the p-value that one of several hypotheses is false, given that of each; 1 of none."""
    return min(1.0, len(p_values) * min(p_values)) if p_values else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method (1979), in the given order."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def one_suffices(tunings: Sequence[Conjunction]) -> Conjunction:
    """Return what is known where one of several tunings suffices.

    One of them was chosen for its outcome, so $p^+$ is corrected; all must fail for it to fail.
    """
    support = bonferroni([tuning.support for tuning in tunings])
    refute = max(tuning.refute for tuning in tunings)
    return Conjunction((Part("one of several", (support,), (refute,)),))


def conclude(
    readings: Sequence[Conjunction], alpha: float, refutes: Sequence[float] | None = None
) -> str:
    """Return the word for an empirical claim with these counted readings.

    ``refutes`` are $p^-$ of their checks, each once though several readings may have it; by default
    all that the readings have.

    Wrong words have the following chances, under any dependence: ``reproduced`` where a counted
    check is false, and ``not reproduced`` where a reading is true, at most ``alpha``; ``partly`` at
    most 2 ``alpha`` where all is true, and ``alpha`` where no part is.
    """
    outcomes = [reading.outcome(alpha) for reading in readings]
    if all(outcome == "holds" for outcome in outcomes):
        return "reproduced"
    all_fail = all(outcome in ("fails", "mixed") for outcome in outcomes)
    if refutes is None:
        refutes = [p for reading in readings for p in reading.refutes]
    if _something_holds(readings, alpha) and (all_fail or bonferroni(refutes) <= alpha):
        return "partly"
    return "not reproduced" if all_fail else "undecided"


def _something_holds(readings: Sequence[Conjunction], alpha: float) -> bool:
    """Return whether a part holds, or, where there are several readings, one of several parts."""
    units = [p for reading in readings for p in reading.units]
    if len(readings) > 1:
        units += [reading.support for reading in readings if len(reading.parts) > 1]
    return bonferroni(units) <= alpha
