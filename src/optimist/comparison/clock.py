"""Estimate of the time that the remaining trials will take."""

from collections.abc import Iterable

from optimist.core.root import project_root
from optimist.experiments.cell import Cell
from optimist.experiments.trials import Trials
from optimist.plan.costs import Costs, read


class Clock:
    """The remaining seconds of trials: first from costs, then from trials that have ended."""

    def __init__(self) -> None:
        self._costs = Costs(read(project_root() / "config" / "costs.csv"))
        self._left: dict[str, int] = {}
        self._measured: dict[str, list[float]] = {}
        self._expected: dict[str, float] = {}

    def begin(self, trials: Iterable[Trials]) -> None:
        """Add trials to the remaining ones."""
        for one in trials:
            name = one.cell.name
            self._left[name] = self._left.get(name, 0) + 1
            cell = one.cell
            known = self._costs.seconds_of_cell(cell.paper, "regret", cell.setting, cell.algorithm)
            self._expected[name] = known if known != known else self._costs.seconds(one)

    def stop(self, trials: Trials, seconds: float) -> None:
        """Record that a trial ended, with its seconds."""
        self._left[trials.cell.name] -= 1
        self._measured.setdefault(trials.cell.name, []).append(seconds)

    def drop(self, cell: Cell) -> None:
        """Remove the remaining trials of a cell."""
        self._left[cell.name] = 0

    @property
    def left(self) -> float:
        """Remaining seconds on one core."""
        return sum(number * self._of(name) for name, number in self._left.items() if number)

    def _of(self, name: str) -> float:
        """Return the seconds of a trial of a cell, or the mean over all trials if unmeasured."""
        measured = self._measured.get(name)
        if measured:
            return sum(measured) / len(measured)
        expected = self._expected[name]
        others = [seconds for known in self._measured.values() for seconds in known]
        return sum(others) / len(others) if expected != expected and others else expected
