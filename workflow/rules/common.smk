import sys

from snakemake.common.configfile import load_configfile

from optimist import arithmetic
from optimist.errors import OptimistError, check_writable
from optimist.plan.config import check_read_alike, with_defaults
from optimist.plan.costs import FIRST
from optimist.plan.place import (
    check_outputs,
    check_place,
    check_records,
    check_words,
)
from optimist.plan.plan import Plan
from optimist.layout import GROUPS
from optimist.records.publish import publish
from optimist.terminal import shown

arithmetic.fix_order_of_sets()


report: "../report/workflow.rst"


# The one environment of all rules, as an image (Containerfile). Used with `--sdm apptainer` alone.
container: "optimist.sif"


try:
    check_place(workflow)
    check_words(workflow)
    check_records(is_dry_run=workflow.output_settings.dryrun)
    # Snakemake has read them, but would keep the last of two equal keys in silence, and reads 010 as
    # eight. Another workflow that uses these rules as a module reads its own files.
    if config is workflow.modifier_stack[0].globals["config"]:
        for path in workflow.configfiles:
            check_read_alike(path, load_configfile(path))
    plan = Plan(with_defaults(config))
except OptimistError as error:
    sys.exit(shown(f"error: {error}"))

layout = plan.layout


# In a module Snakemake leaves it to the other workflow, whose own may call NAME.onstart().
onstart:
    # Snakemake's limit of 100 jobs a second, if no other is asked for: every job that ends would
    # leave a timer behind that wakes the scheduler again and again (docs/performance.md).
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
    # The line of progress of `--logger optimist` (make) counts the seconds that jobs should take.
    for handler in workflow.logger_manager.get_log_handlers():
        if hasattr(handler, "expect"):
            jobs = {
                workflow.dag.jobid(job): job for job in workflow.dag.needrun_jobs()
            }
            handler.expect(
                {i: job.priority % FIRST for i, job in jobs.items()}, log
            )
    # Snakemake would end with a traceback where it makes folders.
    try:
        for folder in (layout.results, layout.figures):
            check_writable(folder)
        check_outputs(
            path for job in workflow.dag.needrun_jobs() for path in job.output
        )
    except OptimistError as error:
        sys.exit(shown(f"error: {error}"))


# Cells that failed block nothing else: the tables take all others, and name what is missing.
onerror:
    wanted = {path for job in workflow.dag.jobs for path in job.output}
    for paper in plan.papers:
        marks = {layout.published(paper, group) for group in GROUPS}
        if not wanted.isdisjoint(marks):
            print(shown(publish(plan, paper).in_words()), file=sys.stderr)


wildcard_constraints:
    paper="|".join(plan.papers),
    setting="[^/]+",
    algorithm="[^/]+",
    trials=r"\d+-\d+",
    race=r"\d+",
    study="[a-z_]+",
    digest="[0-9a-f]{12}",
    group="paper|variants",
    name="[a-z_0-9]+",
    dataset="|".join(plan.data.names),
