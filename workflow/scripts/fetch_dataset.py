"""Fetch one data set, from UCI or the verified copy, and record which."""

from optimist import datasets
from optimist.jobs import logged

with logged(snakemake.log[0]):
    frame, record = datasets.fetch(snakemake.wildcards.dataset, **dict(snakemake.params.items()))
    datasets.save(frame, record, snakemake.output.table, snakemake.output.record)
