"""Aggregate result files into tidy tables."""

import pandas as pd

from optimist import aggregate
from optimist.jobs import logged

with logged(snakemake.log[0]):
    floors = snakemake.input.get("floors")
    runs = aggregate.load(snakemake.input.regret, pd.read_parquet(floors) if floors else None)
    aggregate.finals(runs).to_parquet(snakemake.output.finals)
    runs[aggregate.REGRETS].to_parquet(snakemake.output.regrets)
    aggregate.load(snakemake.input.timing).to_parquet(snakemake.output.times)
