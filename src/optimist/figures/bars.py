"""Horizontal bars, one per cell, grouped by setting."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from optimist.figures import artists as drawing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

WIDEST = 22  # largest number of letters in a line of a name


def draw_bars(
    canvas: "Canvas",
    algorithms: Sequence[str],
    settings: Sequence[str],
    artists: "pd.DataFrame",
    style: "Style",
) -> None:
    """Draw a bar for each cell; a missing cell leaves its place empty."""
    header, titles = len(settings) > 1, style.settings(settings)
    cells: list[str | tuple[str, str]] = []
    for setting in settings:
        cells += [*([setting] if header else []), *((setting, label) for label in algorithms)]
    for place, cell in enumerate(cells):
        if isinstance(cell, str):
            canvas.annotate(
                titles[cell], (0.02, place), xycoords=("axes fraction", "data"), va="center"
            )
    for artist in drawing.of_role(artists, "data").itertuples():
        place = cells.index((artist.setting, artist.series))
        keywords = {"color": style.colour(artist.series), "hatch": style.hatch(artist.series)}
        whisker = np.nan_to_num([[artist.y - artist.low], [artist.high - artist.y]]).clip(min=0)
        canvas.barh(
            place, artist.y, 0.8, xerr=whisker, edgecolor="white", lw=0, ecolor="0.4", **keywords
        )
        end = np.nanmax([artist.y, artist.high])
        canvas.annotate(f" {_two_digits(artist.y)}", (end, place), va="center", fontsize=7)
    names = {i: bar_name(cell[1], style) for i, cell in enumerate(cells) if isinstance(cell, tuple)}
    canvas.set_yticks(list(names), list(names.values()))
    canvas.set_ylim(len(cells) - 0.4, -0.6)
    canvas.margins(x=0.2)
    canvas.grid(visible=False, axis="y")


def bar_name(series: str, style: "Style") -> str:
    """Return the name of a bar, split into lines; a long name is first split at its bracket."""
    name = style.name(series)
    stem, opening, variant = name.partition(" (")
    pieces = [name] if len(name) <= WIDEST or not opening else [stem, f"({variant}"]
    # Keep the factors of a product on the same line as the multiplication sign.
    pieces = [fill(piece.replace(" × ", "\u00a0×\u00a0"), WIDEST) for piece in pieces]
    return "\n".join(pieces).replace("\u00a0", " ")


def _two_digits(value: float) -> str:
    """Format a value to two digits, with an exponent only below 0.001: 3.4e-07, 0.034, 110."""
    if 0.0 < abs(value) < 1e-3:
        return f"{value:.1e}"
    return np.format_float_positional(value, 2, unique=False, fractional=False, trim="-")
