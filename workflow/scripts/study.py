"""Write the tables of one study of a paper."""

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.plan.study import make

    make(snakemake.params.spec, snakemake.output[0], snakemake.params.data_dir)
