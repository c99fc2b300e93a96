"""Drawing of rows as marks: lines with bands, lines with whiskers, and references."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Looks

WARNING = "#A00000"
MARKERS = 6  # per curve
SMALL = {"fontsize": 7, "va": "center"}
# Roles of reference lines, which the legend names.
REFERENCES = ("line", "slope", "phase", "ball")


def by_series(marks: "pd.DataFrame") -> "Iterator[tuple[str, pd.DataFrame]]":
    """Yield each series of data in order, with its marks."""
    data = marks[marks["role"] == "data"]
    yield from data.groupby("series", sort=False)


def of_role(marks: "pd.DataFrame", role: str) -> "pd.DataFrame":
    return marks[marks["role"] == role]


def curves(canvas: "Canvas", marks: "pd.DataFrame", looks: "Looks") -> None:
    """Draw lines with bands, and a few markers at different places on each.

    If ``looks`` has no bands, draw the last interval of each curve next to it.
    """
    is_log = canvas.get_xscale() == "log"
    for i, (series, found) in enumerate(by_series(marks)):
        x = found["x"].to_numpy()
        shade = {"color": looks.colour(series), "alpha": 0.18, "lw": 0}
        marked = _marked(np.log(x) if is_log else x, i % 7 / 7)
        canvas.plot(x, found["y"], markevery=marked, **looks.line(series))
        if found["low"].notna().any() and looks.has_bands:
            canvas.fill_between(found["x"], found["low"], found["high"], **shade)
    if not looks.has_bands:
        _end_whiskers(canvas, marks, looks)


def _end_whiskers(canvas: "Canvas", marks: "pd.DataFrame", looks: "Looks") -> None:
    """Draw the last interval of each curve side by side, right of the curves."""
    ends = [(series, found.iloc[-1]) for series, found in by_series(marks) if len(found)]
    ends = [(series, end) for series, end in ends if np.isfinite(end["low"])]
    is_log = canvas.get_xscale() == "log"
    for i, (series, end) in enumerate(ends):
        share = 0.015 * (i + 1)
        x = end["x"] * 10.0**share if is_log else end["x"] * (1.0 + share)
        canvas.plot([x, x], [end["low"], end["high"]], color=looks.colour(series), lw=1.4)


def _marked(x: np.ndarray, shift: float) -> list[int]:
    """Return the points of a curve with a marker: six evenly spaced ones, or all of a few.

    Parameters
    ----------
    x : (n,) array
        Places along the axis, increasing.
    shift : float
        Place of the first marker, as a share of the distance between two.
    """
    if len(x) < 2 * MARKERS:
        return list(range(len(x)))
    places = x[0] + (np.arange(MARKERS) + shift) / MARKERS * (x[-1] - x[0])
    return sorted({*np.searchsorted(x, places).tolist()})


def lines(canvas: "Canvas", marks: "pd.DataFrame", looks: "Looks", joined: bool = True) -> None:
    """Draw a marker for every mark, and a line between them if ``joined``."""
    for series, found in by_series(marks):
        canvas.plot(found["x"], found["y"], **looks.line(series, joined))


def with_whiskers(canvas: "Canvas", x: Any, marks: "pd.DataFrame", look: dict[str, Any]) -> None:
    """Draw marks at ``x`` with whiskers from ``low`` to ``high``."""
    canvas.errorbar(x, marks["y"], whiskers(marks), elinewidth=0.8, capsize=1.5, **look)


def whiskers(marks: "pd.DataFrame") -> np.ndarray:
    """Return lengths of whiskers below and above, (2, n), zero where an end is unknown."""
    return np.nan_to_num([marks["y"] - marks["low"], marks["high"] - marks["y"]]).clip(min=0)


def references(canvas: "Canvas", marks: "pd.DataFrame", looks: "Looks") -> None:
    """Draw references: grey lines, which the legend names, and points."""
    for mark in of_role(marks, "line").itertuples():
        canvas.axhline(mark.y, **looks.reference(mark.note))
    for mark in of_role(marks, "phase").itertuples():
        canvas.axvline(mark.x, **looks.reference(mark.note))
    for (_, note), slope in of_role(marks, "slope").groupby(["series", "note"], sort=False):
        canvas.plot(slope["x"], slope["y"], **looks.reference(note))
    for mark in of_role(marks, "point").itertuples():
        star(canvas, mark.x, mark.y, mark.note)


def star(canvas: "Canvas", x: float, y: float, text: str) -> None:
    """Draw a star, with its name on the side of the farther edge of the panel."""
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


def below_title(canvas: "Canvas", marks: "pd.DataFrame") -> None:
    """Write the words of role ``corner`` below the panel's title."""
    for mark in of_role(marks, "corner").itertuples():
        canvas.set_title(f"{canvas.get_title(loc='left')}\n{mark.note}")
