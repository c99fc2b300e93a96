"""Kind ``tradeoff``: regret of an algorithm against its time.

x: median seconds per trial; y: mean final regret (low, high: the paper's interval). ``time_n`` is
the number of trials whose median time is x.
"""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from optimist.figures import artists as drawing
from optimist.figures.base import Axes, Panel, SomeSettings
from optimist.figures.rows import Tables, complete, mean, notes, rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style


class Tradeoff(Panel):
    """Regret against time, with a marker for each cell."""

    Entry = SomeSettings
    lanes = ("regret", "timing")
    axes = Axes("seconds per trial", "final regret", "log", "log")
    columns = ("time_n",)
    words = "whisker: {interval} of the mean regret, n = {n}; time: median of n = {time_n}"
    of_means = True
    joined = False
    not_negative = True

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield an artist for each cell with results in both lanes."""
        for algorithm, setting in product(self.algorithms, self.settings):
            finals = tables.trials("finals", setting, algorithm)
            times = tables.trials("times", setting, algorithm)
            yield from notes(setting, algorithm, finals, times)
            regrets, seconds = complete(finals)["regret"], complete(times)["seconds"]
            if len(regrets) and len(seconds):
                y, low, high = mean(regrets, tables.paper)
                artist = rows("data", setting=setting, series=algorithm, x=seconds.median(), y=y)
                yield artist.assign(low=low, high=high, n=len(regrets), time_n=len(seconds))

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        for series, points in drawing.by_series(artists):
            drawing.with_whiskers(canvas, points["x"], points, style.line(series, joined=False))
