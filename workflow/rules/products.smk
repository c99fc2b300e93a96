from dataclasses import asdict


def product(kind):
    """Return a function of wildcards: what is asked for."""

    def asked(wildcards):
        name = "claims" if kind == "claims" else wildcards.name
        return plan.targets.product(wildcards.paper, kind, name)

    return asked


def product_inputs(kind):
    """Return an input function: the results that a product waits for.

    The record of a product decides whether it is today's, as Snakemake knows nothing of files that
    came with a checkout.
    """

    def inputs(wildcards):
        asked = product(kind)(wildcards)
        if not workflow.remote_exec and plan.targets.is_stale(asked):
            workflow.dag.forcefiles.update(asked.files.values())
        return plan.targets.inputs(asked)

    return inputs


def product_sources(kind):
    """Return a params function: where the trials of a product are, once its inputs are made.

    Snakemake makes nothing again for a parameter that depends on resources; records decide that.
    """
    return lambda wildcards, resources: plan.targets.planned_sources(
        product(kind)(wildcards)
    )


rule figure:
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
        product=lambda w, resources: asdict(product("figures")(w)),
        sources=product_sources("figures"),
        layout=(layout.results, layout.figures),
        caption=plan.shown.caption("figures"),
    script:
        "../scripts/product.py"


rule table:
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
        product=lambda w, resources: asdict(product("tables")(w)),
        sources=product_sources("tables"),
        layout=(layout.results, layout.figures),
        caption=plan.shown.caption("tables"),
    script:
        "../scripts/product.py"


# The verdicts on the claims of a paper.
rule claims:
    input:
        results=product_inputs("claims"),
        committed=lambda w: ancient(plan.targets.committed(w.paper)),
    output:
        **layout.claims("{paper}"),
    log:
        layout.log("claims", "{paper}"),
    localrule: True
    params:
        product=lambda w, resources: asdict(product("claims")(w)),
        sources=product_sources("claims"),
        layout=(layout.results, layout.figures),
    script:
        "../scripts/product.py"


# The tables of all trials, which are no rule's output: they are written by rename.
rule publish:
    input:
        lambda w: plan.targets.results(w.paper, w.group),
    output:
        touch(layout.published("{paper}", "{group}")),
    log:
        layout.log("publish", "{paper}_{group}"),
    localrule: True
    params:
        config=lambda w, resources: plan.config,
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

        # In a module rules have other names, and some may be left out.
        called = workflow.modifier.modify_rulename(target)
        if workflow.is_rule(called):
            workflow.get_rule(called).docstring = words
