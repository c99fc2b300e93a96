"""Write one table as CSV and Markdown."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.files import write_frame, write_text
    from optimist.panels import make_table
    from optimist.panels.rows import Tables
    from optimist.runs import aggregate, results

    results.verify(snakemake.params.expected, snakemake.params.data_dir)
    paper = snakemake.params.paper
    interval = paper.get("interval", "t")
    tables = aggregate.tables(dict(snakemake.input.items()), paper["band"], interval)
    table = make_table(snakemake.params.spec)
    frame = table.frame(Tables(tables, paper))
    write_frame(frame, snakemake.output.csv)
    write_text(table.document(frame, paper["shortened"]), snakemake.output.md)
