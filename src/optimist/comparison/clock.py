"""Estimate of the time that the remaining trials will take."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import mean

from optimist.core.root import project_root
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials
from optimist.plan.costs import Costs, read


class Clock:
    """Estimate of the remaining time, from stored costs and from the trials that have ended."""

    def __init__(self, trials: Sequence[Trials]) -> None:
        costs = Costs(read(project_root() / "config" / "costs.csv"))
        self._left = Counter(one.cell.name for one in trials)
        self._measured: dict[str, list[float]] = defaultdict(list)
        self._expected: dict[str, float] = {}
        for one in trials:
            cell = one.cell
            seconds = costs.seconds_of_cell(cell.paper, "regret", cell.setting, cell.algorithm)
            self._expected[cell.name] = costs.seconds(one) if math.isnan(seconds) else seconds

    def stop(self, trials: Trials, seconds: float) -> None:
        """Record that a trial ended after ``seconds``."""
        self._left[trials.cell.name] -= 1
        self._measured[trials.cell.name].append(seconds)

    def drop(self, cell: Cell) -> None:
        """Remove the remaining trials of a cell."""
        self._left[cell.name] = 0

    @property
    def left(self) -> float:
        """Remaining seconds on one core; a cell without an estimate uses the mean of all trials."""
        every = [seconds for measured in self._measured.values() for seconds in measured]
        total = 0.0
        for name, number in self._left.items():
            seconds = mean(self._measured.get(name) or [self._expected[name]])
            seconds = mean(every) if math.isnan(seconds) and every else seconds
            total += number * seconds if number else 0.0
        return total
