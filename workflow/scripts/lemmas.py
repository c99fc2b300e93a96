"""Watch what the analysis of Hvt-UCB promises."""

from optimist.jobs import logged, one_blas_thread

one_blas_thread()
with logged(snakemake.log[0]):
    import pandas as pd

    from optimist.lemmas import facts, watch
    from optimist.trials import Cell

    spec = snakemake.params.lemmas
    rows = [
        {"setting": cell["setting"], "algorithm": cell["algorithm"], "trial": trial, **row}
        for cell in spec["cells"]
        for trial in range(spec["trials"])
        for row in watch(Cell(**cell), trial, spec["rounds"])
    ]
    frame = pd.DataFrame(rows)
    frame.to_parquet(snakemake.output.rounds)
    pd.DataFrame(facts(frame), columns=["name", "setting", "value"]).to_csv(
        snakemake.output.facts, index=False
    )
