"""Cluster Covertype into arms."""

from optimist import covertype, datasets
from optimist.jobs import logged

with logged(snakemake.log[0]):
    frame = datasets.read(snakemake.input.table)
    arms = covertype.prepare(frame, **dict(snakemake.params.items()))
    covertype.write_arms(arms, snakemake.output.arms)
