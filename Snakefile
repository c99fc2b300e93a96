# Contents page: version, configuration, rules, targets. What runs is computed in optimist.plan.plan.
import gc

from snakemake.utils import min_version

from optimist.core.root import project_file

min_version("9.20")

# What is planned lives until Snakemake ends: looking through it for garbage, again and again, is a
# fifth of a dry run (benchmarks/planning.py).
gc.disable()


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


gc.freeze()
# Little of what follows is garbage either: look for it a hundred times less often.
gc.set_threshold(100_000, 20, 100)
gc.enable()
