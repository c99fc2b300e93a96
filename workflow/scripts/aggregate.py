"""Aggregate result files into tidy tables."""

from optimist.jobs import logged
from optimist.runs import aggregate, results

with logged(snakemake.log[0]):
    results.verify(snakemake.params.expected, snakemake.params.data_dir)
    found = snakemake.input
    aggregate.write_tables(found.regret, found.timing, found.get("best_known"), snakemake.output)
