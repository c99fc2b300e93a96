"""Jobs: which result files one process makes, and what it asks a scheduler for."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from optimist.layout import LANES, Layout
from optimist.plan.costs import SNAKEMAKE_MB, Costs, priority
from optimist.plan.trials import PlannedTrials
from optimist.runs.trials import Trials

Limits = list[dict[str, float]] | None


@dataclass(frozen=True)
class Job:
    """Trials that one process plays, a result file each.

    Attributes
    ----------
    trials : tuple of Trials
    costs : Costs
    """

    trials: tuple[Trials, ...]
    costs: Costs

    @property
    def expected(self) -> tuple[float, float]:
        """What it should take: seconds, and memory in MiB."""
        return sum(self._seconds), max(map(self.costs.peak_mb, self.trials))

    @property
    def _seconds(self) -> list[float]:
        # A second more each, or the limits of the shortest would be next to nothing.
        return [1.0 + self.costs.seconds(trials) for trials in self.trials]

    def limits(self, resources: Any) -> list[dict[str, float]]:
        """Return what each of its trials may use: nearly all memory but Snakemake's own, and its
        share of nearly all time."""
        # The rest is for the start of Python and for writing what was found.
        usable = max(resources.runtime - 2, resources.runtime / 2)
        share = usable * 60 / sum(self._seconds)
        memory = 0.95 * (resources.mem_mb - SNAKEMAKE_MB)
        return [{"memory_mb": memory, "seconds": share * seconds} for seconds in self._seconds]


@dataclass(frozen=True)
class Rule:
    """What a rule for jobs of one lane says to Snakemake; each entry may be an input function."""

    name: str
    lane: str
    input: Any
    output: list[str]
    log: str
    benchmark: str
    request: dict[str, Any]
    priority: Any
    trials: Any
    limits: Callable[..., Limits]


class PlannedJobs:
    """The jobs of one configuration, as rules: one for each job or, where every file of the regret
    lane is a job of its own, one for any of them.

    Parameters
    ----------
    config : mapping
        A checked configuration.
    trials : PlannedTrials
    costs : Costs
    layout : Layout
    """

    def __init__(
        self, config: Mapping[str, Any], trials: PlannedTrials, costs: Costs, layout: Layout
    ) -> None:
        self._config = config
        self._trials = trials
        self._costs = costs
        self._layout = layout

    @property
    def rules(self) -> Iterator[Rule]:
        """The rules of all lanes."""
        for lane in LANES:
            if lane == "regret" and self._config["job_files"] == 1:
                yield self._any_file(lane)
            else:
                for name, job in self.of_lane(lane).items():
                    yield self._files(lane, name, job)

    def of_lane(self, lane: str) -> dict[str, Job]:
        """Return the jobs of a lane by the name of their rule.

        One of the timing lane is a race. One of the regret lane makes at most ``job_files`` files
        of at most ``job_seconds`` together, unless one takes longer, that wait for the same data.
        An edit of one algorithm runs the others of a job again, but results of the regret lane are
        kept (`optimist.runs.job.make_results`). A cell with foreign code shares a job with no other
        cell, whose numbers it might change.
        """
        alike: dict[tuple[str | None, ...], list[Trials]] = {}
        for trials in self._trials:
            if trials.lane == lane:
                cell = trials.cell
                is_regret = lane == "regret"
                waits_for = cell.spec.get("dataset") if is_regret else None
                alone = cell.name if is_regret and trials.is_foreign else None
                key = cell.paper, trials.group, trials.race, waits_for, alone
                alike.setdefault(key, []).append(trials)
        packed = (
            (paper, part)
            for (paper, *_), found in alike.items()
            for part in (self._pack(found) if lane == "regret" else [found])
        )
        return {
            f"{lane}_{paper}_{number:03d}": Job(tuple(part), self._costs)
            for number, (paper, part) in enumerate(packed)
        }

    def _pack(self, trials: Iterable[Trials]) -> Iterator[list[Trials]]:
        files, seconds = self._config["job_files"], self._config["job_seconds"]
        return pack(trials, self._costs, files=files, seconds=seconds)

    def threads(self, lane: str, workflow: Any) -> int:
        """Return the cores that a job reserves, of those that Snakemake has."""
        if not self.keeps_cores(lane):
            return 1
        return self.kept(getattr(workflow.resource_settings, "cores", None) or 1)

    def kept(self, cores: int) -> int:
        """Return how many of so many cores a timing job reserves."""
        most: int | None = self._config["timing"]["cores"]
        return cores if most is None else min(cores, most)

    def keeps_cores(self, lane: str) -> bool:
        """Return whether jobs of a lane reserve cores beside their own, or a node of a cluster."""
        return lane == "timing" and self._config["timing"]["exclusive"]

    def _files(self, lane: str, name: str, job: Job) -> Rule:
        return Rule(
            name,
            lane,
            input=self._data(job.trials),
            output=[self._layout.result(trials.path) for trials in job.trials],
            log=self._layout.log(name),
            benchmark=self._layout.benchmark(name),
            request=self._costs.request(lambda wildcards: job.expected),
            priority=priority(job.expected),
            trials=[trials.describe() for trials in job.trials],
            limits=self._limits(lambda wildcards: job),
        )

    def _any_file(self, lane: str) -> Rule:
        parts = (lane, "{paper}", "{setting}", "{algorithm}", "{trials}")

        def job(wildcards: Any) -> Job:
            return Job((self._trials.find(lane, wildcards),), self._costs)

        return Rule(
            f"{lane}_file",
            lane,
            input=lambda wildcards: self._data(job(wildcards).trials),
            output=[self._layout.any_result(lane)],
            log=self._layout.log(*parts),
            benchmark=self._layout.benchmark(*parts),
            request=self._costs.request(lambda wildcards: job(wildcards).expected),
            priority=lambda wildcards: priority(job(wildcards).expected),
            trials=lambda wildcards: [job(wildcards).trials[0].describe()],
            limits=self._limits(job),
        )

    def _data(self, trials: Iterable[Trials]) -> list[str]:
        """Return the prepared data sets that some trials are played on."""
        names = {t.cell.spec["dataset"] for t in trials if "dataset" in t.cell.spec}
        return [self._layout.data(name) for name in sorted(names)]

    def _limits(self, job: Callable[[Any], Job]) -> Callable[..., Limits]:
        """Return a params function: what ends the trials of a job early, None if nothing does.

        It is a function of resources in both cases, so that Snakemake makes no result again where
        only limits changed.
        """

        def limits(wildcards: Any, resources: Any) -> Limits:
            return job(wildcards).limits(resources) if self._config["resource_limits"] else None

        return limits


def pack(
    trials: Iterable[Trials], costs: Costs, *, files: int, seconds: float | None
) -> Iterator[list[Trials]]:
    """Yield trials in their order, in lists of at most so many files that take at most so long.

    ``seconds`` None means no limit. What takes longer by itself is alone.
    """
    part: list[Trials] = []
    total = 0.0
    for one in trials:
        expected = costs.seconds(one)
        if part and (len(part) == files or total + expected > (seconds or math.inf)):
            yield part
            part, total = [], 0.0
        part.append(one)
        total += expected
    yield part
