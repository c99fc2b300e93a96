"""Prepare a data set, and report facts about it."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    import pandas as pd

    from optimist.data.prepare import preparation
    from optimist.data.tables import read_raw
    from optimist.sealed import write_frame

    frame, output = read_raw(snakemake.input.table), snakemake.output
    how, options = preparation(snakemake.wildcards.dataset), snakemake.params.options
    how.function("write")(frame, output.data, **options["write"])
    facts = how.function("facts")(frame, output.data, **options["facts"])
    write_frame(pd.DataFrame(facts, columns=["name", "value"]), output.facts)
