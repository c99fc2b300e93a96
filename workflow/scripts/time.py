"""Play a race and write the folder of its results."""

import gc

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

gc.disable()  # modules are not garbage
blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.experiments.job import make_race

    gc.freeze()
    gc.enable()
    params = snakemake.params
    make_race(params.trials, snakemake.output[0], params.data_dir, params.limits)
gc.freeze()  # otherwise Python would scan everything three more times at exit
