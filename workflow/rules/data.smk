rule fetch_dataset:
    input:
        sources="data/sources.csv",
        code=plan.sources("optimist.datasets"),
    output:
        table=f"{plan.results}/data/raw/{{dataset}}.parquet",
        record=f"{plan.results}/data/raw/{{dataset}}.json",
    log:
        f"{plan.results}/logs/fetch_dataset/{{dataset}}.log",
    priority: 100
    # Time-out and retries decide nothing: the script reads them, but a change fetches nothing anew.
    params:
        source=plan.config["data"]["source"],
    script:
        "../scripts/fetch_dataset.py"


rule prepare_covertype:
    input:
        table=f"{plan.results}/data/raw/covertype.parquet",
        code=plan.sources("optimist.covertype"),
    output:
        arms=f"{plan.results}/data/covertype.csv",
    log:
        f"{plan.results}/logs/prepare_covertype.log",
    # First of all, or its many runs would wait for it at the end.
    priority: 100
    params:
        **plan.covertype_options("clusters", "seed", "n_init"),
    script:
        "../scripts/prepare_covertype.py"


rule covertype_extremes:
    input:
        table=f"{plan.results}/data/raw/covertype.parquet",
        arms=f"{plan.results}/data/covertype.csv",
        code=plan.sources("optimist.covertype"),
    output:
        extremes=f"{plan.results}/data/covertype_extremes.csv",
    log:
        f"{plan.results}/logs/covertype_extremes.log",
    params:
        **plan.covertype_options("clusters", "seed", "n_init", "spread_seeds"),
    script:
        "../scripts/covertype_extremes.py"
