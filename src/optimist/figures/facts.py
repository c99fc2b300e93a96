"""Panels of kind ``facts``, which plot facts whose names end in a number.

The x axis shows this number, and the y axis the fact's value.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from annotated_types import MinLen

from optimist.figures import artists as drawing
from optimist.figures.base import Axes, Named, Panel
from optimist.figures.rows import Tables, missing, rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style


class Fact(Named):
    fact: str  #: Name that the facts share, without the suffix _<number>.


class Facts(Panel):
    """Values of facts called ``name_<number>``, plotted against the number."""

    series: Annotated[list[Fact], MinLen(1)]  #: Facts to compare.

    tables = ("facts",)
    axes = Axes("", "")
    joined = False

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the artists of each series."""
        facts = tables.frame("facts")
        for series in self.series:
            number = facts["name"].astype(str).str.extract(rf"^{series['fact']}_(\d+)$")[0]
            values = facts[number.notna()].assign(x=number.astype(float)).sort_values("x")
            if values.empty:
                yield missing(series["label"])
            x, y = values["x"].to_numpy(), values["value"].to_numpy()
            yield rows("data", series=series["label"], x=x, y=y)

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        drawing.lines(canvas, artists, style, joined=False)
