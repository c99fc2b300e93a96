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
    params:
        job=plan.job_spec("timing"),
        data_dir=f"{plan.results}/data",
    script:
        "../scripts/run_chunk.py"


rule time_update:
    input:
        plan.scaling_inputs,
    output:
        f"{plan.results}/extras/{{paper}}/scaling.csv",
    log:
        f"{plan.results}/logs/time_update/{{paper}}.log",
    threads: plan.timing_threads(workflow)
    params:
        scaling=plan.scaling,
    script:
        "../scripts/time_update.py"
