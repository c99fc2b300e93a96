"""The legend of a figure, which explains series, references, bands, trial counts and footnotes."""

from collections.abc import Mapping
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any

from optimist.experiments.paper import Paper
from optimist.figures.artists import REFERENCES, WARNING
from optimist.figures.base import Panel
from optimist.figures.style import Style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas
    from matplotlib.figure import Figure as Page

WIDTH = 6.5  # inches; if a journal scales this to 5.5, the smallest text is still 5.9 points
LETTERS_PER_INCH = 15  # characters per inch in the legend's font
LINE_HEIGHT = 0.17  # inches
BELOW = -28  # points from a panel's axis to the text below its labels
LONGEST_LABEL = 40  # maximum number of characters per line of a label
HANDLE = 7  # width of a legend's handle, in characters
CELL_LETTERS = 33  # characters per line of a legend in a cell of the grid
LONGEST_COUNTS = 100  # maximum number of characters in a list of trial counts
SMALLEST = 7  # smallest font size, in points
INTERVALS = {
    "t": "{level} t interval",
    "bootstrap": "{level} bootstrap interval",
    "normal": "{level} normal interval",
}

Panels = dict[str, Panel]


def height_of(text: str) -> float:
    """Return the height, in inches, of one or more lines of text."""
    return LINE_HEIGHT * len(text.splitlines())


def lay_out(legend: dict[str, Any]) -> float:
    """Set the number of columns of a legend below the panels; return its height in inches."""
    lengths = [
        len(line) for handle in legend["handles"] for line in handle.get_label().splitlines()
    ]
    longest = max(lengths, default=0) + HANDLE
    count = len(legend["handles"])
    columns = legend["ncols"] = max(1, min(count, int(WIDTH * LETTERS_PER_INCH / longest)))
    return height_of(legend["title"]) + LINE_HEIGHT * -(-count // columns)


def footnote_marks(table: "pd.DataFrame") -> dict[str, str]:
    """Return the footnote marks of each series that has footnotes."""
    marks: dict[str, str] = {}
    for mark, text in _footnotes(table):
        for series in table.loc[table["note"] == text, "series"].unique():
            marks[series] = f"{marks.get(series, '')} {mark}"
    return marks


def _footnotes(table: "pd.DataFrame") -> list[tuple[str, str]]:
    """Return the mark and text of each footnote; each mark has one star more than the last."""
    texts = table.loc[table["role"] == "footnote", "note"].unique()
    return [("*" * (i + 1), text) for i, text in enumerate(texts)]


def height_in_cell(legend: Mapping[str, Any]) -> float:
    """Return the height, in inches, of a one-column legend in a cell of the grid."""
    labels = (handle.get_label() for handle in legend["handles"])
    return height_of(_in_cell(legend["title"])) + sum(map(height_of, labels))


def _in_cell(title: str) -> str:
    return "\n".join(fill(line, CELL_LETTERS) for line in title.splitlines())


def place(page: "Page", spare: "Canvas | None", legend: dict[str, Any]) -> None:
    """Put the shared legend into a spare cell of the grid, or below the panels if there is none."""
    if spare is None:
        drawn = page.legend(**legend, loc="outside lower center")
    else:
        in_cell = {**legend, "title": _in_cell(legend["title"])}
        drawn = spare.legend(**in_cell, loc="center left")
    drawn.set_alignment("left")


def place_below(canvas: "Canvas", handles: list[Any], notes: str) -> None:
    """Put a legend below a panel, with the notes as its title."""
    from matplotlib.transforms import ScaledTranslation

    shift = ScaledTranslation(0.0, BELOW / 72.0, canvas.figure.dpi_scale_trans)
    place = {"bbox_to_anchor": (0, 0), "bbox_transform": canvas.transAxes + shift}
    legend = canvas.legend(handles=handles, title=notes, loc="upper left", **place)
    legend.get_title().set(color=WARNING, fontsize=SMALLEST)
    legend.set_alignment("left")


def entries(panels: Panels, table: "pd.DataFrame", style: Style, width: int) -> list[Any]:
    """Return the legend's entries, wrapped to ``width`` characters.

    Each series has one entry, which includes the remarks about it. Bars have none because their
    names are on the axis. Entries for other roles and for reference lines come last.
    """
    letters = [letter for letter, panel in panels.items() if not panel.is_bars]
    named = table[table["panel"].isin(letters)]
    remarks = named[named["role"] == "remark"]
    first = next(iter(panels.values()))
    of_one_kind = len({type(panel) for panel in panels.values()}) == 1
    make = first.handle if of_one_kind else partial(Panel.handle, first)
    joined = any(panel.joined for panel in panels.values())
    handles = []
    for series in named.loc[named["role"].isin(["data", "note"]), "series"].unique():
        texts = remarks.loc[remarks["series"] == series, "note"].unique()
        label = fill(", ".join([style.name(series), *texts]), width)
        handles.append(make(label, series, style, joined))
    artists = table[table["panel"].isin([*panels])]
    return [*handles, *first.further_handles(artists), *_references(artists, style)]


def _references(artists: "pd.DataFrame", style: Style) -> list[Any]:
    from matplotlib.lines import Line2D

    texts = artists.loc[artists["role"].isin(REFERENCES), "note"].unique()
    return [Line2D([], [], label=text, **style.reference(text)) for text in texts]


def words(panels: Panels, table: "pd.DataFrame", style: Style) -> list[str]:
    """Return the lines of text that explain bands and whiskers, trial counts and footnotes."""
    paper, lines = style.paper, []
    level = f"{100 * paper.band:g} %"
    interval = INTERVALS[paper.interval].format(level=level)
    for kind in dict.fromkeys(panel.kind for panel in panels.values()):
        alike = {letter: panel for letter, panel in panels.items() if panel.kind == kind}
        data = table[table["panel"].isin([*alike]) & (table["role"] == "data")]
        counts = {name: _counts(data, name, style) for name in ("n", "time_n")}
        text = next(iter(alike.values())).words
        is_drawn = data[["low", "high"]].notna().any(axis=None)
        if not is_drawn and counts["n"]:  # for example, because there are only two trials
            clauses = ("n = {n}" if "{interval}" in part else part for part in text.split("; "))
            text = "; ".join(clauses)
        if text and (counts["n"] or "{n}" not in text):
            band = "band" if style.has_bands else "whisker at the end"
            lines.append(text.format(band=band, level=level, interval=interval, **counts))
    lines += [f"{mark} {text}" for mark, text in _footnotes(table)]
    one = _of_one_instance(panels, paper)
    if one:
        where = "" if len(one) == len(panels) else f" in {', '.join(one)}"
        lines.append(f"one instance{where}: trials differ in the noise of rewards alone")
    width = int(WIDTH * LETTERS_PER_INCH)
    return [line for text in lines for line in fill(text, width).splitlines()]


def _of_one_instance(panels: Panels, paper: Paper) -> list[str]:
    """Return the letters of the regret panels whose settings use one instance for all trials."""
    shared = {
        label
        for label, setting in paper.settings.items()
        if setting.options.get("instance") == "shared"
    }
    return [
        letter
        for letter, panel in panels.items()
        if "regret" in panel.lanes and shared.issuperset(one for one, _ in panel.cells or ())
    ]


def _counts(data: "pd.DataFrame", name: str, style: Style) -> str:
    """Return the most common number of trials and any exceptions, as in ``20 (GLB-OMD 50)``."""
    if name not in data:
        return ""
    by_series: dict[str, list[str]] = {}
    for series, counts in data.groupby("series", sort=False)[name]:
        if counts.notna().any():
            by_series.setdefault(_range(counts), []).append(style.name(series))
    if not by_series:
        return ""
    most = max(by_series, key=lambda text: len(by_series[text]))
    others = [f"{', '.join(who)} {text}" for text, who in by_series.items() if text != most]
    text = most + (f" ({'; '.join(others)})" if others else "")
    return text if len(text) <= LONGEST_COUNTS else _range(data[name])


def _range(counts: "pd.Series") -> str:
    """Format the range of counts, such as ``10`` or ``10–100``."""
    low, high = counts.min(), counts.max()
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
