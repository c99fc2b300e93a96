"""Tables by trial, and common trials.

Trials with the same number form a unit. They share random numbers within a setting, and in settings
of one name. They are independent in settings of two names, and still form a unit: such pairs are
exact, while a test for two samples of unequal size errs under heavy tails (in simulations with
log-normal noise of sigma 1.5 and 30 and 100 trials 6.1 % on a side instead of 2.5 %, but 1.5 % by
pairs).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from optimist.claims.cells import Missing

if TYPE_CHECKING:
    import pandas as pd


def by_split(values: "pd.Series", splits: int) -> "pd.Series":
    """Return the mean over the trials of each split; trial i plays split i modulo ``splits``."""
    values = values.dropna()
    return values.groupby(values.index % splits).mean()


def last(rows: "pd.DataFrame", column: str) -> "pd.Series":
    """Return a column at the last recorded round of each trial."""
    return rows.sort_values("round").groupby("trial")[column].last()


def recorded(rows: "pd.DataFrame", rounds: float) -> int:
    """Return the last recorded round that is at most ``rounds``, 0 if none is."""
    early = rows["round"][rows["round"] <= rounds]
    return int(early.max()) if len(early) else 0


def common(series: "Sequence[pd.Series]") -> np.ndarray:
    """Return the values of the trials common to several series, (series, trials).

    Raises
    ------
    Missing
        If no trial is common to all.
    """
    import pandas as pd

    if all(one.index.equals(series[0].index) for one in series[1:]):
        values = np.array([one.to_numpy(float) for one in series])
        values = values[:, ~np.isnan(values).any(axis=0)]
    else:
        joined = pd.concat(series, axis=1, join="inner").sort_index().dropna()
        values = joined.to_numpy(float).T
    if not values.size:
        raise Missing(["trial that all cells completed"])
    return values
