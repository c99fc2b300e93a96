"""Estimate of the time that the remaining trials will take."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from optimist.core.root import project_root
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials
from optimist.plan.costs import Costs, read


class Clock:
    """Estimate of the remaining time, from stored costs and from the trials that have ended."""

    def __init__(self, trials: Sequence[Trials]) -> None:
        costs = Costs(read(project_root() / "config" / "costs.csv"))
        self._left = Counter(one.cell.name for one in trials)
        self._ended: Counter[str] = Counter()
        self._seconds: dict[str, float] = defaultdict(float)  # by cell, for trials that have ended
        self._expected: dict[str, float] = {}
        for one in trials:
            cell = one.cell
            seconds = costs.seconds_of_cell(cell.paper, "regret", cell.setting, cell.algorithm)
            self._expected[cell.name] = costs.seconds(one) if math.isnan(seconds) else seconds

    def stop(self, trials: Trials, seconds: float) -> None:
        """Record that a trial ended after ``seconds``."""
        name = trials.cell.name
        self._left[name] -= 1
        self._ended[name] += 1
        self._seconds[name] += seconds

    def drop(self, cell: Cell) -> None:
        """Remove the remaining trials of a cell."""
        self._left[cell.name] = 0

    @property
    def left(self) -> float:
        """Remaining time on one core, in seconds.

        A trial without an estimate is assumed to take the mean time of the trials that have ended.
        """
        ended = self._ended.total()
        mean = sum(self._seconds.values()) / ended if ended else math.nan
        total = 0.0
        for name, number in self._left.items():
            done, seconds = self._ended[name], self._expected[name]
            if done:
                seconds = self._seconds[name] / done
            elif math.isnan(seconds):
                seconds = mean
            total += number * seconds if number else 0.0
        return total
