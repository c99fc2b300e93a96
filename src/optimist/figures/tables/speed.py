"""Tables of kind ``speed``: time per round near given rounds, compared with the paper's method."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, MinLen

from optimist.core.errors import ConfigError
from optimist.experiments.paper import Paper
from optimist.figures.base import Labels
from optimist.figures.rows import Tables, complete, estimate
from optimist.figures.tables.base import Table, cell_columns


class Speed(Table):
    """Median times of each cell, and their ratios to those of the paper's method."""

    settings: Labels  #: Labels of the settings to show.
    algorithms: Labels  #: Labels of algorithms, in the order of the table.
    #: Rounds near which to give the time per round.
    rounds: Annotated[list[Annotated[int, Ge(2)]], MinLen(1)]

    lanes = ("timing",)
    meanings: ClassVar = {
        "ms_at_500": "milliseconds a round around round 500; the next columns likewise",
        "seconds": "seconds of select and update in a trial",
        "ratio_at_500": "ms_at_500 over that of the paper's method; the next columns likewise",
        "ratio_in_total": "seconds over those of the paper's method",
        "update_seconds": "seconds of update and prepare alone in a trial",
        "ratio_of_updates": "update_seconds over those of the paper's method",
    }

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Cells of the algorithms in the settings."""
        return list(product(self.settings, self.algorithms))

    @property
    def rounds_read(self) -> list[int]:
        """Rounds near which times are given."""
        return self.rounds

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the paper's method, the denominator of all ratios, is missing."""
        method = paper.method
        if method not in self.algorithms:
            raise ConfigError(
                f"algorithms of a table of kind 'speed' are {self.algorithms}; allowed: lists that "
                f"include the paper's method, {method!r}"
            )

    def tabulate(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield the times of each cell, and their ratios to those of the paper's method."""
        for setting in self.settings:
            method = self._milliseconds(tables, setting, tables.paper.method)
            for algorithm in self.algorithms:
                trials = tables.trials("times", setting, algorithm)
                times = self._milliseconds(tables, setting, algorithm)
                yield {
                    **cell_columns(setting, algorithm, trials, tables.paper),
                    **{f"ms_at_{t}": times[t] for t in self.rounds},
                    "seconds": times["total"] / 1e3,
                    **{f"ratio_at_{t}": times[t] / method[t] for t in self.rounds},
                    "ratio_in_total": times["total"] / method["total"],
                    "update_seconds": times["updates"] / 1e3,
                    "ratio_of_updates": times["updates"] / method["updates"],
                    "trials": len(complete(trials)),
                    "note": estimate(trials),
                }

    def _milliseconds(self, tables: Tables, setting: str, algorithm: str) -> dict[Any, float]:
        """Return median times over trials, in milliseconds.

        A round is mapped to the time per round near it, ``total`` to the time of a trial, and
        ``updates`` to the part of that time spent on updates.
        """
        runs = tables.timed(setting, algorithm)
        totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
        if totals.empty:
            return dict.fromkeys([*self.rounds, "total", "updates"], np.nan)
        recorded = totals.index.to_numpy(float)
        times = {}
        for t in self.rounds:
            # The window is t / 10 rounds wide, or half that if t is the last round.
            ends = np.clip([0.95 * t, 1.05 * t], recorded[0], recorded[-1])
            spent = [np.diff(np.interp(ends, recorded, totals[k]))[0] for k in totals]
            # If all recorded rounds lie outside the window, there is no value.
            times[t] = 1e3 * np.median(spent) / width if (width := ends[1] - ends[0]) else np.nan
        last = runs.sort_values("round").groupby("trial").last()
        updates = (last["seconds"] - last["select_seconds"]).median()
        return {**times, "total": 1e3 * totals.iloc[-1].median(), "updates": 1e3 * updates}
