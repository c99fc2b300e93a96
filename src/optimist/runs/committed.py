"""Tables of all trials that stand beside the figures, so that claims can be computed again.

``trials``  one row per lane, setting, algorithm and trial: how it ended, and what it had then.
``curves``  regret, or seconds in the timing lane, at some sixty rounds of the first forty trials of
            a cell, and summaries over all trials.
``studies`` the rows of the studies, and the facts, that claims are decided on.

The first two are made from the aggregated tables alone (`optimist.runs.aggregate`), whatever the
order of their rows; ``docs/tables.md`` explains every column.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from optimist import sealed
from optimist.files import write_frame
from optimist.layout import AGGREGATED
from optimist.runs import aggregate
from optimist.runs.aggregate import CELL

if TYPE_CHECKING:
    import pyarrow as pa

# What a lane measures; times of the regret lane, whose jobs share the machine, mean nothing.
MEASURE = {"regret": "regret", "timing": "seconds"}
NOISE = ("seconds", "select_seconds")
FIRST = [
    *("lane", "setting", "algorithm", "trial", "rounds", "status", "regret", "regret_half"),
    *("seconds", "select_seconds", "turns", "covered", "state_bytes"),
]
# Rounds of a curve, evenly and geometrically spaced, and how many trials of a cell have one.
EVEN, GEOMETRIC = 40, 20
# As many recorded rounds are all kept.
FEW = 80
CURVES = 40
# Summaries of a cell, with their names in `optimist.runs.aggregate.curves`.
SUMMARIES = ("mean", "low", "high", "lower", "median", "upper")
# Leading bits of a number in a curve: one part in 130,000.
BITS = 16


def trials(finals: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    """Return the table of all trials of both lanes.

    Parameters
    ----------
    finals : DataFrame
        Last row of every trial of the regret lane.
    times : DataFrame
        Every recorded row of the timing lane.

    Returns
    -------
    DataFrame
        The columns `FIRST`, then by name the counters of algorithms; without empty columns. Sorted
        by lane, setting, algorithm and trial. ``turns`` numbers the groups of cells that were timed
        in turns together. Whole numbers are integers, truths 0 and 1.
    """
    played = finals.drop(columns=[*NOISE], errors="ignore").assign(lane="regret")
    timed = aggregate.finals(times) if len(times) else times.iloc[:0]
    both = pd.concat([played, timed.assign(lane="timing")], ignore_index=True)
    both = both.rename(columns={"round": "rounds"})
    both = both.sort_values(["lane", *CELL, "trial"], kind="stable", ignore_index=True)
    if "turns" in both:
        codes, _ = pd.factorize(both["turns"])
        both["turns"] = pd.Series(codes + 1).where(codes >= 0)
    counters = sorted(name for name in both if name not in FIRST and _is_number(both[name]))
    kept = [name for name in [*FIRST, *counters] if name in both and both[name].notna().any()]
    return both[kept].apply(_compact)


def _is_number(column: pd.Series) -> bool:
    known = column.dropna()
    return len(known) > 0 and all(isinstance(value, bool | int | float) for value in known)


def _compact(column: pd.Series) -> pd.Series:
    """Return truths as 0 and 1, and whole numbers as integers where some are missing."""
    if not _is_number(column):
        return column
    numbers = pd.Series([np.nan if pd.isna(value) else float(value) for value in column])
    known = numbers.dropna()
    is_whole = bool((known == known.round()).all() and (known.abs() < 2.0**53).all())
    return numbers.astype("Int64") if is_whole else numbers


def curves(lane: str, runs: pd.DataFrame, level: float, interval: str) -> pd.DataFrame:
    """Return the thinned curves of a lane.

    Parameters
    ----------
    lane : str
    runs : DataFrame
        setting, algorithm, trial, round, status and what the lane measures, every recorded row.
    level, interval : float, str
        Of the summaries' ``low`` and ``high``, see `optimist.statistics.mean_intervals`.

    Returns
    -------
    DataFrame
        lane, setting, algorithm, curve (``trial``, or one of `SUMMARIES`), trial (missing in
        summaries), round, and regret or seconds. A cell's rounds are the last recorded ones up to
        each of some evenly and some geometrically spaced; so the round midway, a quarter and an
        eighth of the way are among them.
    """
    value = MEASURE[lane]
    found = [pd.DataFrame(columns=[*CELL, "curve", "trial", "round", value])]
    for _, cell in runs.groupby(CELL, sort=True, observed=True):
        known = cell[cell[value].notna()]
        if known.empty:
            continue
        thinned = known[known["round"].isin(shown_rounds(known["round"].unique()))]
        thinned = thinned.astype(dict.fromkeys(CELL, str))
        found.append(thinned[thinned["trial"] < CURVES].assign(curve="trial"))
        columns = [*CELL, "trial", "round", "status", value]
        regrets = thinned[columns].rename(columns={value: "regret"})
        found += _summaries(aggregate.curves(regrets, level, interval), value)
    joined = pd.concat(found[1:] or found, ignore_index=True).assign(lane=lane)
    order = ["lane", *CELL, "curve", "trial", "round"]
    return joined.sort_values(order, kind="stable", ignore_index=True)[[*order, value]]


def shown_rounds(recorded: np.ndarray) -> np.ndarray:
    """Return some sixty of the recorded rounds of a cell, the first and the last among them.

    Of eighty and fewer all are returned.
    """
    recorded = np.sort(recorded)
    if len(recorded) <= FEW:
        return recorded
    last = float(recorded[-1])
    wanted = np.concatenate(
        [np.linspace(last / EVEN, last, EVEN), np.geomspace(1.0, last, GEOMETRIC)]
    )
    # A whole share of the last round may come out a rounding error short.
    places = np.searchsorted(recorded, wanted * (1.0 + 1e-12), side="right") - 1
    return np.unique(recorded[places.clip(min=0)])


def _summaries(all_trials: pd.DataFrame, value: str) -> Iterator[pd.DataFrame]:
    for name in SUMMARIES:
        summary = all_trials[[*CELL, "round", name]].rename(columns={name: value})
        yield summary.assign(curve=name)


def write(
    tables: dict[str, str],
    level: float,
    interval: str,
    csv_path: str | Path,
    parquet_path: str | Path,
) -> None:
    """Write both tables of a group; the same tables give the same bytes.

    Parameters
    ----------
    tables : dict of str to path
        The aggregated tables ``finals``, ``regrets`` and ``times``.
    level, interval : float, str
        See `curves`.
    csv_path, parquet_path : str or Path
        Files to write: ``trials`` and ``curves``.
    """
    times = sealed.read_frame(tables["times"])
    write_frame(trials(sealed.read_frame(tables["finals"]), times), csv_path)
    runs = {"regret": _read_runs(tables["regrets"]), "timing": times}
    found = [curves(lane, runs[lane], level, interval) for lane in MEASURE]
    packed = _packed(pd.concat([one for one in found if len(one)] or found, ignore_index=True))
    _write_compactly(packed, list(MEASURE.values()), parquet_path)


def studies(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the tables of studies that claims are decided on as one, with a column ``study``.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        As `optimist.claims.evaluate` takes them; aggregated ones are left out.

    Returns
    -------
    DataFrame
        ``study``, then the columns of all, missing where a study has none. Of watched trials the
        rounds are those of `curves`.
    """
    found = []
    for name, table in tables.items():
        if name in AGGREGATED or table.empty:
            continue
        if {"trial", "round", *CELL} <= {*table}:
            cells = table.groupby(CELL, sort=False)["round"]
            table = table[
                cells.transform(lambda rounds: rounds.isin(shown_rounds(rounds.unique())))
            ]
        found.append(table.assign(study=name))
    joined = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=["study"])
    # What is a number in one study may be a truth in another.
    return joined[["study", *(name for name in joined if name != "study")]].apply(_compact)


def write_studies(tables: Mapping[str, pd.DataFrame], path: str | Path) -> None:
    """Write the table of `studies`; numbers have the precision of 32 bits."""
    import pyarrow as pa

    found = studies(tables)
    real = [name for name in found if found[name].dtype == float]
    packed = pa.Table.from_pandas(
        found.astype(dict.fromkeys(real, np.float32)), preserve_index=False
    )
    _write_compactly(packed.replace_schema_metadata(), real, path)


def _write_compactly(packed: "pa.Table", values: Collection[str], path: str | Path) -> None:
    """Write a table whose columns ``values`` are real numbers; the others repeat themselves."""
    sealed.write_table(
        packed,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in packed.column_names if name not in values],
        # Bytes of one place side by side: signs and exponents are nearly the same everywhere.
        use_byte_stream_split=list(values),
        store_schema=False,
    )


def _read_runs(path: str) -> pd.DataFrame:
    """Return a table of millions of rows; its texts are categories, which take a tenth."""
    table = sealed.read_table(path)
    for place, name in enumerate(table.column_names):
        if name in (*CELL, "status") and table.num_rows:
            table = table.set_column(place, name, table[name].dictionary_encode())
    return table.to_pandas()


def _packed(found: pd.DataFrame) -> "pa.Table":
    """Return curves as an Arrow table that takes little space, without pandas' own metadata."""
    import pyarrow as pa

    types = {name: pa.string() for name in ("lane", *CELL, "curve")}
    types |= {"trial": pa.int32(), "round": pa.int32()}
    columns = {name: pa.array(found[name], kind, from_pandas=True) for name, kind in types.items()}
    for name in MEASURE.values():
        numbers = found[name] if name in found else pd.Series(np.nan, found.index)
        columns[name] = pa.array(_rounded(numbers.to_numpy(float)), from_pandas=True)
    return pa.table(columns)


def _rounded(values: np.ndarray) -> np.ndarray:
    """Return numbers of 32 bits with their last bits zero, the nearest to ``values``."""
    lost = np.finfo(np.float32).nmant + 1 - BITS
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + (1 << lost - 1)) >> lost << lost).view(np.float32)
