"""Jobs of the workflow: their inputs, resources, time limits and order."""

from collections.abc import Callable, Iterable
from typing import Any

from optimist.experiments.trials import Trials
from optimist.plan.basis import Basis
from optimist.plan.costs import priority
from optimist.plan.trials import PlannedTrials
from optimist.plan.workflow_location import default_resource

Limits = list[float] | None  # time limit of each cell in seconds
# Option that reserves a whole node, by the resource that passes extra options to the scheduler.
WORDS = {"slurm_extra": "--exclusive", "lsf_extra": "-x"}


class PlannedJobs:
    """Jobs, each of which plays trials of one cell (regret lane) or a race (timing lane).

    Parameters
    ----------
    basis : Basis
    trials : PlannedTrials
    """

    def __init__(self, basis: Basis, trials: PlannedTrials) -> None:
        self._basis, self._trials = basis, trials

    def of_run(self, wildcards: Any) -> list[Trials]:
        """Return the trials that a job of the rule ``run`` plays."""
        return [self._trials.find(wildcards)]

    def of_time(self, wildcards: Any) -> list[Trials]:
        """Return the trials that a job of the rule ``time`` plays."""
        return list(self._trials.race(wildcards).trials)

    def expected(self, trials: Iterable[Trials]) -> tuple[float, float]:
        """Return the expected time in seconds and peak memory in MiB of a job with ``trials``."""
        trials = list(trials)
        return sum(map(self._seconds, trials)), max(map(self._basis.costs.peak_mb, trials))

    def _seconds(self, trials: Trials) -> float:
        # The extra second keeps the time limits of very short trials well above zero.
        return 1.0 + self._basis.costs.seconds(trials)

    def request(self, of: Callable[[Any], list[Trials]]) -> dict[str, Any]:
        """Return the resources to request for jobs whose trials ``of`` returns."""
        return self._basis.costs.request(lambda wildcards: self.expected(of(wildcards)))

    def priority(self, of: Callable[[Any], list[Trials]]) -> Callable[[Any], int]:
        """Return a function that gives the priority of a job; the longest job starts first."""
        return lambda wildcards: priority(self.expected(of(wildcards)))

    def params(self, of: Callable[[Any], list[Trials]]) -> Callable[..., list[dict[str, Any]]]:
        """Return a params function that describes the trials of a job and gives their digests.

        Snakemake reruns a job whose parameters have changed, unless they depend on resources. The
        function takes ``resources`` only to prevent such reruns, which are unnecessary because each
        result file's name contains a digest of its inputs.
        """
        return lambda wildcards, resources: [
            {**trials.describe(), "digest": self._trials.digest(trials)} for trials in of(wildcards)
        ]

    def data(self, of: Callable[[Any], list[Trials]]) -> Callable[[Any], list[str]]:
        """Return an input function that gives the prepared data sets used by the trials."""

        def inputs(wildcards: Any) -> list[str]:
            names = {trials.cell.setting.dataset for trials in of(wildcards)} - {""}
            return [self._basis.layout.data(name) for name in sorted(names)]

        return inputs

    def limits(self, of: Callable[[Any], list[Trials]]) -> Callable[..., Limits]:
        """Return a params function that gives each cell's time limit, or None for no limits."""

        def limits(wildcards: Any, resources: Any) -> Limits:
            if not self._basis.config["resource_limits"]:
                return None
            trials = of(wildcards)
            # Up to two minutes are reserved for starting Python and writing results.
            usable = max(resources.runtime - 2, resources.runtime / 2)
            share = usable * 60 / sum(map(self._seconds, trials))
            return [share * self._seconds(t) for t in trials]

        return limits

    # Methods that keep other jobs off the cores or the node on which a race runs.

    def cores(self, workflow: Any) -> int:
        """Return the number of Snakemake's cores that a race reserves."""
        return self.kept(getattr(workflow.resource_settings, "cores", None) or 1)

    def kept(self, cores: int) -> int:
        """Return the number of the given ``cores`` that a race reserves."""
        if not self._basis.config["timing"]["exclusive"]:
            return 1
        most: int | None = self._basis.config["timing"]["cores"]
        return cores if most is None else min(cores, most)

    def alone(self, workflow: Any, name: str) -> Callable[..., str]:
        """Return a resource function that adds the option to reserve a whole node.

        Parameters
        ----------
        workflow : snakemake.workflow.Workflow
        name : str
            Name of the resource, a key of `WORDS`. The returned function includes the user's
            default for this resource, because a value set in a rule replaces the default.
        """
        default = default_resource(workflow, name)
        exclusive = WORDS[name] if self._basis.config["timing"]["exclusive"] else ""

        def words(wildcards: Any, **context: Any) -> str:
            said = default(wildcards, **context) if callable(default) else default
            return f"{said or ''} {exclusive}".strip()

        return words
