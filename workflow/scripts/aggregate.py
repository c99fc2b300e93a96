"""Aggregate result files into tidy tables."""

from optimist import aggregate, results
from optimist.jobs import logged

with logged(snakemake.log[0]):
    results.verify(snakemake.params.expected, f"{snakemake.config['results']}/data")
    runs = aggregate.load(snakemake.input.regret, snakemake.input.get("floors"))
    aggregate.finals(runs).to_parquet(snakemake.output.finals)
    runs[aggregate.REGRETS].to_parquet(snakemake.output.regrets)
    aggregate.load(snakemake.input.timing).to_parquet(snakemake.output.times)
