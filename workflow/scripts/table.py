"""Write one table as CSV and Markdown."""

from pathlib import Path

from optimist import aggregate, figures, results
from optimist.jobs import logged

with logged(snakemake.log[0]):
    results.verify(snakemake.params.expected, f"{snakemake.config['results']}/data")
    paper = snakemake.params.paper
    interval = paper.get("interval", "t")
    tables = aggregate.tables(dict(snakemake.input.items()), paper["band"], interval)
    table = figures.make_table(snakemake.params.spec, tables, paper)
    table.to_csv(snakemake.output.csv, index=False)
    Path(snakemake.output.md).write_text(figures.to_markdown(table))
