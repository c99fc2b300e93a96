"""Make the arms of a data set."""

from optimist.data.prepare import preparation
from optimist.data.tables import read
from optimist.jobs import logged

with logged(snakemake.log[0]):
    frame = read(snakemake.input.table)
    options = snakemake.params.options
    write = preparation(snakemake.wildcards.dataset).function("write")
    write(frame, snakemake.output[0], **options)
