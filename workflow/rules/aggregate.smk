from optimist.layout import GROUPS

# One rule for each study, whose tables are made for any paper that asks for it.
for study in plan.studies.asked:

    rule:
        name:
            study.name
        input:
            plan.studies.inputs(study),
        output:
            **plan.studies.outputs(study),
        log:
            layout.log(study.name, "{paper}"),
            use=plan.studies.use(study),
        priority: plan.studies.priority(study)
        threads: plan.jobs.threads("timing" if study.timed else "regret", workflow)
        resources:
            **plan.studies.request(study),
            slurm_extra=plan.node_alone(
                "timing" if study.timed else "regret", "--exclusive"
            ),
            lsf_extra=plan.node_alone("timing" if study.timed else "regret", "-x"),
        params:
            code=plan.code("study.py", of=plan.studies.modules(study)),
            study=study.name,
            spec=plan.studies.spec(study),
            data_dir=layout.data_folder,
        script:
            "../scripts/study.py"


rule best_known:
    input:
        regret=lambda w: plan.trials.best_known_paths(w.paper, w.group),
    output:
        layout.best_known("{paper}", "{group}"),
    log:
        layout.log("best_known", "{paper}_{group}"),
    localrule: True
    params:
        code=plan.code("best_known.py", "optimist.runs.aggregate"),
        expected=plan.best_known_fingerprints,
        data_dir=layout.data_folder,
    script:
        "../scripts/best_known.py"


rule aggregate:
    input:
        unpack(lambda w: plan.trials.best_known(w.paper, w.group)),
        regret=plan.group_paths("regret"),
        timing=plan.group_paths("timing"),
    output:
        **layout.aggregated("{paper}", "{group}"),
    log:
        layout.log("aggregate", "{paper}_{group}"),
    benchmark:
        layout.benchmark("aggregate", "{paper}_{group}")
    resources:
        **plan.aggregate_request(),
    params:
        code=plan.code("aggregate.py", "optimist.runs.aggregate"),
        expected=plan.group_fingerprints,
        data_dir=layout.data_folder,
    script:
        "../scripts/aggregate.py"


# The tables of all trials that are committed, of each group.
for group in GROUPS:

    rule:
        name:
            f"trials{GROUPS[group]}"
        input:
            **layout.aggregated("{paper}", group),
        output:
            **layout.trials("{paper}", group),
        log:
            layout.log("trials", f"{{paper}}_{group}"),
        benchmark:
            layout.benchmark("trials", f"{{paper}}_{group}")
        resources:
            **plan.aggregate_request(group),
        params:
            code=plan.code("trials.py", "optimist.runs.committed"),
            level=lambda w: plan.papers[w.paper]["band"],
            interval=lambda w: plan.papers[w.paper].get("interval", "t"),
        script:
            "../scripts/trials.py"
