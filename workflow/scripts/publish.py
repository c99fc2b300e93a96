"""Put the results of a paper into its committed tables."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    from optimist.files import write_text
    from optimist.plan.plan import Plan
    from optimist.records.publish import publish

    paper, group = snakemake.wildcards.paper, snakemake.wildcards.group
    plan = Plan({**snakemake.params.config, "papers": [paper]})
    print(publish(plan, paper).in_words())
    write_text(plan.targets.publication(paper, group), snakemake.output[0])
