# One rule for each job that makes several result files, or one for any single one of the regret lane.
for job in plan.jobs.rules:

    rule:
        name:
            job.name
        input:
            job.input,
        output:
            job.output,
        log:
            job.log,
        benchmark:
            job.benchmark
        # The longest first, so that none is left over at the end.
        priority: job.priority
        # A timing job reserves cores that it does not use, so that little runs beside it; its script
        # fixes BLAS to one thread whatever their number.
        threads: plan.jobs.threads(job.lane, workflow)
        resources:
            **job.request,
            slurm_extra=plan.node_alone(job.lane, "--exclusive"),
            lsf_extra=plan.node_alone(job.lane, "-x"),
        params:
            code=plan.code("run_trials.py"),
            trials=job.trials,
            limits=job.limits,
            layout=(layout.results, layout.figures),
        script:
            "../scripts/run_trials.py"


# The results of all cells that are left by `only`, without what is made from them.
rule results:
    input:
        list(plan.trials.by_path),
