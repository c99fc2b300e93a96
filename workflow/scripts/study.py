"""Make the tables of one study of a paper."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    import json

    from optimist.files import write_text
    from optimist.panels.studies import study_class
    from optimist.runs.cell import Cell
    from optimist.runs.limits import Meter
    from optimist.sealed import write_frame

    spec = snakemake.params.spec
    study = study_class(snakemake.params.study)(spec["section"])
    cells = [Cell(**cell) for cell in spec["cells"]]
    with Meter() as meter:
        tables = study.tabulate(cells, spec["caps"], snakemake.params.data_dir)
    for name, path in snakemake.output.items():
        write_frame(tables[name], path)
    write_text(json.dumps(meter.use), snakemake.log.use)
