"""Tabulate facts about the environments of one paper."""

from pathlib import Path

import pandas as pd

from optimist.config import load_paper
from optimist.facts import seed_facts, setting_facts
from optimist.jobs import logged

with logged(snakemake.log[0]):
    paper = load_paper(snakemake.wildcards.paper)
    rows = []
    for setting in snakemake.params.settings:
        rows += setting_facts(paper, setting, snakemake.params.data_dir)
        name = f"{paper['settings'][setting].get('dataset')}_extremes.csv"
        extremes = Path(snakemake.params.data_dir) / name
        if str(extremes) in snakemake.input:
            rows += seed_facts(pd.read_csv(extremes), setting)
    table = pd.DataFrame(rows, columns=["name", "setting", "value"])
    table.to_csv(snakemake.output[0], index=False)
