"""Play trials of a cell and write their result file."""

from optimist.core import blas_kernels, garbage
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.experiments.job import make_result

    garbage.exempt()
    params = snakemake.params
    (description,), limit = params.trials, (params.limits or [None])[0]
    make_result(description, snakemake.output[0], params.data_dir, limit)
