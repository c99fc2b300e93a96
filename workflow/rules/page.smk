# The page of results and the list of all figures, from what is committed alone.
rule page:
    input:
        plan.targets.page_inputs,
    output:
        page=report(
            layout.page,
            caption="../report/page.rst",
            category="Results",
            labels={"what": "claims, figures and curves, to look through"},
        ),
        index=layout.index,
    log:
        layout.log("page"),
    localrule: True
    params:
        code=plan.code("page.py", "optimist.page.build", more=plan.page_sources),
    script:
        "../scripts/page.py"
