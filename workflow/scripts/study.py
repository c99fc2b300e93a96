"""Write the tables of one study of a paper."""

from optimist.core import blas_kernels
from optimist.core.job_logging import logged

blas_kernels.fix()
with logged(snakemake.log[0]):
    blas_kernels.verify()
    from optimist.core import provenance
    from optimist.experiments.cell import Cell
    from optimist.experiments.limits import Meter
    from optimist.figures.studies import study_class, tables

    spec = snakemake.params.spec
    study = study_class(spec["study"])(spec["section"])
    cells = [Cell(**cell) for cell in spec["cells"]]
    with Meter() as meter:
        found = study.tabulate(cells, spec["caps"], snakemake.params.data_dir)
    about = {"digest": spec["digest"], "use": meter.use, "provenance": provenance.collect()}
    tables.write(found, snakemake.output[0], about)
