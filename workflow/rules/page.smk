rule page:
    """All verdicts, the page of results and the list of figures, from the tables of papers alone."""
    input:
        plan.targets.page_inputs,
    output:
        **layout.claims(),
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
        code=plan.page_code,
    script:
        "../scripts/page.py"
