"""Tables of the kinds ``final_regret`` and ``run_time``, with a row for each cell of a group."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.experiments.paper import Paper
from optimist.figures.base import OF_LANE, Labels
from optimist.figures.rows import TABLE_LEVEL, Tables, complete, estimate, mean
from optimist.figures.tables.base import Table, cell_columns, statuses

if TYPE_CHECKING:
    import pandas as pd


class CellTable(Table):
    """Base class of tables with a row for each of a group's cells in one lane.

    Attributes
    ----------
    order : str
        Column by which to sort the rows within each setting, in increasing order.
    """

    order: ClassVar[str]

    @property
    def cells(self) -> None:
        """None, which means all cells of the group."""

    @abstractmethod
    def statistics(self, trials: "pd.DataFrame", paper: Paper) -> dict[str, Any]:
        """Return the statistics of a cell, given the last row of each of its complete trials."""

    def tabulate(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield a row of statistics for each of the group's cells in the table's lane."""
        (lane,) = self.lanes
        for cell_lane, setting, algorithm in tables.keys:
            if cell_lane == lane:
                trials = tables.trials(OF_LANE[lane], setting, algorithm)
                yield {
                    **cell_columns(setting, algorithm, trials, tables.paper),
                    **self.statistics(complete(trials), tables.paper),
                    "trials": len(complete(trials)),
                    "statuses": statuses(trials),
                    **({"note": estimate(trials)} if lane == "timing" else {}),
                }

    def frame(self, tables: Tables) -> "pd.DataFrame":
        """Return the rows as a DataFrame, sorted by `order` within each setting."""
        frame = super().frame(tables)
        if frame.empty:
            return frame
        settings = frame["setting"].unique().tolist()
        order = np.lexsort([frame[self.order], frame["setting"].map(settings.index)])
        return frame.iloc[order].reset_index(drop=True)


class FinalRegret(CellTable):
    """Mean final regret with its 95 % interval, and counts of trials by status."""

    extremes: bool = False  #: Whether to show the median and largest regret as well.

    lanes = ("regret",)
    order = "mean_regret"
    meanings: ClassVar = {
        "mean_regret": "mean of the regret at the end",
        "median_regret": "its median",
        "largest_regret": "that of the worst trial",
    }

    def statistics(self, trials: "pd.DataFrame", paper: Paper) -> dict[str, Any]:
        """Return the mean of the final regrets with its interval and, on request, extremes."""
        regrets, at_level = trials["regret"], replace(paper, band=TABLE_LEVEL)
        middle, low, high = mean(regrets, at_level) if len(regrets) else (np.nan,) * 3
        columns = {"mean_regret": middle, "mean_regret_low95": low, "mean_regret_high95": high}
        if self.extremes:
            columns |= {"median_regret": regrets.median(), "largest_regret": regrets.max()}
        return columns


class RunTime(CellTable):
    """Median, fastest and slowest time per trial, and final medians of other columns."""

    also: Labels | None = None  #: Columns of results whose final medians are shown.

    lanes = ("timing",)
    order = "median_seconds"
    meanings: ClassVar = {
        "median_seconds": "seconds of select and update in a trial, median over trials",
        "fastest_seconds": "those of the fastest trial",
        "slowest_seconds": "those of the slowest trial",
        "inducing": "inducing points at the end",
        "distinct": "distinct arms played",
        "state_bytes": "bytes that the algorithm keeps at the end",
    }

    def statistics(self, trials: "pd.DataFrame", paper: Paper) -> dict[str, Any]:
        """Return the median, fastest and slowest times, and medians of further columns."""
        seconds = trials["seconds"]
        return {
            "median_seconds": seconds.median(),
            "fastest_seconds": seconds.min(),
            "slowest_seconds": seconds.max(),
            # Some algorithms do not record all of these columns.
            **trials.reindex(columns=self.also or []).median().to_dict(),
        }
