"""Play trials of a cell and write their result file."""

import gc

from optimist import arithmetic
from optimist.jobs import logged

gc.disable()  # modules are no garbage
arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.records import provenance
    from optimist.runs.job import make_result

    gc.freeze()
    gc.enable()
    params = snakemake.params
    (description,), limit = params.trials, (params.limits or [None])[0]
    make_result(description, snakemake.output[0], params.data_dir, provenance.collect, limit)
gc.freeze()  # Python would look through all of it three times more before it ends
