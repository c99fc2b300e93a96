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
        job=plan.job_spec("regret"),
        data_dir=f"{plan.results}/data",
    script:
        "../scripts/run_chunk.py"
