"""Functions that draw artists: lines with bands or whiskers, horizontal bars, and references."""

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

WARNING = "#A00000"
MARKERS = 6  # per curve
WIDEST = 22  # maximum number of characters per line of a bar's name
SMALL = {"fontsize": 7, "va": "center"}
# Roles of reference lines; each line has an entry in the legend.
REFERENCES = ("line", "slope", "phase", "ball")


def by_series(artists: "pd.DataFrame") -> "Iterator[tuple[str, pd.DataFrame]]":
    """Yield the name and the artists of each data series, in order of appearance."""
    data = artists[artists["role"] == "data"]
    yield from data.groupby("series", sort=False)


def of_role(artists: "pd.DataFrame", role: str) -> "pd.DataFrame":
    return artists[artists["role"] == role]


def curves(canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
    """Draw each curve as a line with a band and a few markers.

    The markers of different curves are at different positions. If ``style`` has no bands, only the
    last interval of each curve is drawn, to the right of the curve.
    """
    is_log = canvas.get_xscale() == "log"
    for i, (series, points) in enumerate(by_series(artists)):
        x = points["x"].to_numpy()
        shade = {"color": style.colour(series), "alpha": 0.18, "lw": 0}
        marked = _marked(np.log(x) if is_log else x, i % 7 / 7)
        canvas.plot(x, points["y"], markevery=marked, **style.line(series))
        if points["low"].notna().any() and style.has_bands:
            canvas.fill_between(points["x"], points["low"], points["high"], **shade)
    if not style.has_bands:
        _end_whiskers(canvas, artists, style)


def _end_whiskers(canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
    """Draw the last interval of each curve, side by side to the right of all curves."""
    ends = [(series, points.iloc[-1]) for series, points in by_series(artists) if len(points)]
    ends = [(series, end) for series, end in ends if np.isfinite(end["low"])]
    is_log = canvas.get_xscale() == "log"
    for i, (series, end) in enumerate(ends):
        share = 0.015 * (i + 1)
        x = end["x"] * 10.0**share if is_log else end["x"] * (1.0 + share)
        canvas.plot([x, x], [end["low"], end["high"]], color=style.colour(series), lw=1.4)


def _marked(x: np.ndarray, shift: float) -> list[int]:
    """Return the indices of the points to mark.

    These are `MARKERS` evenly spaced points, or all points if there are fewer than
    twice as many.

    Parameters
    ----------
    x : (n,) array
        Positions of the points along the axis, in increasing order.
    shift : float
        Distance from the first point to the first marker, as a fraction of the distance between
        adjacent markers.
    """
    if len(x) < 2 * MARKERS:
        return list(range(len(x)))
    places = x[0] + (np.arange(MARKERS) + shift) / MARKERS * (x[-1] - x[0])
    return sorted({*np.searchsorted(x, places).tolist()})


def lines(canvas: "Canvas", artists: "pd.DataFrame", style: "Style", joined: bool = True) -> None:
    """Draw a marker for each artist; if ``joined``, join the markers of each series with a line."""
    for series, points in by_series(artists):
        canvas.plot(points["x"], points["y"], **style.line(series, joined))


def with_whiskers(
    canvas: "Canvas", x: Any, artists: "pd.DataFrame", keywords: dict[str, Any]
) -> None:
    """Draw a marker for each artist at ``x``, with a whisker from its low to its high end."""
    canvas.errorbar(x, artists["y"], whiskers(artists), elinewidth=0.8, capsize=1.5, **keywords)


def whiskers(artists: "pd.DataFrame") -> np.ndarray:
    """Return the lengths of whiskers below and above n artists, as an array of shape (2, n).

    A whisker with an unknown end has length zero.
    """
    below, above = artists["y"] - artists["low"], artists["high"] - artists["y"]
    lengths: np.ndarray = np.nan_to_num([below, above]).clip(min=0)
    return lengths


def references(canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
    """Draw grey reference lines, which the legend names, and labelled reference points."""
    for artist in of_role(artists, "line").itertuples():
        canvas.axhline(artist.y, **style.reference(artist.note))
    for artist in of_role(artists, "phase").itertuples():
        canvas.axvline(artist.x, **style.reference(artist.note))
    for (_, note), slope in of_role(artists, "slope").groupby(["series", "note"], sort=False):
        canvas.plot(slope["x"], slope["y"], **style.reference(note))
    for artist in of_role(artists, "point").itertuples():
        star(canvas, artist.x, artist.y, artist.note)


def star(canvas: "Canvas", x: float, y: float, text: str) -> None:
    """Draw a star with its name on the side that has more room."""
    from matplotlib.patheffects import withStroke

    canvas.plot(x, y, "*", color="0.1", ms=7, zorder=5)
    canvas.autoscale_view()
    right = canvas.transLimits.transform(canvas.transScale.transform((x, y)))[0] > 0.5
    side = {"ha": "right"} if right else {"ha": "left"}
    offset = (-6 if right else 6, 0)
    on_anything = [withStroke(linewidth=2, foreground="white")]
    canvas.annotate(
        text, (x, y), offset, textcoords="offset points", path_effects=on_anything, **side, **SMALL
    )


# Bars.


def bars(
    canvas: "Canvas",
    algorithms: Sequence[str],
    settings: Sequence[str],
    artists: "pd.DataFrame",
    style: "Style",
) -> None:
    """Draw a bar for each cell, and leave a gap for each missing cell."""
    header, titles = len(settings) > 1, style.settings(settings)
    cells: list[str | tuple[str, str]] = []
    for setting in settings:
        cells += [*([setting] if header else []), *((setting, label) for label in algorithms)]
    for place, cell in enumerate(cells):
        if isinstance(cell, str):
            canvas.annotate(
                titles[cell], (0.02, place), xycoords=("axes fraction", "data"), va="center"
            )
    for artist in of_role(artists, "data").itertuples():
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
    """Return the name of a bar, split into as few lines as its width allows.

    If this takes no more lines, the part in parentheses starts on a new line.
    """
    # Keep the factors of a product on the same line as the multiplication sign.
    name = style.name(series).replace(" × ", "\u00a0×\u00a0")
    stem, opening, variant = name.partition(" (")
    whole = fill(name, WIDEST)
    if opening and len(name) > WIDEST:
        split = f"{fill(stem, WIDEST)}\n{fill(f'({variant}', WIDEST)}"
        whole = min(split, whole, key=lambda text: text.count("\n"))
    return whole.replace("\u00a0", " ")


def _two_digits(value: float) -> str:
    """Format a value with two significant digits, such as 3.4e-07, 0.034 or 110.

    Only values below 0.001 have an exponent.
    """
    if 0.0 < abs(value) < 1e-3:
        return f"{value:.1e}"
    return np.format_float_positional(value, 2, unique=False, fractional=False, trim="-")
