"""Write the tables of one study of a paper."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.records.study import make

    make(snakemake.params.spec, snakemake.output[0], snakemake.params.data_dir)
