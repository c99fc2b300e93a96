# Contents page: version, configuration, rules, targets. What runs is computed in optimist.plan.plan.
from snakemake.utils import min_version

from optimist.core import garbage
from optimist.core.root import project_file

min_version("9.20")

garbage.exempt(allocations=100_000)


configfile: project_file("config/config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/products.smk"
include: "workflow/rules/page.smk"


rule all:
    """Every paper, its claims and the page of results."""
    default_target: True
    input:
        plan.targets.all,
