"""Time the parts of one update against the dimension."""

from optimist.jobs import logged, one_blas_thread

one_blas_thread()
with logged(snakemake.log[0]):
    import pandas as pd

    from optimist.scaling import update_cost

    scaling = snakemake.params.scaling
    rows = [
        (dimension, part, seconds)
        for dimension in scaling["dimensions"]
        for part, seconds in update_cost(dimension, scaling["repetitions"]).items()
    ]
    table = pd.DataFrame(rows, columns=["dimension", "part", "seconds"])
    table.to_csv(snakemake.output[0], index=False)
