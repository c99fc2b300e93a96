"""Aggregate result files into tidy tables."""

from optimist.jobs import logged
from optimist.runs import aggregate, results

with logged(snakemake.log[0]):
    results.verify(snakemake.params.expected, f"{snakemake.config['results']}/data")
    found = snakemake.input
    aggregate.write_tables(found.regret, found.timing, found.get("floors"), snakemake.output)
