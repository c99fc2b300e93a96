from optimist.plan.costs import FIRST


rule fetch_dataset:
    input:
        sources=project_file("data/sources.csv"),
    output:
        table=layout.raw_table("{dataset}"),
        record=layout.raw_record("{dataset}"),
    log:
        layout.log("fetch_dataset", "{dataset}"),
    priority: FIRST
    localrule: True
    # Time-out and retries decide nothing: the script reads them, but a change fetches nothing anew.
    params:
        code=plan.code("fetch_dataset.py", "optimist.data.fetch"),
        source=plan.config["data"]["source"],
    script:
        "../scripts/fetch_dataset.py"


rule prepare_dataset:
    input:
        table=plan.data.raw_table,
    output:
        layout.data("{dataset}"),
    log:
        layout.log("prepare_dataset", "{dataset}"),
    # First of all, or many runs would wait for it at the end.
    priority: FIRST
    resources:
        **plan.data.request,
    params:
        code=plan.code(
            "prepare_dataset.py", "optimist.data.tables", of=plan.data.modules
        ),
        options=plan.data.options("write"),
    script:
        "../scripts/prepare_dataset.py"


rule dataset_facts:
    input:
        table=plan.data.raw_table,
        arms=layout.data("{dataset}"),
    output:
        layout.data_facts("{dataset}"),
    log:
        layout.log("dataset_facts", "{dataset}"),
    resources:
        **plan.data.request,
    params:
        code=plan.code("dataset_facts.py", "optimist.data.tables", of=plan.data.modules),
        options=plan.data.options("facts"),
    script:
        "../scripts/dataset_facts.py"
