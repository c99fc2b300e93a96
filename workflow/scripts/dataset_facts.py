"""Report facts about a data set and the arms made from it."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    import pandas as pd

    from optimist.data.prepare import preparation
    from optimist.data.tables import read_raw
    from optimist.sealed import write_frame

    frame = read_raw(snakemake.input.table)
    facts = preparation(snakemake.wildcards.dataset).function("facts")
    found = facts(frame, snakemake.input.arms, **snakemake.params.options)
    write_frame(pd.DataFrame(found, columns=["name", "value"]), snakemake.output[0])
