rule figure:
    """A figure of a paper, with its table."""
    input:
        results=product_inputs("figures"),
        committed=lambda w: ancient(plan.targets.committed(w.paper)),
    output:
        png=report(
            layout.figure("{paper}", "{name}")["png"],
            caption="../report/figure.rst",
            category=plan.report_category,
            subcategory="figures",
            labels=plan.report_labels("figures"),
        ),
        pdf=layout.figure("{paper}", "{name}")["pdf"],
        webp=layout.figure("{paper}", "{name}")["webp"],
        csv=layout.figure("{paper}", "{name}")["csv"],
    log:
        layout.log("figure", "{paper}_{name}"),
    wildcard_constraints:
        name=plan.shown.name_pattern("figures"),
    localrule: True
    params:
        **product_params("figures"),
        caption=plan.shown.caption("figures"),
    script:
        "../scripts/product.py"


rule table:
    """A table of a paper."""
    input:
        results=product_inputs("tables"),
        committed=lambda w: ancient(plan.targets.committed(w.paper)),
    output:
        csv=report(
            layout.table("{paper}", "{name}")["csv"],
            caption="../report/figure.rst",
            category=plan.report_category,
            subcategory="tables",
            labels=plan.report_labels("tables"),
        ),
        md=layout.table("{paper}", "{name}")["md"],
    log:
        layout.log("table", "{paper}_{name}"),
    wildcard_constraints:
        name=plan.shown.name_pattern("tables"),
    localrule: True
    params:
        **product_params("tables"),
        caption=plan.shown.caption("tables"),
    script:
        "../scripts/product.py"


rule claims:
    """The verdicts on the claims of a paper."""
    input:
        results=product_inputs("claims"),
        committed=lambda w: ancient(plan.targets.committed(w.paper)),
    output:
        **layout.claims("{paper}"),
    log:
        layout.log("claims", "{paper}"),
    localrule: True
    params:
        **product_params("claims"),
    script:
        "../scripts/product.py"


# The tables are not outputs of a rule, as the script replaces them by rename.
rule publish:
    """The tables of all trials of a paper."""
    input:
        published_inputs,
    output:
        layout.published("{paper}", "{group}"),
    log:
        layout.log("publish", "{paper}_{group}"),
    localrule: True
    params:
        config=snakemake_adapter.no_trigger(lambda w: plan.config),
    script:
        "../scripts/publish.py"


# One target for each paper, its variants, its parts, and each figure and table: glb_omd,
# glb_omd_variants, glb_omd_fig1, go_ucb_tuning, ...
for paper in plan.papers:
    for target, (words, files) in plan.targets.named(paper).items():

        rule:
            name:
                target
            input:
                files,

        snakemake_adapter.describe(workflow, target, words)
