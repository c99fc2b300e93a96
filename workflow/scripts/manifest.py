"""Tie each figure, table and claim to its inputs and commit."""

from optimist.jobs import logged
from optimist.records.manifest import build, write

with logged(snakemake.log[0]):
    write(build(snakemake.params.sources), snakemake.output[0])
