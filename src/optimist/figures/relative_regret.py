"""Kind ``relative_regret``: ratio of mean regrets, of each algorithm to the ``base``.

x: round; y: mean regret over the base's (band: the paper's interval, scaled).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from optimist.figures import artists as drawing
from optimist.figures.base import Axes, OneSetting, Panel
from optimist.figures.regret import Regret
from optimist.figures.rows import Tables, display_name, notes, rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style


class RelativeRegret(Panel):
    """Mean regret of some algorithms in one setting, divided by the base's."""

    class Entry(OneSetting):
        base: str  #: Label of the algorithm in the denominator.

    lanes = ("regret",)
    axes = Axes("round", "")
    curves = ("data",)
    words = "{band}: {interval} of the mean, over that of the base, n = {n}"
    of_means = True
    not_negative = True

    @property
    def cells(self) -> list[tuple[str, str]]:
        """The cells of its algorithms and of the base."""
        return list(product(self.settings, [*self.algorithms, self.spec["base"]]))

    def labelled(self, names: Mapping[str, str]) -> Axes:
        """Return axes that name the base."""
        label = f"regret / regret of {display_name(self.spec['base'], names)}"
        return replace(super().labelled(names), ylabel=self.spec.get("ylabel", label))

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the curve of each algorithm, divided by the base's curve."""
        setting, base = self.spec["setting"], self.spec["base"]
        units = tables.cell("curves", setting, base).set_index("round")["mean"]
        yield from notes(setting, base, tables.trials("finals", setting, base))
        for algorithm in self.algorithms:
            yield from notes(setting, algorithm, tables.trials("finals", setting, algorithm))
            curve = Regret(self.spec).curve(tables, algorithm)
            unit = units.reindex(curve["x"]).to_numpy()
            curve |= {name: np.asarray(curve[name]) / unit for name in ("y", "low", "high")}
            yield rows("data", setting=setting, series=algorithm, **curve)

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Draw lines with bands."""
        drawing.curves(canvas, artists, style)
