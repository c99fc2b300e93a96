"""Report facts about a data set and the arms made from it."""

import pandas as pd

from optimist import datasets, preparation
from optimist.jobs import logged

with logged(snakemake.log[0]):
    frame = datasets.read(snakemake.input.table)
    options, arms = snakemake.params.options, snakemake.input.arms
    facts = preparation.call(snakemake.wildcards.dataset, "facts", frame, arms, options)
    pd.DataFrame(facts, columns=["name", "value"]).to_csv(snakemake.output[0], index=False)
