"""Play a race and write the folder of its results."""

import gc

from optimist import arithmetic
from optimist.jobs import logged

gc.disable()  # modules are no garbage
arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.records import provenance
    from optimist.runs.job import make_race

    gc.freeze()
    gc.enable()
    params = snakemake.params
    make_race(
        params.trials, snakemake.output[0], params.data_dir, provenance.collect, params.limits
    )
gc.freeze()  # Python would look through all of it three times more before it ends
