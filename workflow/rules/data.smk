rule fetch_dataset:
    input:
        sources="data/sources.csv",
        code=plan.sources("optimist.data.fetch"),
    output:
        table=f"{plan.results}/data/raw/{{dataset}}.parquet",
        record=f"{plan.results}/data/raw/{{dataset}}.json",
    log:
        f"{plan.results}/logs/fetch_dataset/{{dataset}}.log",
    priority: 100
    localrule: True
    # Time-out and retries decide nothing: the script reads them, but a change fetches nothing anew.
    params:
        code=plan.code("fetch_dataset.py", plan.sources("optimist.data.fetch")),
        source=plan.config["data"]["source"],
    script:
        "../scripts/fetch_dataset.py"


rule prepare_dataset:
    input:
        plan.data.inputs("optimist.data.fetch"),
        table=plan.data.raw_table,
    output:
        f"{plan.results}/data/{{dataset}}.csv",
    log:
        f"{plan.results}/logs/prepare_dataset/{{dataset}}.log",
    # First of all, or many runs would wait for it at the end.
    priority: 100
    resources:
        **plan.data.request,
    params:
        code=plan.code("prepare_dataset.py", plan.data.inputs("optimist.data.fetch")),
        options=plan.data.options("write"),
    script:
        "../scripts/prepare_dataset.py"


rule dataset_facts:
    input:
        plan.data.inputs("optimist.data.fetch"),
        table=plan.data.raw_table,
        arms=f"{plan.results}/data/{{dataset}}.csv",
    output:
        f"{plan.results}/data/{{dataset}}_facts.csv",
    log:
        f"{plan.results}/logs/dataset_facts/{{dataset}}.log",
    resources:
        **plan.data.request,
    params:
        code=plan.code("dataset_facts.py", plan.data.inputs("optimist.data.fetch")),
        options=plan.data.options("facts"),
    script:
        "../scripts/dataset_facts.py"
