"""Prepare a data set, and report facts about it."""

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    import pandas as pd

    from optimist.core.checksummed import write_frame
    from optimist.data.prepare import preparation
    from optimist.data.tables import read_raw

    frame, output = read_raw(snakemake.input.table), snakemake.output
    how, options = preparation(snakemake.wildcards.dataset), snakemake.params.options
    how.function("write")(frame, output.data, **options["write"])
    facts = how.function("facts")(frame, output.data, **options["facts"])
    write_frame(pd.DataFrame(facts, columns=["name", "value"]), output.facts)
