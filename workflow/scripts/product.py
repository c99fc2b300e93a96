"""Make a figure, a table or the claims of a paper, and its record."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist import products
    from optimist.layout import Layout
    from optimist.records.made import make

    layout = Layout(*snakemake.params.layout)
    sources = products.Sources(layout, **snakemake.params.sources)
    make(products.Product(**snakemake.params.product), sources)
