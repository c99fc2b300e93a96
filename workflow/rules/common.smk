import atexit
import os
import sys
from dataclasses import asdict

from optimist.core import blas_kernels
from optimist.core.errors import OptimistError, check_writable, unwritable_named
from optimist.config.load import read_overlay, with_defaults
from optimist.plan.costs import FIRST
from optimist.plan import snakemake_adapter
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

blas_kernels.fix_order_of_sets()


report: "../report/workflow.rst"


# One environment for all rules, as an image (Containerfile), used only with `--sdm apptainer`.
container: "optimist.sif"


try:
    check_place(workflow)
    check_words(workflow)
    check_records(is_dry_run=snakemake_adapter.is_dry_run(workflow))
    # Snakemake has read these files, but it silently keeps the last of two equal keys. A workflow
    # that uses these rules as a module reads its own files.
    for path in snakemake_adapter.own_configfiles(workflow, config):
        read_overlay(path)
    plan = Plan(with_defaults(config))
    for paper in plan.papers:
        plan.committed(paper)  # or an input function would find a damaged table
except OptimistError as error:
    sys.exit(shown(f"error: {error}"))

layout = plan.layout


has_started = False


# In a module, Snakemake leaves this to the importing workflow, which may call NAME.onstart().
onstart:
    global has_started
    has_started = True
    snakemake_adapter.lift_rate_limit(workflow)
    jobs = snakemake_adapter.jobs_to_run(workflow)
    # The progress line of `--logger optimist` (make) counts the expected seconds of jobs.
    for handler in snakemake_adapter.log_handlers(workflow):
        if hasattr(handler, "expect"):
            handler.expect(
                {i: job.priority % FIRST for i, job in jobs.items()}, log
            )
    # Snakemake would end with a traceback when it creates folders.
    try:
        for folder in (layout.results, layout.figures):
            check_writable(folder)
        check_outputs(path for job in jobs.values() for path in job.output)
    except OptimistError as error:
        sys.exit(shown(f"error: {error}"))


def say_how_to_force():
    """Say how to play again if this run has found that everything is current."""
    is_here = not (
        snakemake_adapter.is_remote(workflow) or snakemake_adapter.is_dry_run(workflow)
    )
    if is_here and not has_started and snakemake_adapter.jobs(workflow):
        print(
            "to play it again: add --forcerun run time, or --config results=again/results "
            "figures=again/figures before -- TARGET for a copy beside it",
            file=sys.stderr,
        )


atexit.register(say_how_to_force)


# Failed cells block nothing: the tables take all other cells, and name the missing ones.
onerror:
    wanted = {
        path for job in snakemake_adapter.jobs(workflow) for path in job.output
    }
    for paper in plan.papers:
        marks = {layout.published(paper, group) for group in GROUPS}
        if not wanted.isdisjoint(marks):
            try:
                with unwritable_named():
                    words = publish(plan, paper).in_words()
            except OptimistError as error:
                words = f"error: {error}"
            print(shown(words), file=sys.stderr)


# Existing results need no data: the data may be on another machine, or prepared again later, and
# digests identify the data of a result. Forced jobs need data.
def needs_no_data():
    return not (
        snakemake_adapter.is_remote(workflow) or snakemake_adapter.is_forced(workflow)
    )


def cell_inputs(wildcards):
    """Return the data of a cell; a result whose observed files have changed counts as absent."""
    if snakemake_adapter.is_remote(workflow):
        snakemake_adapter.keep_going(workflow)
    else:
        trials = plan.trials.find(wildcards)
        path = plan.trials.file(trials)
        if not plan.trials.is_there(trials, path):
            snakemake_adapter.force(workflow, filter(os.path.isfile, [path]))
        elif needs_no_data():
            return []
    return plan.jobs.data(wildcards)


def race_inputs(wildcards):
    """Return the data of a race; Snakemake knows its folder, but not the files in it."""
    if not snakemake_adapter.is_remote(workflow):
        race = plan.trials.race(wildcards)
        files = {path: one for one in race.trials for path in plan.trials.files(one)}
        if not all(plan.trials.is_there(one, path) for path, one in files.items()):
            folder = layout.race(race.paper, race.number, race.digest)
            snakemake_adapter.force(workflow, filter(os.path.isdir, [folder]))
        elif needs_no_data():
            return []
    return plan.jobs.data(wildcards)


def study_inputs(wildcards):
    """Return the data of a study, and facts about them."""
    path = layout.study(wildcards.paper, wildcards.study, wildcards.digest)
    if os.path.isfile(path) and needs_no_data():
        return []
    return plan.studies.inputs(wildcards)


def published_inputs(wildcards):
    """Return the results of a group; its mark confirms that the tables have them."""
    paper, group = wildcards.paper, wildcards.group
    mark = layout.published(paper, group)
    if os.path.isfile(mark) and not plan.targets.is_published(paper, group):
        snakemake_adapter.force(workflow, [mark])
    return plan.targets.results(paper, group)


def product(kind):
    """Return a function of wildcards that gives the requested product."""

    def asked(wildcards):
        name = "claims" if kind == "claims" else wildcards.name
        return plan.targets.product(wildcards.paper, kind, name)

    return asked


def product_inputs(kind):
    """Return an input function: the results that a product waits for.

    The record of a product decides whether it is current, as Snakemake has no record of files that
    came with a checkout.
    """

    def inputs(wildcards):
        asked = product(kind)(wildcards)
        is_remote = snakemake_adapter.is_remote(workflow)
        if not is_remote and plan.targets.is_stale(asked):
            snakemake_adapter.force(workflow, asked.files.values())
        return plan.targets.inputs(asked)

    return inputs


def product_params(kind):
    """Return params functions: a product, and the places of its trials once its inputs are made."""
    asked = product(kind)
    return {
        "product": snakemake_adapter.no_trigger(lambda w: asdict(asked(w))),
        "sources": snakemake_adapter.no_trigger(
            lambda w: plan.targets.planned_sources(asked(w))
        ),
        "layout": (layout.results, layout.figures),
    }


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
