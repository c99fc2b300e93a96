"""Estimate of the time needed for the remaining trials."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from optimist.core.root import project_root
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials
from optimist.plan.costs import Costs, read


class Clock:
    """Estimate of the remaining time, from stored costs and from ended trials."""

    def __init__(self, trials: Sequence[Trials]) -> None:
        costs = Costs(read(project_root() / "config" / "costs.csv"))
        self._left = Counter(one.cell.name for one in trials)
        self._ended: Counter[str] = Counter()
        self._seconds: dict[str, float] = defaultdict(float)  # time of the ended trials, by cell
        self._expected = {one.cell.name: costs.seconds(one) for one in trials}

    def stop(self, trials: Trials, seconds: float) -> None:
        """Record that a trial ended after ``seconds``."""
        name = trials.cell.name
        self._left[name] -= 1
        self._ended[name] += 1
        self._seconds[name] += seconds
        self._expected[name] = self._seconds[name] / self._ended[name]

    def drop(self, cell: Cell) -> None:
        """Remove the remaining trials of a cell."""
        self._left[cell.name] = 0

    @property
    def left(self) -> float:
        """Remaining time on one core, in seconds."""
        return sum(number * self._expected[name] for name, number in self._left.items())
