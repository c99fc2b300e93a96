"""Decide every claim of one paper."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist import claims
    from optimist.files import write_frame, write_text
    from optimist.plan.config import load_claims
    from optimist.runs import aggregate, committed

    tables = aggregate.read_tables(snakemake.params.tables)
    context = claims.Context.make(snakemake.wildcards.paper, snakemake.params.context)
    verdicts = claims.evaluate(load_claims(snakemake.input.claims), tables, context)
    frame = claims.to_frame(verdicts, context)
    write_frame(claims.compacted(frame), snakemake.output.csv)
    write_text(claims.to_markdown(verdicts, frame), snakemake.output.md)
    committed.write_studies(tables, snakemake.output.parquet)
