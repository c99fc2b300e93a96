"""Metrics of tables of watched trials, which studies make beside the runs.

Such a table has the columns setting, algorithm, trial, round and status, and those of its observer;
only complete trials count. ``study`` is the name of the table.
"""

from collections.abc import Sequence

import numpy as np

from optimist.claims.cells import Cells, Measurement, Missing, worded
from optimist.claims.inference import (
    RATIO_UNITS,
    Exact,
    Mean,
    mean_difference,
    median_of,
    slope_of_means,
)
from optimist.claims.metrics.joined import common
from optimist.claims.tails import log
from optimist.claims.units import fewest_pairs
from optimist.runs.loop import COMPLETE


@worded("median {column} of {algorithm}, {setting}", fewest_pairs)
def watched_median(
    cells: Cells, *, study: str, algorithm: str, setting: str, column: str
) -> Measurement:
    """Median over trials of a column at the end."""
    return cells.measured(median_of(_last(cells, study, setting, algorithm, column).to_numpy()))


@worded("mean {column} of {algorithm}, {setting}", RATIO_UNITS)
def watched_mean(
    cells: Cells, *, study: str, algorithm: str, setting: str, column: str
) -> Measurement:
    """Mean over trials of a column at the end."""
    return cells.measured(Mean(_last(cells, study, setting, algorithm, column).to_numpy()))


@worded("largest {column} of {algorithm}, {setting}")
def watched_largest(
    cells: Cells, *, study: str, algorithm: str, setting: str, column: str
) -> Measurement:
    """Largest value over trials and recorded rounds of a column."""
    rows = _rows(cells, study, setting, algorithm, column)
    found = Exact(float(rows[column].max()), rows["trial"].nunique(), "largest of all trials")
    return cells.measured(found)


@worded("log-log slope of {column} on {against} of {algorithm} over {settings}", RATIO_UNITS)
def watched_slope(
    cells: Cells, *, study: str, algorithm: str, settings: Sequence[str], column: str, against: str
) -> Measurement:
    """Log-log slope over settings of the mean of a column on that of another, at the end."""
    columns = [
        _last(cells, study, setting, algorithm, name)
        for name in (against, column)
        for setting in settings
    ]
    points, values = np.split(common(columns), 2)
    return cells.measured(slope_of_means(points, values))


@worded(
    "exponent in t of {column} minus that of {against}, from {since}, {algorithm}, {setting}",
    RATIO_UNITS,
)
def watched_exponent_difference(
    cells: Cells,
    *,
    study: str,
    algorithm: str,
    setting: str,
    column: str,
    against: str,
    since: int,
) -> Measurement:
    """Mean over trials of the difference of two columns' exponents from a round to the end."""
    found = []
    for name in (column, against):
        rows = _rows(cells, study, setting, algorithm, name)
        first, last = _recorded(rows, since), int(rows["round"].max())
        found += [_at(rows, name, last), _at(rows, name, first)]
    top, top_since, bottom, bottom_since = log(common(found)) / np.log(last / first)
    return cells.measured(mean_difference(top - top_since, bottom - bottom_since))


def _rows(cells, study, setting, algorithm, column):
    """Return the complete trials of a cell of a study, with values in ``column``."""
    rows = cells.rows(study, setting=setting, algorithm=algorithm)
    rows = rows[rows["status"].isin(COMPLETE) & (rows["round"] > 0)]
    if column not in rows or rows[column].isna().all():
        raise Missing([f"{column} of {setting}, {algorithm} in {study}"])
    return rows


def _last(cells, study, setting, algorithm, column):
    rows = _rows(cells, study, setting, algorithm, column)
    return rows.sort_values("round").groupby("trial")[column].last()


def _recorded(rows, rounds):
    """Return the last recorded round that is at most ``rounds``."""
    early = rows["round"][rows["round"] <= rounds]
    if early.empty or rows["round"].max() < rounds:
        raise Missing([f"round {rounds} in trials of {rows['round'].max()} rounds"])
    return int(early.max())


def _at(rows, column, recorded):
    """Return a column at a recorded round, by trial."""
    return rows[rows["round"] == recorded].set_index("trial")[column]
