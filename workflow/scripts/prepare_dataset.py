"""Make the arms of a data set."""

from optimist import datasets
from optimist.jobs import logged
from optimist.preparation import preparation

with logged(snakemake.log[0]):
    frame = datasets.read(snakemake.input.table)
    options = snakemake.params.options
    write = preparation(snakemake.wildcards.dataset).function("write")
    write(frame, snakemake.output[0], **options)
