rule claims:
    input:
        unpack(plan.targets.claims_inputs),
    output:
        csv=f"{plan.figures}/{{paper}}/claims.csv",
        md=f"{plan.figures}/{{paper}}/claims.md",
    log:
        f"{plan.results}/logs/claims/{{paper}}.log",
    localrule: True
    params:
        code=plan.code("claims.py", plan.targets.claims_sources),
        tables=lambda w: plan.targets.claims_tables(w.paper),
    script:
        "../scripts/claims.py"


rule claims_pages:
    input:
        csv=[f"{plan.figures}/{paper}/claims.csv" for paper in plan.papers],
        md=[f"{plan.figures}/{paper}/claims.md" for paper in plan.papers],
    output:
        csv=f"{plan.figures}/claims.csv",
        md=f"{plan.figures}/claims.md",
        manifest=f"{plan.figures}/manifest.json",
        html=report(
            f"{plan.results}/claims.html",
            caption="../report/claims.rst",
            category="claims",
        ),
    log:
        f"{plan.results}/logs/claims_pages.log",
    localrule: True
    params:
        code=plan.code(
            "claims_pages.py",
            plan.sources("optimist.claims", "optimist.records.manifest"),
        ),
    script:
        "../scripts/claims_pages.py"
