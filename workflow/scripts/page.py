"""Join the verdicts of all papers, and write the page of results and the list of figures."""

from optimist.core.job_logging import logged

with logged(snakemake.log[0]):
    from pathlib import Path

    from optimist.config.load import with_defaults
    from optimist.page import build
    from optimist.plan.plan import Plan
    from optimist.plan.products import join_claims

    plan = Plan(with_defaults(snakemake.config))
    join_claims(plan.layout, plan.papers)
    # Outputs are below Snakemake's working directory, whatever package makes them.
    build.write(plan, Path.cwd())
