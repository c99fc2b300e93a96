rule run_chunk:
    input:
        plan.job_inputs("regret"),
    output:
        f"{plan.results}/regret/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.parquet",
    log:
        f"{plan.results}/logs/regret/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.log",
    benchmark:
        f"{plan.results}/benchmarks/regret/{{paper}}/{{setting}}/{{algorithm}}/{{chunk}}.tsv"
    params:
        job=plan.job_spec("regret"),
        data_dir=f"{plan.results}/data",
    threads: 1
    script:
        "../scripts/run_chunk.py"
