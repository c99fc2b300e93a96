"""Small result files, made as the workflow makes them."""

from pathlib import Path

from optimist.layout import Layout
from optimist.records import provenance
from optimist.runs import results
from optimist.runs.cell import Cell
from optimist.runs.job import make_results
from optimist.runs.trials import Trials

SPEC = {
    "environment": "glm",
    "parameters": {"link": "logistic", "norm": 3},
    "problem": {"delta": 0.05},
    "horizon": 12,
}


def toy_trials(lane="regret", *, setting="here", algorithm="gloc", first=0, stop=2, **changes):
    """Return a few short trials; ``changes`` are keys of its setting."""
    return Trials(lane, Cell("toy", setting, algorithm, {**SPEC, **changes}), first, stop)


def make(root, *asked, limits=None):
    """Make the result files of some trials in the results folder ``root``; return their paths."""
    layout = Layout(str(root), str(root))
    outputs = [layout.result(trials.path) for trials in asked]
    described = [trials.describe() for trials in asked]
    make_results(described, outputs, layout.data_folder, layout.kept, provenance.collect, limits)
    return [Path(path) for path in outputs]


def metadata_of(table, horizon):
    """Return metadata of the form that results have, of the rows of one cell."""
    row, trials = table.slice(0, 1).to_pylist()[0], table["trial"].to_pylist()
    cell = {name: row[name] for name in ("paper", "setting", "algorithm")}
    asked = Trials("regret", Cell(**cell, spec={"horizon": horizon}), trials[0], trials[-1] + 1)
    described = {key: value for key, value in vars(asked).items() if key != "group"}
    return {
        "trials": {**described, "cell": vars(asked.cell), "code": "0" * 64},
        "resolved": {"dataset": None},
        "provenance": provenance.collect(),
        "observed": {"modules": {}, "files": {}},
    }


def rewrite(path, change):
    """Write a result file again after ``change(metadata)``."""
    table, metadata = results.read(path), results.read_metadata(path)
    change(metadata)
    metadata.pop("rows")
    results.write(table, path, metadata)


def asked(request, wildcards=None, attempt=1):
    """Return what a job asks a scheduler for, by name, from `optimist.plan.costs.Costs.request`."""
    return {name: of(wildcards, attempt) for name, of in request.items()}
