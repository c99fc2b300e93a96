"""Make the arms of a data set."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.data.prepare import preparation
    from optimist.data.tables import read_raw

    frame = read_raw(snakemake.input.table)
    options = snakemake.params.options
    write = preparation(snakemake.wildcards.dataset).function("write")
    write(frame, snakemake.output[0], **options)
