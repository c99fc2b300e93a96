"""Play trials of the regret or the timing lane, and write a result file for each range of them."""

import gc

from optimist import arithmetic
from optimist.jobs import logged

gc.disable()  # modules are no garbage
arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.layout import Layout
    from optimist.records import provenance
    from optimist.runs.job import make_results

    gc.freeze()
    gc.enable()
    layout = Layout(*snakemake.params.layout)
    make_results(
        snakemake.params.trials,
        snakemake.output,
        layout.data_folder,
        layout.kept,
        provenance.collect,
        snakemake.params.limits,
    )
gc.freeze()  # Python would look through all of it three times more before it ends
