"""Facts about the worlds of a paper, beside what the paper reports of them."""

from pathlib import Path

from optimist.runs.cell import Cell, build


def check(paper):
    """Accept any paper: facts are those of its settings."""


def names(paper):
    """Return what facts are about: settings, whose names are known anyway."""
    return set()


def tabulate(spec, data_dir):
    """Return the facts of every setting's environment in trial 0, and of the data behind it.

    Facts of a data set are listed once, with the first setting that uses it.
    """
    import pandas as pd

    rows, seen = [], set()
    for cell in (Cell(**cell) for cell in spec["cells"]):
        environment, _ = build(cell, 0, data_dir)
        rows += [(name, cell.setting, float(v)) for name, v in environment.facts().items()]
        dataset = cell.spec.get("dataset")
        if dataset and dataset not in seen:
            about = pd.read_csv(Path(data_dir) / f"{dataset}_facts.csv")
            rows += [(row.name, cell.setting, row.value) for row in about.itertuples(index=False)]
            seen.add(dataset)
    return {"facts": pd.DataFrame(rows, columns=["name", "setting", "value"])}
