"""Aggregate result files into tidy tables."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.runs import aggregate, results

    results.verify(snakemake.params.expected, snakemake.params.data_dir)
    found = snakemake.input
    aggregate.write_tables(found.regret, found.timing, found.get("best_known"), snakemake.output)
