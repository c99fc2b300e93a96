"""Write the tables of one study of a paper."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.panels.studies import study_class, tables
    from optimist.records import provenance
    from optimist.runs.cell import Cell
    from optimist.runs.limits import Meter

    spec = snakemake.params.spec
    study = study_class(spec["study"])(spec["section"])
    cells = [Cell(**cell) for cell in spec["cells"]]
    with Meter() as meter:
        found = study.tabulate(cells, spec["caps"], snakemake.params.data_dir)
    about = {"digest": spec["digest"], "use": meter.use, "provenance": provenance.collect()}
    tables.write(found, snakemake.output[0], about)
