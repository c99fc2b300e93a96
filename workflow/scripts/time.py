"""Play a race and write the folder of its results."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.records import provenance
    from optimist.runs.job import make_race

    params = snakemake.params
    make_race(
        params.trials, snakemake.output[0], params.data_dir, provenance.collect, params.limits
    )
