"""Put the results of a paper into its committed tables."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    from optimist.plan.plan import Plan
    from optimist.records.publish import publish

    paper = snakemake.wildcards.paper
    print(publish(Plan({**snakemake.params.config, "papers": [paper]}), paper).in_words())
