"""Write the page of results and the list of figures, as `optimist page` does."""

from optimist.jobs import logged

with logged(snakemake.log[0]):
    from optimist.page import build
    from optimist.plan.plan import Plan

    build.write(Plan(snakemake.config))
