"""Batches: result files that one process makes, and what it asks a scheduler for."""

import math
from dataclasses import dataclass

from optimist.plan.costs import SNAKEMAKE_MB, Costs


@dataclass(frozen=True)
class Batch:
    """Result files that one process makes.

    Attributes
    ----------
    name : str
        Name of its rule, and of its log.
    inputs : list of str
        Source files and data sets that decide all its results.
    jobs : list of Job
    results : str
        The results folder.
    costs : Costs
    """

    name: str
    inputs: list
    jobs: list
    results: str
    costs: Costs

    @property
    def outputs(self):
        """The result files, in the order of ``specs``."""
        return [f"{self.results}/{job.path}" for job in self.jobs]

    @property
    def specs(self):
        """The resolved jobs as plain dicts."""
        return [job.describe() for job in self.jobs]

    @property
    def expected(self):
        """What it should take: seconds, and memory in MiB."""
        return sum(self._seconds), max(map(self.costs.peak_mb, self.jobs))

    @property
    def _seconds(self):
        # A second more each, or the limits of the shortest would be next to nothing.
        return [1.0 + self.costs.seconds(job) for job in self.jobs]

    @property
    def request(self):
        """What it asks a scheduler for, see `optimist.plan.costs.Costs.request`."""
        return self.costs.request(lambda wildcards: self.expected)

    def limits(self, wildcards, resources):
        """Return what each job may use: nearly all memory but Snakemake's own, and its share of
        nearly all time."""
        # The rest is for the start of Python and for writing what was found.
        usable = max(resources.runtime - 2, resources.runtime / 2)
        share = usable * 60 / sum(self._seconds)
        memory = 0.95 * (resources.mem_mb - SNAKEMAKE_MB)
        return [{"memory_mb": memory, "seconds": share * seconds} for seconds in self._seconds]


def pack(jobs, costs, *, files, seconds):
    """Yield jobs in their order, in lists of at most so many that take at most so long.

    Parameters
    ----------
    jobs : list of Job
    costs : Costs
    files : int
    seconds : float or None
        None: no limit. A job that alone takes longer is alone.
    """
    batch, total = [], 0.0
    for job in jobs:
        expected = costs.seconds(job)
        if batch and (len(batch) == files or total + expected > (seconds or math.inf)):
            yield batch
            batch, total = [], 0.0
        batch.append(job)
        total += expected
    yield batch
