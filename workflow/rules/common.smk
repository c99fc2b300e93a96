import os
import sys

from snakemake.common.configfile import load_configfile

from optimist import arithmetic
from optimist.core.errors import OptimistError, check_writable
from optimist.config.load import check_read_alike, with_defaults
from optimist.plan.costs import FIRST
from optimist.plan.workflow_location import (
    check_outputs,
    check_place,
    check_records,
    check_words,
)
from optimist.plan.plan import Plan
from optimist.core.layout import GROUPS
from optimist.plan.publish import publish
from optimist.core.terminal import shown

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
    for paper in plan.papers:
        plan.committed(paper)  # or a damaged table would be met in an input function
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


# What is there needs no data: these may be on another machine, or prepared again later, and digests say
# which data a result is of. Who forces jobs needs them.
def is_forced():
    settings = workflow.dag_settings
    return settings.forceall or settings.forcerun or settings.forcetargets


def cell_inputs(wildcards):
    """Return the data of a cell; a result whose observed files have changed counts as absent."""
    if workflow.remote_exec:
        # In a group a failing cell must not stop its neighbours, which no option reaches.
        object.__setattr__(workflow.execution_settings, "keep_going", True)
    else:
        trials = plan.trials.find(wildcards)
        path = plan.trials.file(trials)
        if not plan.trials.is_there(trials, path):
            if os.path.isfile(path):
                workflow.dag.forcefiles.add(path)
        elif not is_forced():
            return []
    return plan.jobs.data(plan.jobs.of_run)(wildcards)


def race_inputs(wildcards):
    """Return the data of a race; Snakemake knows its folder, and nothing of the files in it."""
    if not workflow.remote_exec:
        race = plan.trials.race(wildcards)
        files = {path: one for one in race.trials for path in plan.trials.files(one)}
        if not all(plan.trials.is_there(one, path) for path, one in files.items()):
            folder = layout.race(race.paper, race.number, race.digest)
            if os.path.isdir(folder):
                workflow.dag.forcefiles.add(folder)
        elif not is_forced():
            return []
    return plan.jobs.data(plan.jobs.of_time)(wildcards)


def study_inputs(wildcards):
    """Return the data of a study, and facts about them."""
    path = layout.study(wildcards.paper, wildcards.study, wildcards.digest)
    if os.path.isfile(path) and not (is_forced() or workflow.remote_exec):
        return []
    return plan.studies.inputs(wildcards)


def product(kind):
    """Return a function of wildcards: what is asked for."""

    def asked(wildcards):
        name = "claims" if kind == "claims" else wildcards.name
        return plan.targets.product(wildcards.paper, kind, name)

    return asked


def product_inputs(kind):
    """Return an input function: the results that a product waits for.

    The record of a product decides whether it is today's, as Snakemake knows nothing of files that
    came with a checkout.
    """

    def inputs(wildcards):
        asked = product(kind)(wildcards)
        if not workflow.remote_exec and plan.targets.is_stale(asked):
            workflow.dag.forcefiles.update(asked.files.values())
        return plan.targets.inputs(asked)

    return inputs


def product_sources(kind):
    """Return a params function: where the trials of a product are, once its inputs are made.

    Snakemake makes nothing again for a parameter that depends on resources; records decide that.
    """
    return lambda wildcards, resources: plan.targets.planned_sources(
        product(kind)(wildcards)
    )


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
