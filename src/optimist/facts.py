"""Facts about the worlds of a paper, beside what the paper reports of them."""

from optimist.experiment import build, make_cell


def setting_facts(paper, setting, data_dir):
    """Return (name, setting, value) rows of one setting's environment, for trial 0."""
    label = next(
        block["algorithms"][0]
        for block in (*paper["runs"], *paper["timings"])
        if setting in block["settings"]
    )
    environment, _ = build(make_cell(paper, setting, label), 0, data_dir)
    return [(name, setting, float(value)) for name, value in environment.facts().items()]


def seed_facts(extremes, setting):
    """Return rows for the extreme cluster means per K-means seed.

    ``extremes`` is the frame of `optimist.covertype.extremes`.
    """
    rows = []
    for row in extremes.itertuples():
        rows.append((f"cluster_mean_lowest_seed_{row.seed}", setting, float(row.lowest)))
        rows.append((f"cluster_mean_highest_seed_{row.seed}", setting, float(row.highest)))
    return rows
