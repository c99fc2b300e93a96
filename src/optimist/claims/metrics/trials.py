"""Values of single trials, and the trials that several cells have in common.

Trials with the same number form a unit. They share random numbers if they play in the same setting
or in settings with the same name. In settings with different names they are independent, but they
are still paired, because a test for two samples of unequal size errs too often under heavy tails.
In simulations with log-normal noise of sigma 1.5 and samples of 30 and 100 trials, such a test errs
on a given side in 6.1 % of cases instead of 2.5 %, whereas the test on pairs errs in 1.5 %.
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
    """Return the values of a column at the last recorded round of each trial."""
    trial = rows["trial"].to_numpy()
    if (trial[1:] > trial[:-1]).all() or len(trial) == len(np.unique(trial)):
        import pandas as pd

        return pd.Series(rows[column].to_numpy(), trial)
    return rows.sort_values("round").groupby("trial")[column].last()


def recorded(rows: "pd.DataFrame", rounds: float) -> int:
    """Return the last recorded round up to ``rounds``, or 0 if there is none."""
    early = rows["round"][rows["round"] <= rounds]
    return int(early.max()) if len(early) else 0


def common(series: "Sequence[pd.Series]") -> np.ndarray:
    """Return the values of the trials common to all series.

    The result is an array of shape (series, trials).

    Raises
    ------
    Missing
        If no trial occurs in all series.
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
