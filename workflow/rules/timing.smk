# A timing job takes every core, so that nothing else runs beside it; its script fixes BLAS to one
# thread whatever the number of cores.
rule time_chunk:
    input:
        plan.job_inputs("timing"),
    output:
        f"{plan.results}/timing/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.parquet",
    log:
        f"{plan.results}/logs/timing/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.log",
    benchmark:
        f"{plan.results}/benchmarks/timing/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.tsv"
    threads: plan.timing_threads(workflow)
    resources:
        **plan.job_request("timing"),
        slurm_extra=plan.node_alone("--exclusive"),
        lsf_extra=plan.node_alone("-x"),
    params:
        code=plan.code("run_chunk.py"),
        jobs=plan.job_specs("timing"),
        limits=plan.limits("timing"),
    script:
        "../scripts/run_chunk.py"


# Where `batch_files` and `batch_seconds` allow it, several files are made by one process.
for batch in plan.batches("timing").values():

    rule:
        name:
            batch.name
        input:
            batch.inputs,
        output:
            batch.outputs,
        log:
            f"{plan.results}/logs/{batch.name}.log",
        benchmark:
            f"{plan.results}/benchmarks/{batch.name}.tsv"
        threads: plan.timing_threads(workflow)
        resources:
            **batch.request,
            slurm_extra=plan.node_alone("--exclusive"),
            lsf_extra=plan.node_alone("-x"),
        params:
            code=plan.code("run_chunk.py"),
            jobs=batch.specs,
            limits=plan.batch_limits(batch),
        script:
            "../scripts/run_chunk.py"
