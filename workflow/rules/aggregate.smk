rule facts:
    input:
        plan.facts_inputs,
    output:
        f"{plan.results}/extras/{{paper}}/facts.csv",
    log:
        f"{plan.results}/logs/facts/{{paper}}.log",
    params:
        specs=plan.facts_specs,
        data_dir=f"{plan.results}/data",
    script:
        "../scripts/facts.py"


rule regions:
    input:
        plan.region_inputs,
    output:
        grid=f"{plan.results}/extras/{{paper}}/regions.parquet",
        areas=f"{plan.results}/extras/{{paper}}/region_areas.csv",
    log:
        f"{plan.results}/logs/regions/{{paper}}.log",
    params:
        regions=plan.regions,
    script:
        "../scripts/regions.py"


rule lemmas:
    input:
        plan.lemma_inputs,
    output:
        rounds=f"{plan.results}/extras/{{paper}}/lemmas.parquet",
        facts=f"{plan.results}/extras/{{paper}}/lemma_facts.csv",
    log:
        f"{plan.results}/logs/lemmas/{{paper}}.log",
    params:
        lemmas=plan.lemmas,
    script:
        "../scripts/lemmas.py"


rule aggregate:
    input:
        regret=plan.group_paths("regret"),
        timing=plan.group_paths("timing"),
        source=plan.sources("optimist.aggregate"),
    output:
        finals=f"{plan.results}/tables/{{paper}}/{{group}}/finals.parquet",
        times=f"{plan.results}/tables/{{paper}}/{{group}}/times.parquet",
    log:
        f"{plan.results}/logs/aggregate/{{paper}}_{{group}}.log",
    script:
        "../scripts/aggregate.py"
