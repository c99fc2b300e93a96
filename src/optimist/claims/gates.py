r"""The gate: does any of a check's methods beat uniform play by the check's factor?

The factor of a check is $b^* \ge 1$. If the check compares regrets with a bound, the factor is the
end of the bound nearest to 1, inverted if it is below 1; if the check is about growth, the factor
is 1.25. Let M be the set of learning methods named by the check, and let
$g(b) = \min(1, |M| \min_m p[\bar R_{uniform}/\bar R_m > b])$. The gate raises $p^+$ to at least
$g(b^*)$ and $p^-$ to at least $g(\min(b^*, 2))$. Because of the cap at 2, exaggerated claims can
still be refuted. A check is idle if $i = \max_m p[\bar R_{uniform}/\bar R_m < \min(b^*, 2)]$ is
small, because the data then show that no method beats uniform play by this factor.

Uniform play in a setting and the check itself each have an $n_0$. The gate and the idle test use
the smaller one, because it limits the number of pairs at the first judgement. Splits of the data
share most training rows, so over splits the gate's tests are corrected in the same way as the
check. If a check has several settings, some method must beat uniform play in each of them or, if
the settings are tunings, in at least one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from optimist.claims.cells import Cells, Groups, Missing
from optimist.claims.checks import Check
from optimist.claims.evidence import RatioOfMeans
from optimist.claims.first import GATE, UNIFORM, First, Rows, doubled
from optimist.claims.metrics.trials import by_split, common, last
from optimist.claims.rule import bonferroni
from optimist.claims.tails import NEITHER
from optimist.core.label import name_of
from optimist.experiments.trials import CellKey

# The factor for checks of growth, and the cap on the factor used to refute a check.
OF_GROWTH, MOST = 1.25, 2.0


@dataclass(frozen=True)
class Gate:
    r"""P-values from the comparison of a check's methods with uniform play.

    Attributes
    ----------
    support, refute, idle : float
        $g(b^*)$, $g(\min(b^*, 2))$ and i, see `optimist.claims.gates`.
    remark : str
        Names the settings without uniform play; empty if there are none.
    """

    support: float
    refute: float
    idle: float
    remark: str = ""


def factor_of(check: Check) -> float:
    """Return the factor $b^*$ of a check."""
    if check.metric.gate == "growth":
        return OF_GROWTH
    ends = [end for end in check.allowed if 0.0 < end < math.inf]
    return min((max(end, 1.0 / end) for end in ends), default=1.0)


class Gates:
    """The gates of a paper's claims."""

    def __init__(self, groups: Groups, first: Rows, paper: str) -> None:
        self.groups, self.first, self._paper = groups, first, paper
        self._measured = cache(self._measure)

    def of(self, claim: str, check: Check) -> Gate | None:
        """Return the gate of a claim's check, or None if the check needs no gate."""
        if not check.metric.gate:
            return None
        learners: dict[str, list[tuple[str, str]]] = {}
        for _, setting, algorithm in check.cells:
            if name_of(algorithm) != UNIFORM:
                place = "" if check.metric.gate == "tuned" else setting
                learners.setdefault(place, []).append((setting, algorithm))
        if not learners:
            return None
        factor = factor_of(check)
        capped, places, lacking = min(factor, MOST), [], []
        for pairs in learners.values():
            ratios = [self._ratio(claim, check, *pair) for pair in pairs]
            if None in ratios:
                lacking.append(pairs[0][0])
            above = (
                bonferroni([_p_values(ratio, bound)[1] for ratio in ratios])
                for bound in (factor, capped)
            )
            below = max(_p_values(ratio, capped)[0] for ratio in ratios)
            places.append((*above, below if factor > 1.0 else 1.0))
        supports, refutes, idles = zip(*places, strict=True)
        remark = f"no uniform play in {', '.join(lacking)}" if lacking else ""
        return Gate(max(supports), max(refutes), bonferroni(idles), remark)

    def _ratio(
        self, claim: str, check: Check, setting: str, algorithm: str
    ) -> tuple[RatioOfMeans, int] | None:
        """Return evidence about uniform play's regret divided by a method's, with its doublings k.

        Return None if there are no results to compare.
        """
        gate = f"{GATE}{setting}"
        first = self.first.get((claim, gate)) or self.first.get((self._paper, gate))
        row = self.first.get((claim, check.label))
        if first is not None and row is not None and row.unit == first.unit:
            first = replace(first, n0=min(first.n0, row.n0))
        folds = check.arguments.get("folds", 0)
        return self._measured(setting, algorithm, first, check.splits, folds)

    def _measure(
        self, setting: str, algorithm: str, first: First | None, splits: int, folds: int
    ) -> tuple[RatioOfMeans, int] | None:
        pairs = (setting, UNIFORM), (setting, algorithm)
        cells, k = counted(self.groups, first, [("regret", *pair) for pair in pairs])
        try:
            frames = cells.complete("finals", "regret", *pairs)
            sides = [last(rows, "regret") for rows in frames]
            top, bottom = common([by_split(side, splits) for side in sides] if splits else sides)
        except Missing:
            return None
        return RatioOfMeans(top, bottom, extra=1.0 / (folds - 1) if splits else 0.0), k


def _p_values(ratio: tuple[RatioOfMeans, int] | None, bound: float) -> Sequence[float]:
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
