"""Write the table of one figure, then draw it."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    import pandas as pd

    from optimist.files import write_frame
    from optimist.panels import figure
    from optimist.runs import aggregate, results

    results.verify(snakemake.params.expected, snakemake.params.data_dir)
    spec, paper = snakemake.params.spec, snakemake.params.paper
    interval = paper.get("interval", "t")
    inputs, trials = dict(snakemake.input.items()), spec.get("trials")
    tables = aggregate.tables(inputs, paper["band"], interval, trials)
    write_frame(figure.tabulate(spec, tables, paper), snakemake.output.csv)
    table = pd.read_csv(snakemake.output.csv)
    output = snakemake.output
    figure.draw(spec, table, paper, output.png, output.pdf, output.webp)
