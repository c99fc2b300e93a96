"""Put the results of a paper into its committed tables."""

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    from optimist.core.files import write_text
    from optimist.plan.plan import Plan
    from optimist.plan.publish import publish

    paper, group = snakemake.wildcards.paper, snakemake.wildcards.group
    plan = Plan({**snakemake.params.config, "papers": [paper]})
    print(publish(plan, paper).in_words())
    write_text(plan.targets.publication(paper, group), snakemake.output[0])
