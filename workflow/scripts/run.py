"""Play trials of a cell and write their result file."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.records import provenance
    from optimist.runs.job import make_result

    params = snakemake.params
    (description,), limit = params.trials, (params.limits or [None])[0]
    make_result(description, snakemake.output[0], params.data_dir, provenance.collect, limit)
