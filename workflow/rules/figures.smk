rule figure:
    input:
        unpack(plan.shown.inputs("figures")),
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
        code=plan.shown.code("figure.py", "figures"),
        spec=plan.shown.spec("figures"),
        paper=plan.paper_summary,
        caption=plan.shown.caption("figures"),
        expected=plan.shown.fingerprints("figures"),
        data_dir=layout.data_folder,
    script:
        "../scripts/figure.py"


rule table:
    input:
        unpack(plan.shown.inputs("tables")),
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
        code=plan.shown.code("table.py", "tables"),
        spec=plan.shown.spec("tables"),
        paper=plan.paper_summary,
        caption=plan.shown.caption("tables"),
        expected=plan.shown.fingerprints("tables"),
        data_dir=layout.data_folder,
    script:
        "../scripts/table.py"


rule manifest:
    input:
        plan.targets.manifest_inputs,
    output:
        layout.any_manifest,
    log:
        layout.log("{manifest}", "{paper}"),
    wildcard_constraints:
        manifest="manifest|manifest_variants|manifest_of_[a-z_0-9]+",
    localrule: True
    params:
        code=plan.code("manifest.py", "optimist.records.manifest"),
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
