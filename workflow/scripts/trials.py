"""Write the tables of all trials that stand beside the figures."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.runs import committed

    params, output = snakemake.params, snakemake.output
    tables = dict(snakemake.input.items())
    committed.write(tables, params.level, params.interval, output.csv, output.parquet)
