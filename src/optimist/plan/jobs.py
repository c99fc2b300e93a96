"""Jobs of the workflow: their inputs, resources, time limits and order."""

from collections.abc import Callable, Iterable
from typing import Any

from optimist.experiments.trials import Trials
from optimist.plan.basis import Basis
from optimist.plan.costs import priority
from optimist.plan.trials import PlannedTrials
from optimist.plan.workflow_location import default_resource

Limits = list[float] | None  # seconds of each cell
# Resources that may hold further scheduler options, by executor, and the option for an exclusive
# node.
WORDS = {"slurm_extra": "--exclusive", "lsf_extra": "-x"}


class PlannedJobs:
    """Jobs that play trials: trials of one cell (regret lane), or a race (timing lane).

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
        """Return the expected seconds and memory in MiB of a job."""
        trials = list(trials)
        return sum(map(self._seconds, trials)), max(map(self._basis.costs.peak_mb, trials))

    def _seconds(self, trials: Trials) -> float:
        # The added second keeps the limits of very short trials above zero.
        return 1.0 + self._basis.costs.seconds(trials)

    def request(self, of: Callable[[Any], list[Trials]]) -> dict[str, Any]:
        """Return the resources of a rule whose jobs play the trials that ``of`` returns."""
        return self._basis.costs.request(lambda wildcards: self.expected(of(wildcards)))

    def priority(self, of: Callable[[Any], list[Trials]]) -> Callable[[Any], int]:
        """Return the priority function of such jobs: the longest job starts first."""
        return lambda wildcards: priority(self.expected(of(wildcards)))

    def params(self, of: Callable[[Any], list[Trials]]) -> Callable[..., list[dict[str, Any]]]:
        """Return a params function: descriptions of trials, with the digests of cells.

        Snakemake compares parameters unless they depend on resources. These do, because the name of
        a result already has the digest.
        """
        return lambda wildcards, resources: [
            {**trials.describe(), "digest": self._trials.digest(trials)} for trials in of(wildcards)
        ]

    def data(self, of: Callable[[Any], list[Trials]]) -> Callable[[Any], list[str]]:
        """Return an input function: the prepared data sets of the trials."""

        def inputs(wildcards: Any) -> list[str]:
            specs = [trials.cell.spec for trials in of(wildcards)]
            names = {spec["dataset"] for spec in specs if "dataset" in spec}
            return [self._basis.layout.data(name) for name in sorted(names)]

        return inputs

    def limits(self, of: Callable[[Any], list[Trials]]) -> Callable[..., Limits]:
        """Return a params function: the time limits of trials, or None."""

        def limits(wildcards: Any, resources: Any) -> Limits:
            if not self._basis.config["resource_limits"]:
                return None
            trials = of(wildcards)
            # The rest is for the start of Python and for writing results.
            usable = max(resources.runtime - 2, resources.runtime / 2)
            share = usable * 60 / sum(map(self._seconds, trials))
            return [share * self._seconds(t) for t in trials]

        return limits

    # Races have a machine to themselves.

    def cores(self, workflow: Any) -> int:
        """Return how many of Snakemake's cores a race reserves."""
        return self.kept(getattr(workflow.resource_settings, "cores", None) or 1)

    def kept(self, cores: int) -> int:
        """Return how many of ``cores`` a race reserves."""
        if not self._basis.config["timing"]["exclusive"]:
            return 1
        most: int | None = self._basis.config["timing"]["cores"]
        return cores if most is None else min(cores, most)

    def alone(self, workflow: Any, name: str) -> Callable[..., str]:
        """Return a resource function: the user's scheduler options and one for exclusive nodes.

        Parameters
        ----------
        workflow : snakemake.workflow.Workflow
        name : str
            A key of `WORDS`. A rule's value of a resource replaces Snakemake's default.
        """
        default = default_resource(workflow, name)
        exclusive = WORDS[name] if self._basis.config["timing"]["exclusive"] else ""

        def words(wildcards: Any, **context: Any) -> str:
            said = default(wildcards, **context) if callable(default) else default
            return f"{said or ''} {exclusive}".strip()

        return words
