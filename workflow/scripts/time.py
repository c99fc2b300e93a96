"""Play a race and write the folder of its results."""

from optimist.core import blas_kernels, garbage
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.experiments.job import make_race

    garbage.exempt()
    params = snakemake.params
    make_race(params.trials, snakemake.output[0], params.data_dir, params.limits)
