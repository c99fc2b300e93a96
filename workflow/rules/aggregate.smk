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
            f"{plan.results}/logs/{study.name}/{{paper}}.log",
        benchmark:
            plan.studies.benchmark(study)
        # The longest of all jobs is among them.
        priority: 0 if study.timed else 50
        threads: plan.timing_threads(workflow) if study.timed else 1
        resources:
            **plan.studies.request(study),
            slurm_extra=plan.node_alone("--exclusive") if study.timed else "",
            lsf_extra=plan.node_alone("-x") if study.timed else "",
        params:
            code=plan.code("study.py", plan.studies.inputs(study)),
            study=study.name,
            spec=plan.studies.spec(study),
            data_dir=f"{plan.results}/data",
        script:
            "../scripts/study.py"


rule floors:
    input:
        regret=lambda w: plan.floor_paths(w.paper, w.group),
        source=plan.sources("optimist.runs.aggregate"),
    output:
        f"{plan.results}/tables/{{paper}}/{{group}}/floors.parquet",
    log:
        f"{plan.results}/logs/floors/{{paper}}_{{group}}.log",
    localrule: True
    params:
        code=plan.code("floors.py", plan.sources("optimist.runs.aggregate")),
        expected=plan.floor_identities,
    script:
        "../scripts/floors.py"


rule aggregate:
    input:
        unpack(lambda w: plan.floors(w.paper, w.group)),
        regret=plan.group_paths("regret"),
        timing=plan.group_paths("timing"),
        source=plan.sources("optimist.runs.aggregate"),
    output:
        finals=f"{plan.results}/tables/{{paper}}/{{group}}/finals.parquet",
        regrets=f"{plan.results}/tables/{{paper}}/{{group}}/regrets.parquet",
        times=f"{plan.results}/tables/{{paper}}/{{group}}/times.parquet",
    log:
        f"{plan.results}/logs/aggregate/{{paper}}_{{group}}.log",
    benchmark:
        f"{plan.results}/benchmarks/aggregate/{{paper}}_{{group}}.tsv"
    resources:
        **plan.aggregate_request,
    params:
        code=plan.code("aggregate.py", plan.sources("optimist.runs.aggregate")),
        expected=plan.group_identities,
    script:
        "../scripts/aggregate.py"
