import sys

from optimist.errors import OptimistError
from optimist.plan import Plan


report: "../report/workflow.rst"


try:
    plan = Plan(config)
    plan.outdate_foreign_figures()
except OptimistError as error:
    sys.exit(f"error: {error}")


wildcard_constraints:
    paper="[a-z_0-9]+",
    setting="[^/]+",
    algorithm="[^/]+",
    chunk=r"\d+-\d+",
    group="paper|variants",
    name="[a-z_0-9]+",
    dataset="|".join(plan.datasets),
