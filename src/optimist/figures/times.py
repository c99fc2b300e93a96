"""Kinds ``elapsed`` and ``time_per_round``: time against the round.

x: round; y: seconds up to it, or seconds per round, median over trials.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from optimist.figures import artists as drawing
from optimist.figures.base import Axes, OneSetting, Panel
from optimist.figures.rows import Tables, estimates, notes, rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

BINS = 25


class Elapsed(Panel):
    """Seconds of select and update so far."""

    Entry = OneSetting
    lanes = ("timing",)
    axes = Axes("round", "seconds so far", scale="log")
    curves = ("data",)
    words = "time: median of n = {n}"

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a line for each algorithm, and footnotes on algorithms that did not play."""
        setting = self.spec["setting"]
        for algorithm in self.algorithms:
            yield from notes(setting, algorithm, tables.trials("times", setting, algorithm))
            runs = tables.timed(setting, algorithm)
            totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
            where = {"setting": setting, "series": algorithm, "n": totals.shape[1]}
            y = totals.median(axis=1).to_numpy()
            yield rows("data", x=totals.index.to_numpy(), y=y, **where)
        yield from estimates(self.algorithms, [setting], tables)

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        drawing.curves(canvas, artists, style)


class TimePerRound(Panel):
    """Seconds of select and update in a round."""

    Entry = OneSetting
    lanes = ("timing",)
    axes = Axes("round", "seconds per round", "log", "log")
    words = "time: median of n = {n}"

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a line for each algorithm."""
        setting = self.spec["setting"]
        for algorithm in self.algorithms:
            yield from notes(setting, algorithm, tables.trials("times", setting, algorithm))
            runs = tables.timed(setting, algorithm)
            t, seconds = per_round(runs)
            n = runs["trial"].nunique()
            yield rows("data", setting=setting, series=algorithm, x=t, y=seconds, n=n)

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        drawing.curves(canvas, artists, style)


def per_round(runs: "pd.DataFrame") -> tuple[np.ndarray, np.ndarray]:
    """Return rounds and seconds per round of a timed cell.

    The recorded rounds are thinned to about 25 geometric steps. Each step gives one value at the
    geometric mean of its ends: the median over trials of its time by the number of its rounds.
    Round 1 is left out, as it pays for cold caches.

    Parameters
    ----------
    runs : DataFrame
        Columns trial, round, seconds (cumulative); all trials of the same length.
    """
    totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
    rounds = totals.index.to_numpy(float)
    if len(rounds) < 2:
        return np.empty(0), np.empty(0)
    steps = np.searchsorted(rounds, np.geomspace(rounds[0], rounds[-1] * (1 - 1e-9), BINS + 1))
    steps = np.unique(steps)
    rounds, seconds = rounds[steps], totals.to_numpy()[steps]
    spent = np.diff(seconds, axis=0) / np.diff(rounds)[:, None]
    return np.sqrt(rounds[1:] * rounds[:-1]), np.median(spent, axis=1)
