"""Make the tables of one study of a paper."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    from optimist.panels.studies import study_class
    from optimist.runs.cell import Cell
    from optimist.sealed import write_frame

    spec = snakemake.params.spec
    study = study_class(snakemake.params.study)(spec["section"])
    cells = [Cell(**cell) for cell in spec["cells"]]
    tables = study.tabulate(cells, spec["caps"], snakemake.params.data_dir)
    for name, path in snakemake.output.items():
        write_frame(tables[name], path)
