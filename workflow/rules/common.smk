import sys

from optimist.errors import OptimistError, check_writable
from optimist.plan.plan import Plan


report: "../report/workflow.rst"


try:
    plan = Plan(config)
    if workflow.is_main_process:
        plan.targets.outdate_foreign_figures()
except OptimistError as error:
    sys.exit(f"error: {error}")


# Snakemake would end with a traceback where it makes folders.
onstart:
    try:
        for folder in (plan.results, plan.figures):
            check_writable(folder)
    except OptimistError as error:
        sys.exit(f"error: {error}")


wildcard_constraints:
    paper="|".join(plan.papers),
    setting="[^/]+",
    algorithm="[^/]+",
    chunk=r"\d+-\d+",
    group="paper|variants",
    name="[a-z_0-9]+",
    dataset="|".join(plan.data.names),
