import os


# A result whose observed files have changed counts as absent; in remote jobs a failing cell must not
# stop its neighbours in a group, which no option reaches.
def cell_inputs(wildcards):
    if workflow.remote_exec:
        object.__setattr__(workflow.execution_settings, "keep_going", True)
    else:
        trials = plan.trials.find(wildcards)
        path = plan.trials.file(trials)
        if os.path.isfile(path) and not plan.trials.is_there(trials, path):
            workflow.dag.forcefiles.add(path)
    return plan.jobs.data(plan.jobs.of_run)(wildcards)


def race_inputs(wildcards):
    # Of a folder Snakemake knows that it is there, and nothing of the files in it.
    race = plan.trials.race(wildcards)
    files = [path for trials in race.trials for path in plan.trials.files(trials)]
    folder = layout.race(race.paper, race.number, race.digest)
    if os.path.isdir(folder) and not all(map(os.path.isfile, files)):
        workflow.dag.forcefiles.add(folder)
    return plan.jobs.data(plan.jobs.of_time)(wildcards)


# Trials of one cell. The name of the file has the digest of all that decides them, so a result that is
# there is one of today.
rule run:
    input:
        cell_inputs,
    output:
        layout.any_result,
    log:
        layout.log("run", "{paper}", "{setting}", "{algorithm}", "{trials}.{digest}"),
    # The longest first, so that none is left over at the end.
    priority: plan.jobs.priority(plan.jobs.of_run)
    # Profiles of clusters say how many cells share a place in the queue.
    group:
        "cells"
    resources:
        **plan.jobs.request(plan.jobs.of_run),
    params:
        trials=plan.jobs.params(plan.jobs.of_run),
        limits=plan.jobs.limits(plan.jobs.of_run),
        data_dir=layout.data_folder,
    script:
        "../scripts/run.py"


# A race: cells that one process plays in turns, alone on the machine. It reserves cores that it does
# not use, so that nothing else of the workflow runs beside it; its script has one BLAS thread.
rule time:
    input:
        race_inputs,
    output:
        directory(layout.race("{paper}", "{race}", "{digest}")),
    log:
        layout.log("time", "{paper}", "{race}.{digest}"),
    threads: plan.jobs.cores(workflow)
    resources:
        **plan.jobs.request(plan.jobs.of_time),
        slurm_extra=plan.jobs.alone(workflow, "slurm_extra"),
        lsf_extra=plan.jobs.alone(workflow, "lsf_extra"),
    params:
        trials=plan.jobs.params(plan.jobs.of_time),
        limits=plan.jobs.limits(plan.jobs.of_time),
        data_dir=layout.data_folder,
    script:
        "../scripts/time.py"


# The tables of a study of a paper.
rule study:
    input:
        plan.studies.inputs,
    output:
        layout.study("{paper}", "{study}", "{digest}"),
    log:
        layout.log("study", "{paper}", "{study}.{digest}"),
    priority: plan.studies.priority
    # One that measures times reserves cores as a race does.
    threads: lambda w: plan.jobs.cores(workflow) if plan.studies.is_timed(w) else 1
    resources:
        **plan.costs.request(plan.studies.expected),
    params:
        spec=plan.studies.params,
        data_dir=layout.data_folder,
    script:
        "../scripts/study.py"


# The results of all cells that `only` leaves, without studies, figures and tables.
rule results:
    input:
        [
            path
            for p in plan.papers
            for path in plan.trials.needed(p, plan.trials.keys(p))
        ],
