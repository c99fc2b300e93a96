"""Horizontal bars, one a cell, grouped by setting."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from optimist.panels import marks as drawing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.panels.looks import Looks


def draw_bars(
    canvas: "Canvas",
    algorithms: Sequence[str],
    settings: Sequence[str],
    marks: "pd.DataFrame",
    looks: "Looks",
) -> None:
    """Draw a bar for each cell; a missing cell leaves its place empty."""
    header = len(settings) > 1
    cells: list[str | tuple[str, str]] = []
    for setting in settings:
        cells += [*([setting] if header else []), *((setting, label) for label in algorithms)]
    for place, cell in enumerate(cells):
        if isinstance(cell, str):
            canvas.annotate(cell, (0.02, place), xycoords=("axes fraction", "data"), va="center")
    for mark in drawing.of_role(marks, "data").itertuples():
        place = cells.index((mark.setting, mark.series))
        look = {"color": looks.colour(mark.series), "hatch": looks.hatch(mark.series)}
        whisker = np.nan_to_num([[mark.y - mark.low], [mark.high - mark.y]]).clip(min=0)
        canvas.barh(place, mark.y, 0.8, xerr=whisker, edgecolor="white", lw=0, ecolor="0.4", **look)
        end = np.nanmax([mark.y, mark.high])
        canvas.annotate(f" {_two_digits(mark.y)}", (end, place), va="center", fontsize=6)
    names = {i: looks.name(cell[1]) for i, cell in enumerate(cells) if not isinstance(cell, str)}
    canvas.set_yticks(list(names), list(names.values()))
    canvas.set_ylim(len(cells) - 0.4, -0.6)
    canvas.margins(x=0.2)
    canvas.grid(visible=False, axis="y")


def _two_digits(value: float) -> str:
    """Return ``value`` with two digits and no exponent: 0.034, 5.7, 110."""
    return np.format_float_positional(value, 2, unique=False, fractional=False, trim="-")
