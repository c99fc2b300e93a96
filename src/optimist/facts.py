"""Facts about the worlds of a paper, beside what the paper reports of them."""

from optimist.trials import Cell, build


def setting_facts(paper, setting, spec, data_dir):
    """Return (name, setting, value) rows of one setting's environment, for trial 0.

    ``spec`` is the setting as configured.
    """
    environment, _ = build(Cell(paper, setting, "", spec), 0, data_dir)
    return [(name, setting, float(value)) for name, value in environment.facts().items()]


def seed_facts(extremes, setting):
    """Return rows for the extreme cluster means per K-means seed.

    ``extremes`` is the frame of `optimist.covertype.extremes`; ``setting`` is the one to name, of
    those that share the data set.
    """
    rows = []
    for row in extremes.itertuples():
        rows.append((f"cluster_mean_lowest_seed_{row.seed}", setting, float(row.lowest)))
        rows.append((f"cluster_mean_highest_seed_{row.seed}", setting, float(row.highest)))
    return rows
