rule figure:
    input:
        unpack(plan.items.inputs("figures")),
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
        name=plan.items.name_pattern("figures"),
    localrule: True
    params:
        code=plan.code("figure.py", plan.items.drawing_sources()),
        spec=plan.items.described("figures"),
        paper=plan.items.paper_summary,
        caption=plan.items.caption("figures"),
        expected=plan.items.identities("figures"),
    script:
        "../scripts/figure.py"


rule table:
    input:
        unpack(plan.items.inputs("tables")),
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
        name=plan.items.name_pattern("tables"),
    localrule: True
    params:
        code=plan.code("table.py", plan.items.drawing_sources()),
        spec=plan.items.described("tables"),
        paper=plan.items.paper_summary,
        caption=plan.items.caption("tables"),
        expected=plan.items.identities("tables"),
    script:
        "../scripts/table.py"


rule manifest:
    input:
        plan.targets.manifest_inputs,
    output:
        f"{plan.figures}/{{paper}}/{{manifest}}.json",
    log:
        f"{plan.results}/logs/{{manifest}}/{{paper}}.log",
    wildcard_constraints:
        manifest="manifest|manifest_variants",
    localrule: True
    params:
        code=plan.code("manifest.py", plan.sources("optimist.records.manifest")),
        sources=plan.targets.manifest_sources,
    script:
        "../scripts/manifest.py"


# One target per paper, per group of variants, per part and per figure or table: glb_omd,
# glb_omd_variants, glb_omd_fig1, go_ucb_tuning, ...
for paper in plan.papers:
    for target, files in plan.targets.named(paper).items():

        rule:
            name:
                target
            input:
                files,
