"""Small result files, made as the workflow makes them."""

from pathlib import Path

from optimist.jobs import run_jobs
from optimist.runs import results
from optimist.runs.cell import Cell
from optimist.runs.trials import Job

SPEC = {
    "environment": "glm",
    "parameters": {"link": "logistic", "norm": 3},
    "learner": {"delta": 0.05},
    "horizon": 12,
}


def toy_job(lane="regret", *, setting="here", algorithm="gloc", first=0, stop=2, **changes):
    """Return a job of a few short trials; ``changes`` are keys of its setting."""
    return Job(lane, Cell("toy", setting, algorithm, {**SPEC, **changes}), first, stop)


def make(root, *jobs, limits=None):
    """Make the result files of some jobs in the results folder ``root``; return their paths."""
    outputs = [str(Path(root) / job.path) for job in jobs]
    run_jobs([job.describe() for job in jobs], outputs, results=str(root), limits=limits)
    return [Path(path) for path in outputs]


def rewrite(path, change):
    """Write a result file again after ``change(metadata)``."""
    table, metadata = results.read(path), results.read_metadata(path)
    change(metadata)
    path.unlink()  # it may be linked
    results.write(table, path, metadata)


def asked(request, wildcards=None, attempt=1):
    """Return what a job asks a scheduler for, by name, from `optimist.plan.costs.Costs.request`."""
    return {name: of(wildcards, attempt) for name, of in request.items()}
