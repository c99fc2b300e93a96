from optimist.claims.metrics import MODULES as METRIC_MODULES


rule claims:
    input:
        unpack(plan.targets.claims_inputs),
    output:
        **layout.claims("{paper}"),
    log:
        layout.log("claims", "{paper}"),
    localrule: True
    params:
        code=plan.code(
            "claims.py",
            "optimist.claims",
            "optimist.runs.aggregate",
            "optimist.runs.committed",
            *METRIC_MODULES,
        ),
        claims=lambda w: plan.claims.fingerprints[w.paper],
        context=plan.claims_context,
        tables=lambda w: plan.targets.claims_tables(w.paper),
    script:
        "../scripts/claims.py"


rule claims_pages:
    input:
        csv=[layout.claims(paper)["csv"] for paper in plan.papers],
        md=[layout.claims(paper)["md"] for paper in plan.papers],
    output:
        **layout.claims(),
        manifest=layout.manifest(),
    log:
        layout.log("claims_pages"),
    localrule: True
    params:
        code=plan.code(
            "claims_pages.py", "optimist.claims", "optimist.records.manifest"
        ),
    script:
        "../scripts/claims_pages.py"
