"""Play trials of a cell and write their result file."""

import gc

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

gc.disable()  # modules are not garbage
blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.experiments.job import make_result

    gc.freeze()
    gc.enable()
    params = snakemake.params
    (description,), limit = params.trials, (params.limits or [None])[0]
    make_result(description, snakemake.output[0], params.data_dir, limit)
gc.freeze()  # otherwise Python would scan everything three more times at exit
