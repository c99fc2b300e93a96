"""Jobs of the workflow: their inputs, resources, time limits and order."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optimist.experiments.trials import Trials
from optimist.plan.costs import priority

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

# Option that reserves a whole node, by the resource that passes extra options to the scheduler.
WORDS = {"slurm_extra": "--exclusive", "lsf_extra": "-x"}


class PlannedJobs:
    """Jobs, each of which plays trials of one cell (rule ``run``) or a race (rule ``time``).

    ``wildcards`` are those of either rule.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan

    def trials(self, wildcards: Any) -> list[Trials]:
        """Return the trials that a job plays."""
        if hasattr(wildcards, "race"):
            return list(self._plan.trials.race(wildcards).trials)
        return [self._plan.trials.find(wildcards)]

    def _seconds(self, trials: Trials) -> float:
        # The extra second keeps the time limits of very short trials well above zero.
        return 1.0 + self._plan.costs.seconds(trials)

    def expected(self, wildcards: Any) -> tuple[float, float]:
        """Return the expected time in seconds and peak memory in MiB of a job."""
        trials = self.trials(wildcards)
        return sum(map(self._seconds, trials)), max(map(self._plan.costs.peak_mb, trials))

    def priority(self, wildcards: Any) -> int:
        """Return the priority of a job; the longest job starts first."""
        return priority(self.expected(wildcards))

    def params(self, wildcards: Any) -> list[dict[str, object]]:
        """Return descriptions of the trials of a job, with their digests."""
        digest = self._plan.trials.digest
        return [{**one.describe(), "digest": digest(one)} for one in self.trials(wildcards)]

    def data(self, wildcards: Any) -> list[str]:
        """Return the paths of the prepared data sets used by the trials."""
        names = {trials.cell.setting.dataset for trials in self.trials(wildcards)} - {""}
        return [*map(self._plan.layout.data, sorted(names))]

    def limits(self, wildcards: Any, resources: Any) -> list[float] | None:
        """Return the time limit of each cell in seconds, or None for no limits."""
        if not self._plan.config["resource_limits"]:
            return None
        seconds = [*map(self._seconds, self.trials(wildcards))]
        # Up to two minutes are reserved for starting Python and writing results.
        usable = max(resources.runtime - 2, resources.runtime / 2)
        share = usable * 60 / sum(seconds)
        return [share * one for one in seconds]

    # Methods that keep other jobs off the cores or the node on which a race runs.

    def cores(self, given: int) -> int:
        """Return the number of the ``given`` cores that a race reserves."""
        timing = self._plan.config["timing"]
        if not timing["exclusive"]:
            return 1
        return given if timing["cores"] is None else min(given, timing["cores"])

    def alone(self, name: str, default: Any) -> Callable[..., str]:
        """Return a resource function that adds the option to reserve a whole node.

        Parameters
        ----------
        name : str
            Name of the resource, a key of `WORDS`.
        default : str, callable or None
            The user's default for this resource, which a value set in a rule would replace.
        """
        exclusive = WORDS[name] if self._plan.config["timing"]["exclusive"] else ""

        def words(wildcards: Any, **context: Any) -> str:
            said = default(wildcards, **context) if callable(default) else default
            return f"{said or ''} {exclusive}".strip()

        return words
