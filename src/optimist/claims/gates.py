r"""The gate: does somebody learn, so that a check can decide?

If no method learns, every regret equals uniform play's, and ratios and growth say nothing
about methods. So a method must beat uniform play by the check's factor $b^* \ge 1$: if the check
compares regrets with a bound, the end of the bound nearest to 1, inverted if it is below 1; if the
check is about growth, 1.25. For a set M of cells (s, m), let

$$g(M, b) = \min\bigl(1, |M| \min_M p[\bar R_{uniform,s}/\bar R_m > b]\bigr), \qquad
  i(M) = \max_M p[\bar R_{uniform,s}/\bar R_m < c], \qquad c = \min(b^*, 2).$$

Which set must learn depends on the number of learning methods in the check. Let $N_s$ be those in
setting s, and $A_s$ all methods of the paper's counted readings that play in s.

1. *Two or more methods*: $g(b) = \max_s g(N_s, b)$. A third method's success says nothing about
   two that play uniformly, whose ratio is 1 in any setting.
2. *One method in one setting*: $A_s$ replaces $N_s$. A method that never learns has the largest
   ratio to uniform play, which says something as soon as another method succeeds there. Settings
   that are tunings count as one place.
3. *One method in several settings*: "below the bound" needs the method to learn in each of them,
   low(b) = $\max_s g(N_s, b)$; "above the bound" needs a method that learns in each of them, and
   this one in at least one, high(b) = $\max(\max_s g(A_s, b), g(\cup N_s, b))$.

The gate raises $p^+$ to at least its value at $b^*$, and $p^-$ to at least its value at c. Because
of this cap at 2, exaggerated claims can still be refuted. A check is idle if i is small: nobody who
could open the gate beats uniform play by c. Checks with $b^* = 1$ are never idle.

Uniform play does not see all options of a setting (`optimist.claims.cells.Groups`). A gate counts
trials from the check's first one on, and its n0 is the smallest number that its test needs. Splits
of data share most training rows, so over splits the gate's test is corrected like the check's.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Self

from optimist.claims.cells import UNIFORM, Cells, Groups, Missing, by_split, common, last
from optimist.claims.claim import Check, Gate, Pair
from optimist.claims.evidence import MedianRatio, RatioOfMeans
from optimist.claims.first import UNITS, First, Rows, doubled
from optimist.claims.rule import bonferroni, grouped
from optimist.claims.tails import NEITHER
from optimist.experiments.trials import CellKey

# The factor for checks of growth, and the cap on the factor used to refute a check.
OF_GROWTH, MOST = 1.25, 2.0


def factor_of(check: Check) -> float:
    """Return the factor $b^*$ of a check."""
    if check.metric.gate == "growth":
        return OF_GROWTH
    ends = [end for end in check.allowed if 0.0 < end < math.inf]
    return min((max(end, 1.0 / end) for end in ends), default=1.0)


class Gates:
    """The gates of a paper's claims.

    Parameters
    ----------
    groups : Groups
    first : mapping
        Rows of config/first.csv.
    learners : mapping
        For each setting, the methods of counted readings that the paper's own runs play in it.
    least : int
        Smallest number of trials with which the paper's checks are decided.
    """

    def __init__(
        self,
        groups: Groups,
        first: Rows,
        learners: Mapping[str, Sequence[str]],
        least: int = 1,
    ) -> None:
        self.groups, self.first, self.learners = groups, first, learners
        self._least = {**UNITS, "trials": max(UNITS["trials"], least)}
        self._measured = cache(self._measure)

    def on(self, groups: Groups) -> Self:
        """Return the same gates on other tables."""
        return type(self)(groups, self.first, self.learners, self._least["trials"])

    def of(self, claim: str, check: Check, *, is_typical: bool = False) -> Gate | None:
        """Return the gate of a claim's check, or None if the check needs no gate.

        If ``is_typical``, the sign test compares the methods with uniform play, from 10 trials on.
        """
        if not check.metric.gate:
            return None
        named = [(s, a) for _, s, a in check.cells if a != UNIFORM]
        if not named:
            return None
        row = self.first.get((claim, check.label))
        unit = row.unit if row else check.metric.units
        n0 = UNITS[unit] if is_typical else self._least[unit]
        first = First(unit, row.start if row else 0, n0)
        folds = check.arguments.get("folds", 0)

        def ratio(pair: Pair) -> "tuple[RatioOfMeans | MedianRatio, int] | None":
            return self._measured(*pair, first, check.splits, folds, is_typical)

        is_tuned = check.metric.gate == "tuned"
        each = grouped(named, lambda pair: "" if is_tuned else pair[0])
        every = [self._learning(place, first) for place in each]
        # `below` and `above` are the sets that must learn before a value is said to lie there.
        below = above = tested = each
        if len({algorithm for _, algorithm in named}) == 1:
            above = tested = every if len(each) == 1 else [*every, named]
            below = every if len(each) == 1 else each

        def opened(sets: Sequence[Sequence[Pair]], bound: float) -> float:
            return max(bonferroni([_p_values(ratio(pair), bound)[1] for pair in m]) for m in sets)

        factor = factor_of(check)
        capped = min(factor, MOST)
        holding, failing = (above, below) if check.relation == "above" else (below, above)
        idles = [max([_p_values(ratio(one), capped)[0] for one in m], default=1.0) for m in tested]
        opening = tuple(dict.fromkeys(pair for m in (*below, *above) for pair in m))
        lacking = tuple(dict.fromkeys(s for s, a in opening if ratio((s, a)) is None))
        return Gate(
            opened(holding, factor),
            opened(failing, capped),
            bonferroni(idles) if factor > 1.0 else 1.0,
            f"no uniform play in {', '.join(lacking)}" if lacking else "",
            lacking,
            opening,
            above is not each,
        )

    def _learning(self, place: Sequence[Pair], first: First) -> list[Pair]:
        """Return the cells of counted methods in a place that have enough trials for the test."""
        return [
            (setting, algorithm)
            for setting in dict.fromkeys(setting for setting, _ in place)
            for algorithm in self.learners.get(setting, ())
            if first.doublings(self.groups.number("regret", setting, algorithm)) >= 0
        ]

    def _measure(
        self,
        setting: str,
        algorithm: str,
        first: First,
        splits: int,
        folds: int,
        is_typical: bool,
    ) -> "tuple[RatioOfMeans | MedianRatio, int] | None":
        """Return evidence about uniform play's regret divided by a method's, with its doublings k.

        Return None if there are no results to compare.
        """
        pairs = (setting, UNIFORM), (setting, algorithm)
        cells, k = counted(self.groups, first, [("regret", *pair) for pair in pairs])
        try:
            frames = cells.complete("finals", "regret", *pairs)
            sides = [last(rows, "regret") for rows in frames]
            top, bottom = common([by_split(side, splits) for side in sides] if splits else sides)
        except Missing:
            return None
        if is_typical:
            return MedianRatio(top, bottom), k
        extra = 1.0 / (folds - 1) if splits else 0.0
        return RatioOfMeans(top, bottom, UNITS[first.unit], extra), k


def _p_values(
    ratio: "tuple[RatioOfMeans | MedianRatio, int] | None", bound: float
) -> Sequence[float]:
    """Return a ratio's p-values at a bound, corrected for the ratio's doublings."""
    return [doubled(p, ratio[1]) for p in ratio[0].p_values(bound)] if ratio else NEITHER


def counted(
    groups: Groups, first: First | None, cells: Sequence[CellKey], studied: Sequence[int] = ()
) -> tuple[Cells, int]:
    """Return `Cells` limited to the counted units, and the number k of doublings.

    All units count if ``first`` is None or if there are fewer than n0 units. ``studied`` holds the
    number of units in each study.

    If the units are splits, the trials that play them are counted. After one trial per split,
    further trials play the splits again with new seeds and are averaged with the earlier ones, so
    they too are a new look at the data.
    """
    if first is None:
        return Cells(groups), 0
    number = min((*studied, *(groups.number(*cell) for cell in cells)), default=0)
    k = first.doublings(number)
    if k < 0:
        return Cells(groups), k
    return Cells(groups, (first.start, first.stop(k)), number - first.stop(k)), k
