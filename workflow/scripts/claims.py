"""Decide every claim of one paper."""

from pathlib import Path

from optimist import aggregate, claims
from optimist.jobs import logged

with logged(snakemake.log[0]):
    tables = aggregate.read_tables(snakemake.params.tables)
    verdicts = claims.evaluate(claims.load_claims(snakemake.input.claims), tables)
    claims.to_frame(verdicts).to_csv(snakemake.output.csv, index=False)
    Path(snakemake.output.md).write_text(claims.to_markdown(verdicts))
