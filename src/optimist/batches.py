"""Batches: result files that one process makes, and what it asks a scheduler for."""

import math
from dataclasses import dataclass

from optimist.costs import SNAKEMAKE_MB, Costs


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

    def memory_mb(self, wildcards, attempt):
        """Return the memory to ask for, in MiB."""
        return self.costs.memory_to_ask(max(map(self.costs.peak_mb, self.jobs)), attempt)

    def minutes(self, wildcards, attempt):
        """Return the run time to ask for, in minutes."""
        return self.costs.minutes_to_ask(sum(map(self.costs.seconds, self.jobs)), attempt)

    def limits(self, wildcards, resources):
        """Return what each job may use: nearly all memory but Snakemake's own, and its share of
        nearly all time."""
        # A second more each, or the shortest would have next to nothing.
        expected = [1.0 + self.costs.seconds(job) for job in self.jobs]
        # The rest is for the start of Python and for writing what was found.
        usable = max(resources.runtime - 2, resources.runtime / 2)
        share = usable * 60 / sum(expected)
        memory = 0.95 * (resources.mem_mb - SNAKEMAKE_MB)
        return [{"memory_mb": memory, "seconds": share * seconds} for seconds in expected]


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
