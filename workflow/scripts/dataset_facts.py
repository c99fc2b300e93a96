"""Report facts about a data set and the arms made from it."""

import pandas as pd

from optimist import datasets
from optimist.jobs import logged
from optimist.preparation import preparation

with logged(snakemake.log[0]):
    frame = datasets.read(snakemake.input.table)
    facts = preparation(snakemake.wildcards.dataset).function("facts")
    found = facts(frame, snakemake.input.arms, **snakemake.params.options)
    pd.DataFrame(found, columns=["name", "value"]).to_csv(snakemake.output[0], index=False)
