"""From result files to the tidy tables that figures, tables and claims are made of.

``curves``  one row per setting, algorithm and recorded round: mean regret over complete trials with
            its confidence band, and the number of trials.
``finals``  one row per setting, algorithm and trial: the last recorded round of the regret lane
            (regret, status, covered, state_bytes, diagnostics).
``times``   every recorded round of the timing lane, one row per setting, algorithm, trial, round.
``facts``   one row per name and setting: numbers about the environments (and, with an algorithm's
            label for a setting, the areas of confidence regions).
``regions`` and ``scaling``: see `optimist.regions` and `optimist.scaling`.
"""

from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pyarrow as pa

from optimist.results import REQUIRED, read
from optimist.simulate import COMPLETE
from optimist.statistics import mean_interval

EXTRAS = ("facts", "regions", "scaling")
CELL = ["setting", "algorithm"]


def load(paths):
    """Return the rows of several result files as one pandas frame, empty if there are none."""
    if not paths:
        return pd.DataFrame(columns=REQUIRED)
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
    names = [*CELL, "round", "mean", "low", "high", "trials"]
    return pd.DataFrame(rows, columns=names)


def tables(inputs, level):
    """Return the tables made from a mapping of ``regret``, ``timing`` and table names to paths.

    What is not among the inputs is absent from the answer.
    """
    made = read_tables({k: v for k, v in inputs.items() if k in (*EXTRAS, "region_areas")})
    regret, timing = (_as_list(inputs.get(lane, [])) for lane in ("regret", "timing"))
    if regret:
        runs = load(regret)
        made |= {"finals": finals(runs), "curves": curves(runs, level)}
    if timing:
        made["times"] = load(timing)
    return made


def read_tables(paths):
    """Return the frames stored at ``paths`` (by table name); areas are appended to the facts."""
    frames = {name: _read(path) for name, path in paths.items()}
    areas = frames.pop("region_areas", None)
    if areas is not None:
        frames["facts"] = pd.concat([frames["facts"], areas], ignore_index=True)
    return frames


def _read(path):
    return pd.read_parquet(path) if str(path).endswith(".parquet") else pd.read_csv(path)


def _as_list(paths):
    return [paths] if isinstance(paths, str) else list(paths)
