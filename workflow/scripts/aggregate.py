"""Aggregate result files into tidy tables."""

from optimist import aggregate, results
from optimist.jobs import logged

with logged(snakemake.log[0]):
    results.verify(snakemake.params.expected, f"{snakemake.config['results']}/data")
    regret, floors = snakemake.input.regret, snakemake.input.get("floors")
    runs = aggregate.load(regret, floors, columns=aggregate.REGRETS)
    runs[aggregate.REGRETS].to_parquet(snakemake.output.regrets)
    del runs
    aggregate.finals(aggregate.load(regret, floors, ends=True)).to_parquet(snakemake.output.finals)
    aggregate.load(snakemake.input.timing).to_parquet(snakemake.output.times)
