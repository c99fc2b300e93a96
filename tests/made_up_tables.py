"""Tables as a paper's runs and studies would make them, of made-up numbers without meaning."""

import functools

import numpy as np
import pandas as pd
from toy_environments import STAND_IN

from optimist.config.load import load_paper, paper_names
from optimist.experiments.trials import expand
from optimist.figures.studies import STUDIES, of_paper

PAPERS = {name: load_paper(name) for name in paper_names()}


@functools.cache
def made_up(name, status="ok"):
    """Return tables with three trials of every cell of a paper, and of every study."""
    paper = PAPERS[name]
    cells = list(dict.fromkeys(trials.key[1:] for trials in expand(paper)))
    rounds = [1, 2, 3, 5, 10, 20, 50, 100]
    rows = [
        (setting, algorithm, trial, t, status, (i % 7 + trial + 1.0) * t, 1e-3 * (i % 5 + 1) * t)
        for i, (setting, algorithm) in enumerate(cells)
        for trial in range(3)
        for t in rounds
    ]
    names = ["setting", "algorithm", "trial", "round", "status", "regret", "seconds"]
    runs = pd.DataFrame(rows, columns=names)
    more = {"select_seconds": runs["seconds"] / 2, "state_bytes": 100, "selections": np.nan}
    curves = runs.groupby(["setting", "algorithm", "round"], sort=False)["regret"].mean()
    curves = curves.reset_index().rename(columns={"regret": "mean"})
    curves = curves.assign(low=curves["mean"] - 0.5, high=curves["mean"] + 0.5, trials=3)
    if status != "ok":
        curves = curves.iloc[:0]
    counters = {p["column"] for e in paper.figures.values() for p in e["panels"] if "column" in p}
    made = made_up_studies(paper, status)
    return {
        **{n: table for n, table in made_in_short(name).items() if n not in made},
        **made,
        "curves": curves.assign(lower=curves["low"], median=curves["mean"], upper=curves["high"]),
        "finals": runs[runs["round"] == 100].assign(covered=True, **dict.fromkeys(counters, 2)),
        "times": runs.assign(**more),
    }


@functools.cache  # a study takes seconds
def made_in_short(name):
    """Return the tables of studies for which nothing is made up here, of two short trials."""
    paper = PAPERS[name]
    own = {"facts", *made_up_studies(PAPERS["bkb"], "ok")}
    run = [trials.cell for trials in expand(paper)]
    found = {}
    for study in of_paper(paper):
        if not own.intersection(study.tables):
            caps = {"rounds": 20, "trials": 2}
            short = type(study)(study.section, caps, STAND_IN)
            found |= short.tabulate(study.cells(paper, run))
    return found


def made_up_studies(paper, status):
    """Return tables of the studies, as far as panels read them."""
    grid = np.linspace(-3.0, 3.0, 13)
    x, y = (axis.ravel() for axis in np.meshgrid(grid, grid))
    about = {"round": 100, "status": status, "theta_x": 1.0, "theta_y": 1.0, "norm_bound": 2.5}
    panels = [p for spec in paper.figures.values() for p in spec["panels"]]
    labels = {label for p in panels if p["kind"] == "regions" for label in p["algorithms"]}
    watched = [
        (p["setting"], label, trial, t, status, 1.5)
        for p in panels
        if p["kind"] == "accuracy"
        for label in p["algorithms"]
        for trial in range(2)
        for t in (1, 2, 3)
    ]
    lemmas = [
        (series["setting"], trial, t, status, 0.5)
        for p in panels
        if p["kind"] == "lemmas"
        for series in p["series"]
        for trial in range(2)
        for t in (1, 2, 3)
    ]
    columns = {p["column"] for p in panels if p["kind"] == "accuracy"}
    accuracy = pd.DataFrame(
        watched, columns=["setting", "algorithm", "trial", "round", "status", "value"]
    )
    posteriors = [
        (p["method"], p["round"], p["lengthscale"], point)
        for p in panels
        if p["kind"] == "starvation"
        for point in grid
    ]
    starvation = pd.DataFrame(posteriors, columns=["method", "round", "lengthscale", "x"])
    numbers = {"f": 0.0, "mean": 0.1, "low": -0.5, "high": 0.5, "size": 3, "dimension": 2.0}
    parts = [(d, part, 1e-6 * d**2) for part in ("projection", "rank_one") for d in (5, 50, 400)]
    facts = [
        (f"{series['fact']}_{number}", "some", 0.1 * number)
        for p in panels
        if p["kind"] == "facts"
        for series in p["series"]
        for number in (1, 2)
    ]
    facts += [(f"{study}_number", "some/cell", 1.0) for study in STUDIES]
    return {
        "regions": pd.concat(
            [
                pd.DataFrame({"algorithm": a, "x": x, "y": y, "inside": np.hypot(x, y) < 1})
                for a in sorted(labels)
            ]
            or [pd.DataFrame(columns=["algorithm", "x", "y", "inside"])]
        ).assign(**about),
        "accuracy": accuracy.assign(**dict.fromkeys(columns, 1.5)),
        "lemmas": pd.DataFrame(lemmas, columns=["setting", "trial", "round", "status", "distance"]),
        "starvation": starvation.assign(inducing=starvation["x"] > 2, **numbers),
        "scaling": pd.DataFrame(parts, columns=["dimension", "part", "seconds"]),
        "facts": pd.DataFrame(facts, columns=["name", "setting", "value"]),
    }
