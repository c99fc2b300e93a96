"""Make the arms of a data set."""

from optimist import datasets, preparation
from optimist.jobs import logged

with logged(snakemake.log[0]):
    frame = datasets.read(snakemake.input.table)
    options = snakemake.params.options
    preparation.call(snakemake.wildcards.dataset, "write", frame, snakemake.output[0], options)
