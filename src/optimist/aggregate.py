"""From result files to the tidy tables that figures, tables and claims are made of.

``curves``  one row per setting, algorithm and recorded round: mean regret over complete trials with
            its confidence band, and the number of trials.
``finals``  one row per setting, algorithm and trial: the last recorded round of the regret lane
            (regret, status, covered, state_bytes, diagnostics).
``times``   every recorded round of the timing lane, one row per setting, algorithm, trial, round.
"""

from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from optimist.results import read
from optimist.simulate import COMPLETE
from optimist.statistics import mean_interval

CELL = ["setting", "algorithm"]


def load(paths):
    """Return the rows of several result files as one pandas frame."""
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(read, paths))
    return pa.concat_tables(tables, promote_options="permissive").to_pandas()


def finals(runs):
    """Return the last recorded round of each trial."""
    last = runs.groupby([*CELL, "trial"], sort=False)["round"].idxmax()
    return runs.loc[last].drop(columns="paper").reset_index(drop=True)


def curves(runs, level):
    """Return mean regret and its ``level`` confidence band (t quantile) at each recorded round.

    Only complete trials count; a cell's ``trials`` says how many those are.
    """
    complete = runs[runs["status"].isin(COMPLETE)]
    rows = []
    for (setting, algorithm, rounds), group in complete.groupby([*CELL, "round"], sort=False):
        mean, low, high = mean_interval(group["regret"], level)
        rows.append((setting, algorithm, rounds, mean, low, high, len(group)))
    import pandas as pd

    names = [*CELL, "round", "mean", "low", "high", "trials"]
    return pd.DataFrame(rows, columns=names)
