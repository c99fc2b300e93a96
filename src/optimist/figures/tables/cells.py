"""Kinds ``final_regret`` and ``run_time``: tables with a row for every cell in a group."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NotRequired

import numpy as np

from optimist.figures.base import Labels
from optimist.figures.rows import TABLE_LEVEL, Tables, complete, estimate, mean
from optimist.figures.tables.base import Table, TableKeys, cell_columns, statuses

if TYPE_CHECKING:
    import pandas as pd


class FinalRegret(Table):
    """Mean final regret with its 95 % interval, and counts of trials by status."""

    class Entry(TableKeys):
        extremes: NotRequired[bool]  #: Whether to also show the median and the largest regret.

    lanes = ("regret",)
    of_group = True
    order = "mean_regret"
    meanings: ClassVar = {
        "mean_regret": "mean of the regret at the end",
        "median_regret": "its median",
        "largest_regret": "that of the worst trial",
    }

    def rows(self, tables: Tables) -> Iterator[dict[str, Any]]:
        extremes = self.spec.get("extremes", False)
        at_level = {**tables.paper, "band": TABLE_LEVEL}
        for setting, algorithm in self.group_cells(tables.paper, "regret"):
            trials = tables.trials("finals", setting, algorithm)
            values = complete(trials)["regret"]
            middle, low, high = mean(values, at_level) if len(values) else (np.nan,) * 3
            yield {
                **cell_columns(setting, algorithm, trials, tables.paper),
                "mean_regret": middle,
                "mean_regret_low95": low,
                "mean_regret_high95": high,
                **(_extremes(values) if extremes else {}),
                "trials": len(values),
                "statuses": statuses(trials),
            }


class RunTime(Table):
    """Median, fastest and slowest time per trial, and final medians of other columns."""

    class Entry(TableKeys):
        also: NotRequired[Labels]  #: Further columns of results whose final medians are shown.

    lanes = ("timing",)
    of_group = True
    order = "median_seconds"
    meanings: ClassVar = {
        "median_seconds": "seconds of select and update in a trial, median over trials",
        "fastest_seconds": "those of the fastest trial",
        "slowest_seconds": "those of the slowest trial",
        "inducing": "inducing points at the end",
        "distinct": "distinct arms played",
        "state_bytes": "bytes that the algorithm keeps at the end",
    }

    def rows(self, tables: Tables) -> Iterator[dict[str, Any]]:
        for setting, algorithm in self.group_cells(tables.paper, "timing"):
            trials = tables.trials("times", setting, algorithm)
            seconds = complete(trials)["seconds"]
            yield {
                **cell_columns(setting, algorithm, trials, tables.paper),
                "median_seconds": seconds.median(),
                "fastest_seconds": seconds.min(),
                "slowest_seconds": seconds.max(),
                **{name: _final_median(trials, name) for name in self.spec.get("also", [])},
                "trials": len(seconds),
                "statuses": statuses(trials),
                "note": estimate(trials),
            }


def _extremes(regrets: "pd.Series") -> dict[str, float]:
    return {"median_regret": regrets.median(), "largest_regret": regrets.max()}


def _final_median(trials: "pd.DataFrame", column: str) -> float:
    """Return the median of a diagnostic over complete trials; NaN if it has no values."""
    return complete(trials)[column].median() if column in trials else np.nan
