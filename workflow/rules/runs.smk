rule run_chunk:
    input:
        plan.job_inputs("regret"),
    output:
        f"{plan.results}/regret/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.parquet",
    log:
        f"{plan.results}/logs/regret/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.log",
    benchmark:
        f"{plan.results}/benchmarks/regret/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.tsv"
    threads: 1
    resources:
        **plan.job_request("regret"),
    params:
        code=plan.code("run_chunk.py"),
        jobs=plan.job_specs("regret"),
        limits=plan.limits("regret"),
    script:
        "../scripts/run_chunk.py"


# Where `batch_files` and `batch_seconds` allow it, several files are made by one process.
for batch in plan.batches("regret").values():

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
        threads: 1
        resources:
            **batch.request,
        params:
            code=plan.code("run_chunk.py"),
            jobs=batch.specs,
            limits=plan.batch_limits(batch),
        script:
            "../scripts/run_chunk.py"
