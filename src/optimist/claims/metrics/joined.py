"""What several metrics share: trials that cells have in common, and settings along an axis.

Trials of a number are one unit. Within a setting, and in settings of one name, they share random
numbers. In settings of two names they are independent, and a unit is a pair of them all the same:
that is exact, while a test for two samples of unequal size errs in heavy tails (simulated with
log-normal noise of sigma 1.5 and 30 and 100 trials: 6.1 % on a side instead of 2.5 %; by number
1.5 %).
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from optimist.claims.cells import Cells, Missing
from optimist.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd

# Where a slope's points are: numbers, the name of a fact of the settings, or "rounds".
Points = Sequence[float] | str


def by_trial(rows: "pd.DataFrame", column: str) -> "pd.Series":
    """Return a column of a table with one row per trial, by trial."""
    import pandas as pd

    return pd.Series(rows[column].astype(float).to_numpy(), rows["trial"].to_numpy())


def by_split(values: "pd.Series", splits: int) -> "pd.Series":
    """Return the mean over the trials of each split; trial i plays split i modulo ``splits``."""
    values = values.dropna()
    return values.groupby(values.index % splits).mean()


def common(series: "Sequence[pd.Series]") -> np.ndarray:
    """Return what the trials have that are in all of several series, (series, trials).

    Raises
    ------
    Missing
        If there is no such trial.
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


def two(settings: Sequence[str]) -> tuple[str, str]:
    """Return the two names of a list; raise ConfigError if it has another number."""
    if len(settings) != 2:
        raise ConfigError(f"settings has {len(settings)} names; allowed: two")
    return settings[0], settings[1]


def positions(
    cells: Cells, points: Points, settings: Sequence[str], frames: "Sequence[pd.DataFrame]"
) -> np.ndarray:
    """Return where settings are on their axis, (settings,).

    ``points`` is a list of numbers, one for each setting, or the name of a fact of the settings, or
    "rounds": the number of rounds of each one's frame.
    """
    if isinstance(points, str):
        if points == "rounds":
            return np.array([float(frame["round"].max()) for frame in frames])
        facts = cells.pick("facts", *((points, setting) for setting in settings))
        return np.array([fact.value for fact in facts])
    if len(points) != len(settings):
        raise ConfigError(
            f"points has {len(points)} numbers; allowed: {len(settings)}, as settings"
        )
    return np.asarray(points, dtype=float)


def factor_between(x: np.ndarray) -> float:
    """Return the ratio of the second of two positions to the first, nan if there is none."""
    return float(x[1] / x[0]) if x[0] > 0.0 and x[1] > 0.0 else math.nan
