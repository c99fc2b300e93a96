"""What jobs of the workflow read, ask a scheduler for, and how they are ordered."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from optimist.experiments.trials import Trials
from optimist.plan.costs import priority
from optimist.plan.workflow_location import default_resource

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

Limits = list[float] | None  # seconds of each cell
# Resources in which a laboratory says more to its scheduler, by executor, and how a job asks there
# for a node of its own.
WORDS = {"slurm_extra": "--exclusive", "lsf_extra": "-x"}


class PlannedJobs:
    """The jobs of one configuration that play trials: of the regret lane one for some trials of a
    cell, of the timing lane one for a race.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan

    def of_run(self, wildcards: Any) -> list[Trials]:
        """Return what a job of the rule ``run`` plays."""
        return [self._plan.trials.find(wildcards)]

    def of_time(self, wildcards: Any) -> list[Trials]:
        """Return what a job of the rule ``time`` plays."""
        return list(self._plan.trials.race(wildcards).trials)

    def expected(self, trials: Iterable[Trials]) -> tuple[float, float]:
        """Return the seconds and the memory in MiB that a job should take."""
        trials = list(trials)
        return sum(map(self._seconds, trials)), max(map(self._plan.costs.peak_mb, trials))

    def _seconds(self, trials: Trials) -> float:
        # A second more each, or the limits of the shortest would be next to nothing.
        return 1.0 + self._plan.costs.seconds(trials)

    def request(self, of: Callable[[Any], list[Trials]]) -> dict[str, Any]:
        """Return the resources of a rule whose jobs play what ``of`` returns for wildcards."""
        return self._plan.costs.request(lambda wildcards: self.expected(of(wildcards)))

    def priority(self, of: Callable[[Any], list[Trials]]) -> Callable[[Any], int]:
        """Return the priority of such a job: the longest is started first."""
        return lambda wildcards: priority(self.expected(of(wildcards)))

    def params(self, of: Callable[[Any], list[Trials]]) -> Callable[..., list[dict[str, Any]]]:
        """Return a params function: the description of trials, with the digests of cells.

        The names of results have the digest, so that nothing is made again for a parameter, which
        Snakemake compares unless it depends on resources.
        """
        return lambda wildcards, resources: [
            {**trials.describe(), "digest": self._plan.trials.digest(trials)}
            for trials in of(wildcards)
        ]

    def data(self, of: Callable[[Any], list[Trials]]) -> Callable[[Any], list[str]]:
        """Return an input function: the prepared data sets that trials are played on."""

        def inputs(wildcards: Any) -> list[str]:
            specs = [trials.cell.spec for trials in of(wildcards)]
            names = {spec["dataset"] for spec in specs if "dataset" in spec}
            return [self._plan.layout.data(name) for name in sorted(names)]

        return inputs

    def limits(self, of: Callable[[Any], list[Trials]]) -> Callable[..., Limits]:
        """Return a params function: what ends the trials of a job early, None if nothing does."""

        def limits(wildcards: Any, resources: Any) -> Limits:
            if not self._plan.config["resource_limits"]:
                return None
            trials = of(wildcards)
            # The rest is for the start of Python and for writing what was found.
            usable = max(resources.runtime - 2, resources.runtime / 2)
            share = usable * 60 / sum(map(self._seconds, trials))
            return [share * self._seconds(t) for t in trials]

        return limits

    # Races have a machine of their own.

    def cores(self, workflow: Any) -> int:
        """Return the cores that a race reserves, of those that Snakemake has."""
        return self.kept(getattr(workflow.resource_settings, "cores", None) or 1)

    def kept(self, cores: int) -> int:
        """Return how many of so many cores a race reserves."""
        if not self._plan.config["timing"]["exclusive"]:
            return 1
        most: int | None = self._plan.config["timing"]["cores"]
        return cores if most is None else min(cores, most)

    def alone(self, workflow: Any, name: str) -> Callable[..., str]:
        """Return a resource function: the words of a laboratory, and those for a node of one's own.

        Parameters
        ----------
        workflow : snakemake.workflow.Workflow
        name : str
            A key of `WORDS`. Snakemake replaces the default of a resource by that of a rule.
        """
        default = default_resource(workflow, name)
        own = WORDS[name] if self._plan.config["timing"]["exclusive"] else ""

        def words(wildcards: Any, **known: Any) -> str:
            said = default(wildcards, **known) if callable(default) else default
            return f"{said or ''} {own}".strip()

        return words
