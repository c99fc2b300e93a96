"""From result files to the tidy tables that figures, tables and claims are made of.

``curves``  one row per setting, algorithm and recorded round: mean regret over complete trials with
            its confidence band, quartiles, and the number of trials.
``finals``  one row per setting, algorithm and trial: the last recorded round of the regret lane
            (regret, regret_half, status, covered, state_bytes, diagnostics).
``regrets`` setting, algorithm, trial, round, regret and status of the whole regret lane.
``times``   every recorded round of the timing lane, one row per setting, algorithm, trial, round.
``facts``   one row per name and setting: numbers about the environments (and, with an algorithm's
            label for a setting, the areas of confidence regions).
``best_known``  one row per instance of a function whose largest value is not known: the smallest
            regret that any algorithm had in a round, from which all regret is counted.
Other tables are those of `optimist.panels.studies`.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from optimist import sealed
from optimist.errors import ResultError
from optimist.runs.loop import COMPLETE
from optimist.runs.results import REQUIRED, read
from optimist.statistics import mean_intervals

CELL = ["setting", "algorithm"]
REGRETS = [*CELL, "trial", "round", "regret", "status"]
# What regret is counted with where the maximum is unknown.
COUNTED = ("instance", "simple_regret")
# Columns of every table of facts; ``trials`` may follow.
FACTS = ["name", "setting", "value"]
# Inputs that are no tables to be read as they are.
RAW = ("regret", "timing", "best_known")
CURVES = (*CELL, "round", "mean", "low", "high", "trials", "lower", "median", "upper")


def load(
    paths: Sequence[str],
    best_known: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    ends: bool = False,
) -> pd.DataFrame:
    """Return the rows of several result files as one pandas frame, empty if there are none.

    Parameters
    ----------
    paths : list of str
    best_known : str or None
        Path of what `find_best_known` found; regret is counted from them.
    columns : list of str or None
        Read these only, as far as they are there, and what ``best_known`` needs.
    ends : bool
        Keep only the rows that `finals` looks at.
    """
    if not paths:
        return pd.DataFrame(columns=REQUIRED)
    counted = () if best_known is None else COUNTED
    wanted = None if columns is None else [*columns, *counted]

    def rows(path):
        table = read(path, wanted)
        return _ends(table) if ends else table

    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(rows, paths))
    runs = pa.concat_tables(tables, promote_options="permissive").to_pandas()
    return runs if best_known is None else count_from(runs, sealed.read_frame(best_known))


def _ends(table):
    """Return the last row of each trial in an Arrow table, and the last of its first half."""
    rounds = table.select([*CELL, "trial", "round"]).to_pandas()
    last, middle = _last_rounds(rounds)
    return table.take(sorted({*last, *middle}))


def _last_rounds(runs):
    """Return the labels of the last recorded round of each trial, and of its first half."""
    trials = runs.groupby([*CELL, "trial"], sort=False)["round"]
    early = runs[runs["round"] <= 0.5 * trials.transform("max")]
    return trials.idxmax(), early.groupby([*CELL, "trial"], sort=False)["round"].idxmax()


def write_tables(
    regret: Sequence[str],
    timing: Sequence[str],
    best_known: str | None,
    paths: Mapping[str, str],
) -> None:
    """Write the tables of a group: ``finals``, ``regrets`` and ``times``.

    Parameters
    ----------
    regret, timing : list of str
        Result files of the two lanes.
    best_known : str or None
        See `load`.
    paths : mapping of str to path
        Where each table is written.
    """
    sealed.write_frame(load(regret, best_known, columns=REGRETS)[REGRETS], paths["regrets"])
    sealed.write_frame(finals(load(regret, best_known, ends=True)), paths["finals"])
    sealed.write_frame(load(timing), paths["times"])


def find_best_known(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest regret of a round on each instance of a function, and who had it.

    Columns instance, least_regret, algorithm (the first of several).
    """
    best = runs.sort_values("simple_regret", kind="stable").groupby("instance")
    found = best[["simple_regret", "algorithm"]].first().reset_index()
    return found.rename(columns={"simple_regret": "least_regret"})


def count_from(runs: pd.DataFrame, best_known: pd.DataFrame) -> pd.DataFrame:
    """Return ``runs`` with all regret counted from the best known value of their instance.

    Instances without one are left alone, unless others of their setting have one.
    """
    instances = runs.get("instance", pd.Series(None, runs.index, dtype=object))
    least = instances.map(best_known.set_index("instance")["least_regret"])
    mixed = set(runs["setting"][least.notna()])
    lost = instances[least.isna() & instances.notna() & runs["setting"].isin(mixed)]
    if len(lost):
        raise ResultError(
            f"no best known value of {lost.iloc[0]!r}; delete the tables named best_known and run "
            "the same command again"
        )
    least = least.fillna(0.0)
    return runs.assign(
        regret=runs["regret"] - least * runs["round"],
        simple_regret=runs["simple_regret"] - least,
    )


def finals(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the last recorded round of each trial, and as ``regret_half`` the regret midway.

    Midway is the last recorded round in the first half.
    """
    last, middle = _last_rounds(runs)
    halves = runs.loc[middle, [*CELL, "trial", "regret"]].rename(columns={"regret": "regret_half"})
    ends = runs.loc[last].drop(columns="paper").reset_index(drop=True)
    return ends.merge(halves, how="left", on=[*CELL, "trial"])


def curves(runs: pd.DataFrame, level: float, interval: str = "t") -> pd.DataFrame:
    """Return mean regret with its band and the quartiles of regret at each recorded round.

    The band is at ``level``, by Student's t or another ``interval`` of
    `optimist.statistics.mean_intervals`. Only complete trials count; a cell's ``trials`` says how
    many those are.
    """
    complete = runs[runs["status"].isin(COMPLETE)]
    pieces = [pd.DataFrame(columns=CURVES)]
    for (setting, algorithm), group in complete.groupby(CELL, sort=False):
        regrets = group.pivot(index="trial", columns="round", values="regret")
        values = regrets.to_numpy(float)
        mean, low, high = mean_intervals(values, level, interval)
        lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75], axis=0)
        piece = {"setting": setting, "algorithm": algorithm, "round": regrets.columns}
        piece |= {"mean": mean, "low": low, "high": high, "trials": len(values)}
        piece |= {"lower": lower, "median": median, "upper": upper}
        pieces.append(pd.DataFrame(piece))
    return pd.concat(pieces[1:] or pieces, ignore_index=True)


def tables(
    inputs: Mapping[str, Any], level: float, interval: str = "t", trials: int | None = None
) -> dict[str, pd.DataFrame]:
    """Return the tables made from a mapping of ``regret``, ``timing`` and table names to paths.

    What is not among the inputs is absent from the answer; ``best_known`` among them changes the
    regret.
    ``finals`` and ``times`` may be given instead of the lanes that they are made from.
    ``level`` and ``interval`` are those of `curves`; of the regret lane only the first ``trials``
    count.
    """
    made = read_tables({name: path for name, path in inputs.items() if name not in RAW})
    regret, timing = (_as_list(inputs.get(lane, [])) for lane in ("regret", "timing"))
    if regret:
        best_known = inputs.get("best_known")
        runs, ends = load(regret, best_known, columns=REGRETS), load(regret, best_known, ends=True)
        if trials is not None:
            runs, ends = runs[runs["trial"] < trials], ends[ends["trial"] < trials]
        made |= {"finals": finals(ends), "curves": curves(runs, level, interval)}
    if timing:
        made["times"] = load(timing)
    return made


def read_tables(paths: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """Return the frames stored at ``paths`` (by table name), with all facts in one."""
    frames = {name: sealed.read_frame(path) for name, path in paths.items()}
    facts = [name for name, frame in frames.items() if [*frame.columns][:3] == FACTS]
    if facts:
        joined = pd.concat([frames.pop(name) for name in facts], ignore_index=True)
        frames["facts"] = joined
    return frames


def _as_list(paths):
    return [paths] if isinstance(paths, str) else list(paths)
