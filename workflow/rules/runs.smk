# The cores and the options of a scheduler that keep other jobs off the machine during a race.
reserved_cores = plan.jobs.cores(snakemake_adapter.cores(workflow))
alone = {
    name: plan.jobs.alone(name, snakemake_adapter.default_resource(workflow, name))
    for name in ("slurm_extra", "lsf_extra")
}


# The file name has the digest of all inputs, so an existing result is current.
rule run:
    """Trials of one cell."""
    input:
        cell_inputs,
    output:
        layout.any_result,
    log:
        layout.log("run", "{paper}", "{setting}", "{algorithm}", "{trials}.{digest}"),
    # The longest first, so that no long job is left over at the end.
    priority: plan.jobs.priority
    # Profiles of clusters set how many cells share a place in the queue.
    group:
        "cells"
    resources:
        **plan.costs.request(plan.jobs.expected),
    params:
        trials=snakemake_adapter.no_trigger(plan.jobs.params),
        limits=plan.jobs.limits,
        data_dir=layout.data_folder,
    script:
        "../scripts/run.py"


# It reserves cores without using them, so that no other job of the workflow disturbs it. Its script
# has one BLAS thread.
rule time:
    """A race: cells that one process plays in turns, alone on the machine."""
    input:
        race_inputs,
    output:
        directory(layout.race("{paper}", "{race}", "{digest}")),
    log:
        layout.log("time", "{paper}", "{race}.{digest}"),
    threads: reserved_cores
    resources:
        **plan.costs.request(plan.jobs.expected),
        **alone,
    params:
        trials=snakemake_adapter.no_trigger(plan.jobs.params),
        limits=plan.jobs.limits,
        data_dir=layout.data_folder,
    script:
        "../scripts/time.py"


rule study:
    """The tables of a study of a paper."""
    input:
        study_inputs,
    output:
        layout.study("{paper}", "{study}", "{digest}"),
    log:
        layout.log("study", "{paper}", "{study}.{digest}"),
    priority: plan.studies.priority
    # A study that measures times reserves cores like a race.
    threads: lambda w: reserved_cores if plan.studies.is_timed(w) else 1
    resources:
        **plan.costs.request(plan.studies.expected),
    params:
        spec=plan.studies.params,
        data_dir=layout.data_folder,
    script:
        "../scripts/study.py"


rule results:
    """The results of all cells that only leaves, without studies, figures and tables."""
    input:
        [
            path
            for p in plan.papers
            for path in plan.trials.needed(p, plan.trials.keys(p))
        ],
