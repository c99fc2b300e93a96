"""Use attributes of Snakemake that its documentation does not promise, one purpose per function.

``tests/unit/test_snakemake_adapter.py`` calls every function in a small workflow. ``make newest``
and ``make lower-bounds`` run it with the newest and the oldest Snakemake that are allowed.
"""

from collections.abc import Callable, Collection, Iterable
from logging import Formatter, Handler
from pathlib import Path
from typing import Any

Workflow = Any  # snakemake.workflow.Workflow
Job = Any  # snakemake.jobs.Job


# Settings of a run. A Snakefile has no public way to read options of the command line.


def is_dry_run(workflow: Workflow) -> bool:
    """Return whether this is a dry run, which writes nothing that other users could not share."""
    return bool(workflow.output_settings.dryrun)


def is_remote(workflow: Workflow) -> bool:
    """Return whether this process runs jobs for another Snakemake, which has decided what to run.

    Executors of clusters start such processes. They must neither force jobs nor check results.
    """
    return bool(workflow.remote_exec)


def is_forced(workflow: Workflow) -> bool:
    """Return whether an option such as ``--forcerun`` forces jobs; these then need their data."""
    settings = workflow.dag_settings
    return bool(settings.forceall or settings.forcerun or settings.forcetargets)


def cores(workflow: Workflow) -> int:
    """Return the number in ``--cores``, or 1 if there is none; a race reserves a share of it.

    Snakemake limits ``threads`` to this number only after the resources have been computed.
    """
    return workflow.resource_settings.cores or 1


def default_resource(workflow: Workflow, name: str) -> Any:
    """Return a default resource (a string or a function of wildcards), or None.

    A resource in a rule replaces the user's default. A race therefore adds its own words to it.
    """
    default = (workflow.resource_settings.default_resources or {}).get(name)
    return getattr(default, "_value", default)


def default_resource_text(workflow: Workflow, name: str) -> str:
    """Return a default resource as the user wrote it, to check it before any job is submitted."""
    default = (workflow.resource_settings.default_resources or {}).get(name)
    text = getattr(default, "raw", None) or default_resource(workflow, name)
    return text if isinstance(text, str) else ""


def keep_going(workflow: Workflow) -> None:
    """Let a failing job leave the other jobs of its group alone, as ``--keep-going`` would.

    Snakemake passes this option to no process that runs a group.
    """
    object.__setattr__(workflow.execution_settings, "keep_going", True)  # the settings are frozen


# The files and folders from which Snakemake reads a workflow.


def own_configfiles(workflow: Workflow, config: Any) -> list[str]:
    """Return the configuration files of the workflow, or [] if another workflow includes this one.

    A workflow that uses these rules as a module passes its own configuration.
    """
    is_own = config is workflow.modifier_stack[0].globals["config"]
    return [*workflow.configfiles] if is_own else []


def folder_of_rules(workflow: Workflow) -> Path:
    """Return the folder of the file with rules that Snakemake is reading."""
    return Path(workflow.current_basedir.get_path_or_uri(secret_free=True))


def prefixed(workflow: Workflow, path: str) -> str:
    """Return a path after the ``prefix`` of a module, which Snakemake adds to outputs alone."""
    return str(workflow.modifier.path_modifier.replace_prefix(path))


def describe(workflow: Workflow, name: str, words: str) -> None:
    """Set the description of a rule for ``--list``; a docstring in a loop would be constant.

    In a module, rules have other names, and some may be left out.
    """
    name = workflow.modifier.modify_rulename(name)
    if workflow.is_rule(name):
        workflow.get_rule(name).docstring = words


# Jobs.


def jobs(workflow: Workflow) -> list[Job]:
    """Return all jobs, including those that will not run; [] before Snakemake has planned them."""
    dag = getattr(workflow, "dag", None)
    return [] if dag is None else list(dag.jobs)


def jobs_to_run(workflow: Workflow) -> dict[int, Job]:
    """Return the jobs that will run, by the number that log messages call ``jobid``."""
    return {workflow.dag.jobid(job): job for job in workflow.dag.needrun_jobs()}


def force(workflow: Workflow, paths: Iterable[str]) -> None:
    """Let the jobs that make these files run although the files exist; input functions call this.

    Records decide whether figures and tables are current. No rule can say so: an input that does
    not exist is no reason to run if a rule makes it as temporary, and the time of a file is that of
    its checkout.
    """
    workflow.dag.forcefiles.update(paths)


def no_trigger(function: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a params function whose values, if they change, are no reason to run a job again.

    Snakemake compares no parameters that depend on resources. Digests in names and records decide
    what runs again, but data sets and the page of results have neither: their rules need the
    trigger ``params``, which a profile switches for all rules or none. It is on by default where
    another workflow uses these rules as a module, with a profile of its own.
    """
    return lambda wildcards, resources: function(wildcards)


def lift_rate_limit(workflow: Workflow) -> None:
    """Remove Snakemake's default limit of 100 jobs a second; a limit that the user set stays.

    With a limit, each job that ends leaves a timer that wakes the scheduler again and again
    (docs/performance.md). No option and no profile removes it: ``--max-jobs-per-timespan`` always
    sets a limit. With a long timespan, timers are rare, but Snakemake waits for the last one before
    it ends (20 s longer with ``1000/20s``).
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


# Messages.


def log_handlers(workflow: Workflow) -> list[Handler]:
    """Return the handlers of ``--logger``; the progress line must know the expected durations."""
    return [*workflow.logger_manager.get_log_handlers()]


def formatter(quiet: Collection[Any]) -> Formatter:
    """Return the formatter of Snakemake's own messages; ``--logger`` plugins are given none."""
    from snakemake.logging import DefaultFormatter

    made: Formatter = DefaultFormatter(quiet)
    return made
