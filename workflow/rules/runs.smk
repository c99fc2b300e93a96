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
    params:
        jobs=plan.job_specs("regret"),
        data_dir=f"{plan.results}/data",
    script:
        "../scripts/run_chunk.py"


# Where `batch` allows it, several files of one algorithm are made by one process.
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
        params:
            jobs=batch.specs,
            data_dir=f"{plan.results}/data",
        script:
            "../scripts/run_chunk.py"
