from optimist.plan.costs import FIRST


rule fetch:
    """A table of real data, from UCI or the verified copy."""
    input:
        sources=project_file("data/sources.csv"),
    output:
        table=layout.raw_table("{dataset}"),
        record=layout.raw_record("{dataset}"),
    log:
        layout.log("fetch", "{dataset}"),
    priority: FIRST
    localrule: True
    # The time-out does not affect results: the script reads it, but a change fetches nothing again.
    params:
        source=plan.config["data"]["source"],
    script:
        "../scripts/fetch.py"


rule data:
    """A prepared data set, and facts about it."""
    input:
        table=plan.data.raw_table,
    output:
        data=layout.data("{dataset}"),
        facts=layout.data_facts("{dataset}"),
    log:
        layout.log("data", "{dataset}"),
    # First, or many runs would wait for it at the end.
    priority: FIRST
    resources:
        **plan.data.request,
    params:
        code=lambda w: plan.data.digest(w.dataset),
        options=plan.data.options,
    script:
        "../scripts/data.py"
