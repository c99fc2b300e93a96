"""Small result files, made as the workflow makes them."""

from cells import made

from optimist.core.layout import digest_in_name
from optimist.experiments import job
from optimist.experiments.cell_records import digest_of
from optimist.experiments.trials import Trials

SPEC = {
    "environment": "glm",
    "parameters": {"link": "logistic", "norm": 3},
    "problem": {"delta": 0.05},
    "horizon": 12,
}

RACE = "0" * 12  # digest in the name of the folder of a race


def toy_trials(lane="regret", *, setting="here", algorithm="gloc", first=0, stop=2, **changes):
    """Return a few short trials; ``changes`` are keys of its setting."""
    cell = made("toy", setting, algorithm, {**SPEC, **changes})
    return Trials(lane, cell, first, stop, race="0" if lane == "timing" else "")


def path_of(trials):
    """Return the path of the result file of some trials below a results folder."""
    is_timed = trials.lane == "timing"
    return trials.place(RACE if is_timed else digest_in_name(digest_of(trials, str), {})).path


def make(root, *asked, limits=None):
    """Make the result files of some trials in the results folder ``root``; return their paths.

    Trials of the timing lane are one race.
    """
    paths, data = [root / path_of(trials) for trials in asked], str(root / "data")
    described = [{**trials.describe(), "digest": digest_of(trials, str)} for trials in asked]
    if asked[0].lane == "timing":
        job.make_race(described, paths[0].parents[1], data, limits)
        return paths
    for one, path, limit in zip(described, paths, limits or [None] * len(asked), strict=True):
        job.make_result(one, path, data, limit)
    return paths


def asked(request, wildcards=None, attempt=1):
    """Return what a job asks a scheduler for, by name, from `optimist.plan.costs.Costs.request`."""
    return {name: of(wildcards, attempt) for name, of in request.items()}
