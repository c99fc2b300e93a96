"""Write the page of results and the list of figures, as `optimist page` does."""

from optimist.jobs import logged

with logged(snakemake.log[0]):
    from pathlib import Path

    from optimist.page import build
    from optimist.plan.config import with_defaults
    from optimist.plan.plan import Plan

    # Outputs are below the folder that Snakemake runs in, whatever package makes them.
    build.write(Plan(with_defaults(snakemake.config)), Path.cwd())
