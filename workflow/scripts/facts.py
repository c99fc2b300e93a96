"""Tabulate facts about the environments of one paper."""

from pathlib import Path

import pandas as pd

from optimist.facts import seed_facts, setting_facts
from optimist.jobs import logged

with logged(snakemake.log[0]):
    rows, seen = [], set()
    for setting, spec in snakemake.params.specs.items():
        rows += setting_facts(snakemake.wildcards.paper, setting, spec, snakemake.params.data_dir)
        extremes = Path(snakemake.params.data_dir) / f"{spec.get('dataset')}_extremes.csv"
        if str(extremes) in set(snakemake.input) - seen:  # once for all settings of a data set
            rows += seed_facts(pd.read_csv(extremes), setting)
            seen.add(str(extremes))
    table = pd.DataFrame(rows, columns=["name", "setting", "value"])
    table.to_csv(snakemake.output[0], index=False)
