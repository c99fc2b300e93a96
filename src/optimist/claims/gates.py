r"""The gate, one for all claims: does somebody beat uniform play by the factor that a check names?

For a check that compares regrets with a bound, $b^* \ge 1$ is the end of the bound nearest to 1,
inverted if it is below 1; for growth it is 1.25. With M the learning methods that the check names,
$g(b) = \min(1, |M| \min_m p[\bar R_{uniform}/\bar R_m > b])$, and $p^+$ is at least $g(b^*)$,
$p^-$ at least $g(\min(b^*, 2))$: the cap keeps an exaggeration refutable. A check is idle as far as
$i = \max_m p[\bar R_{uniform}/\bar R_m < \min(b^*, 2)]$ shows that nobody does.

Gate and idle test have their own number of first trials: that of uniform play in the setting, or
that of the check if it is smaller, as a pair was first judged with the fewer of the two.

Over splits of data, which share most of what is trained on, the test is corrected as that of the
check.

In a check of several settings somebody has to learn in each of them, or in one of them where they
are tunings.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from optimist.claims.cells import Cells, Groups, Missing
from optimist.claims.checks import Check
from optimist.claims.first import GATE, UNIFORM, First, Rows, doubled
from optimist.claims.inference import RatioOfMeans
from optimist.claims.metrics.trials import by_split, by_trial, common
from optimist.core.label import name_of
from optimist.experiments.trials import CellKey

# The factor of checks that name none, and the largest that a refutation needs.
OF_GROWTH, MOST = 1.25, 2.0


@dataclass(frozen=True)
class Gate:
    r"""What uniform play says of a check.

    Attributes
    ----------
    factor : float
        $b^*$
    support, refute, idle : float
        $g(b^*)$, $g(\min(b^*, 2))$ and i.
    best : float
        How many times uniform play's regret is that of the best method, in the setting where that
        is least; nan if it is not known.
    remark : str
        Which cells are lacking, empty if none are.
    """

    factor: float
    support: float
    refute: float
    idle: float
    best: float = math.nan
    remark: str = ""


def factor_of(check: Check) -> float:
    """Return $b^*$ of a check."""
    if check.metric.gate == "growth":
        return OF_GROWTH
    ends = [end for end in check.allowed if 0.0 < end < math.inf]
    return min((max(end, 1.0 / end) for end in ends), default=1.0)


class Gates:
    """The gates of a paper's claims.

    Parameters
    ----------
    groups : Groups
    first : Rows
    paper : str
    """

    def __init__(self, groups: Groups, first: Rows, paper: str) -> None:
        self._groups, self._first, self._paper = groups, first, paper
        self._known: dict[tuple[Any, ...], tuple[RatioOfMeans | None, int]] = {}

    def of(self, claim: str, check: Check) -> Gate | None:
        """Return the gate of a claim's check, None if it has none."""
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
        capped, found, lacking = min(factor, MOST), [], []
        for pairs in learners.values():
            ratios = [self._ratio(claim, check, *pair) for pair in pairs]
            known = [(ratio, k) for ratio, k in ratios if ratio is not None]
            if len(known) < len(ratios):
                lacking.append(pairs[0][0])
            above = [
                min((doubled(r.p_values(b)[1], k) for r, k in known), default=1.0)
                for b in (factor, capped)
            ]
            below = [doubled(r.p_values(capped)[0], k) for r, k in known]
            idle = max(below) if below and not lacking and factor > 1.0 else 1.0
            support, refute = (min(1.0, len(pairs) * p) for p in above)
            best = max((r.value for r, _ in known), default=math.nan)
            found.append((support, refute, idle, best))
        supports, refutes, idles, bests = zip(*found, strict=True)
        remark = f"no uniform play in {', '.join(lacking)}" if lacking else ""
        idle = min(1.0, len(idles) * min(idles))
        return Gate(factor, max(supports), max(refutes), idle, min(bests), remark)

    def _ratio(
        self, claim: str, check: Check, setting: str, algorithm: str
    ) -> tuple[RatioOfMeans | None, int]:
        """Return regret of uniform play over that of a method, and k; None without such cells."""
        gate = f"{GATE}{setting}"
        first = self._first.get((claim, gate)) or self._first.get((self._paper, gate))
        own = self._first.get((claim, check.label))
        if first is not None and own is not None and own.unit == first.unit:
            first = replace(first, n0=min(first.n0, own.n0))
        key = setting, algorithm, first, check.splits, check.arguments.get("folds", 0)
        if key not in self._known:
            self._known[key] = self._measure(*key)
        return self._known[key]

    def _measure(
        self, setting: str, algorithm: str, first: First | None, splits: int, folds: int
    ) -> tuple[RatioOfMeans | None, int]:
        pairs = (setting, UNIFORM), (setting, algorithm)
        cells, k = counted(self._groups, first, [("regret", *pair) for pair in pairs])
        try:
            frames = cells.complete("finals", "regret", *pairs)
            sides = [by_trial(rows, "regret") for rows in frames]
            if splits:
                sides = [by_split(side, splits) for side in sides]
            top, bottom = common(sides)
        except Missing:
            return None, -1
        return RatioOfMeans(top, bottom, extra=1.0 / (folds - 1) if splits else 0.0), k


def counted(
    groups: Groups, first: First | None, cells: Sequence[CellKey], studied: Sequence[int] = ()
) -> tuple[Cells, int]:
    """Return cells cut to the units that count, and k; all of them without a row or below n0.

    ``studied`` has the numbers of units that studies have.

    Splits count by the trials that play them: the first trials play a split each, and further ones
    average its seeds, which is a new look too.
    """
    if first is None:
        return Cells(groups), 0
    numbers = (*studied, *(groups.number(*cell) for cell in cells))
    k = first.doublings(min(numbers, default=0))
    return Cells(groups, (first.start, first.stop(k)) if k >= 0 else None), k
