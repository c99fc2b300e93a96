"""Kinds ``regret`` and ``median_regret``: regret against the round.

x: round; y: mean regret (band: the paper's interval), or median regret (band: quartiles).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from optimist.figures import artists as drawing
from optimist.figures.base import Axes, OneSetting, Panel
from optimist.figures.rows import Tables, notes, rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style


class Regret(Panel):
    """Mean regret of some algorithms in one setting."""

    Entry = OneSetting
    lanes = ("regret",)
    axes = Axes("round", "regret")
    curves = ("data",)
    words = "{band}: {interval} of the mean, n = {n}"
    of_means = True
    not_negative = True
    # Columns of the aggregated curves: the line, and the ends of its band.
    shown: ClassVar[tuple[str, str, str]] = ("mean", "low", "high")

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the curve of each algorithm, and the end of the initial points if there are any."""
        setting = self.spec["setting"]
        for algorithm in self.algorithms:
            yield from notes(setting, algorithm, tables.trials("finals", setting, algorithm))
            yield rows("data", setting=setting, series=algorithm, **self.curve(tables, algorithm))
        initial = tables.paper["settings"][setting].get("parameters", {}).get("initial")
        if initial is not None:
            yield rows("phase", x=initial, note="end of Phase I")

    def curve(self, tables: Tables, algorithm: str) -> "dict[str, pd.Series]":
        """Return x, y, low, high and n of an algorithm's curve."""
        found = tables.cell("curves", self.spec["setting"], algorithm).sort_values("round")
        columns = ("round", *self.shown, "trials")
        names = ("x", "y", "low", "high", "n")
        return {name: found[c].to_numpy() for name, c in zip(names, columns, strict=True)}

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Draw lines with bands."""
        drawing.curves(canvas, artists, style)


class MedianRegret(Regret):
    """Median regret of some algorithms in one setting."""

    words = "line: median, {band}: quartiles, n = {n}"
    of_means = False
    shown = ("median", "lower", "upper")
