"""Make a figure, a table or the claims of a paper, and its record."""

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.core.layout import Layout
    from optimist.plan.products import Product, Sources, make

    layout = Layout(*snakemake.params.layout)
    sources = Sources(layout, **snakemake.params.sources)
    make(Product(**snakemake.params.product), sources)
