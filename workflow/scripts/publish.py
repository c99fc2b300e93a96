"""Put the results of a paper into its committed tables."""

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    from optimist.plan.plan import Plan
    from optimist.plan.publish import publish

    paper = snakemake.wildcards.paper
    print(publish(Plan({**snakemake.params.config, "papers": [paper]}), paper).in_words())
