rule figure:
    input:
        unpack(plan.figure_inputs("figures")),
    output:
        png=report(
            f"{plan.figures}/{{paper}}/{{name}}.png",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="figures",
            labels={"figure": "{name}"},
        ),
        pdf=f"{plan.figures}/{{paper}}/{{name}}.pdf",
        csv=f"{plan.figures}/{{paper}}/tables/{{name}}.csv",
    log:
        f"{plan.results}/logs/figure/{{paper}}_{{name}}.log",
    wildcard_constraints:
        name=plan.name_pattern("figures"),
    localrule: True
    params:
        code=plan.code("figure.py", plan.drawing_sources()),
        spec=plan.item("figures"),
        paper=plan.paper_summary,
        caption=plan.caption("figures"),
        expected=plan.figure_identities("figures"),
    script:
        "../scripts/figure.py"


rule table:
    input:
        unpack(plan.figure_inputs("tables")),
    output:
        csv=report(
            f"{plan.figures}/{{paper}}/tables/{{name}}.csv",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="tables",
            labels={"table": "{name}"},
        ),
        md=f"{plan.figures}/{{paper}}/tables/{{name}}.md",
    log:
        f"{plan.results}/logs/table/{{paper}}_{{name}}.log",
    wildcard_constraints:
        name=plan.name_pattern("tables"),
    localrule: True
    params:
        code=plan.code("table.py", plan.drawing_sources()),
        spec=plan.item("tables"),
        paper=plan.paper_summary,
        caption=plan.caption("tables"),
        expected=plan.figure_identities("tables"),
    script:
        "../scripts/table.py"


rule manifest:
    input:
        plan.manifest_inputs,
    output:
        f"{plan.figures}/{{paper}}/{{manifest}}.json",
    log:
        f"{plan.results}/logs/{{manifest}}/{{paper}}.log",
    wildcard_constraints:
        manifest="manifest|manifest_variants",
    localrule: True
    params:
        code=plan.code("manifest.py", plan.sources("optimist.manifest")),
        sources=plan.manifest_sources,
    script:
        "../scripts/manifest.py"


# One target per paper, per group of variants, per part and per figure or table: glb_omd,
# glb_omd_variants, glb_omd_fig1, go_ucb_tuning, ...
for paper in plan.papers:
    for target, files in plan.named_targets(paper).items():

        rule:
            name:
                target
            input:
                files,
