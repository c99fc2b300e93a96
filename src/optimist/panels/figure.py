"""Figures: the table of all panels, and a picture of it in which nothing is computed but layout."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from textwrap import fill
from typing import TYPE_CHECKING, Any

from optimist.panels import make_panel, pictures
from optimist.panels.base import COLUMNS, NUMBERS, Panel
from optimist.panels.looks import COLOURS, Looks
from optimist.panels.marks import WARNING, references
from optimist.panels.rows import Tables, rows
from optimist.panels.thinning import thin

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas
    from matplotlib.figure import Figure as Page

STYLE = Path(__file__).with_name("optimist.mplstyle")
WIDTH = 7.2  # inches, two columns of a journal page
PANEL_HEIGHT = 2.3
LETTERS_PER_INCH = 17  # at the size of the legend
PANEL_SHARE = 0.8  # of a column's width; the rest is for the axis
LINE_HEIGHT = 0.17  # inches, of a line of the legend
BELOW = -28  # points from a panel's axis to what is written below its labels
NOTE = {"textcoords": "offset points", "va": "top", "fontsize": 6, "color": WARNING}

Panels = dict[str, Panel]


def panels_of(figure: Mapping[str, Any]) -> Panels:
    """Return the panels of a figure by letter."""
    return dict(zip(ascii_lowercase, map(make_panel, figure["panels"]), strict=False))


def tabulate(
    figure: Mapping[str, Any], tables: "Mapping[str, pd.DataFrame]", paper: Mapping[str, Any]
) -> "pd.DataFrame":
    """Return everything that a figure draws, one row per mark.

    Parameters
    ----------
    figure : mapping
        An entry of ``figures`` in the paper's configuration.
    tables : mapping of str to DataFrame
        See `optimist.panels.rows.Tables`.
    paper : mapping
        The loaded paper configuration.

    Returns
    -------
    DataFrame
        ``panel``, its letter, and the columns of `optimist.panels.base`, with those of the kinds.
    """
    import pandas as pd

    data = Tables(tables, paper)
    pieces = [rows("").iloc[:0].assign(panel="")]
    for letter, panel in panels_of(figure).items():
        found = thin(panel, list(panel.all_rows(data)), paper["names"])
        pieces += [piece.assign(panel=letter) for piece in found]
    table = pd.concat(pieces, ignore_index=True)
    others = [name for name in table if name not in COLUMNS]
    return table[[*COLUMNS, *others]].astype(dict.fromkeys(NUMBERS, float))


def draw(
    figure: Mapping[str, Any],
    table: "pd.DataFrame",
    paper: Mapping[str, Any],
    png_path: str,
    pdf_path: str,
    thumbnail_path: str,
) -> None:
    """Draw a figure; the same table gives the same bytes.

    Parameters
    ----------
    figure : mapping
        An entry of ``figures`` in the paper's configuration.
    table : DataFrame
        What `tabulate` returned for it, or the same read back from a file.
    paper : mapping
        The loaded paper configuration.
    png_path, pdf_path, thumbnail_path : str
        Files to write.
    """
    import matplotlib.style

    with matplotlib.style.context(STYLE, after_reset=True):
        pictures.save(_compose(figure, table, paper), png_path, pdf_path, thumbnail_path)


def _compose(figure: Mapping[str, Any], table: "pd.DataFrame", paper: Mapping[str, Any]) -> "Page":
    from matplotlib.figure import Figure

    panels = panels_of(figure)
    looks = _looks(table, paper)
    columns = figure.get("columns", min(3, len(panels)))
    rows_of_panels = -(-len(panels) // columns)
    notes = {letter: _notes(table[table["panel"] == letter], looks, columns) for letter in panels}
    each, shared = (figure.get("legend", "shared") == kind for kind in ("panel", "shared"))
    legend: dict[str, Any] = {
        "handles": _handles(panels, table, looks) if shared else [],
        "title": "\n".join(_words(panels, table, paper)),
    }
    spare = len(panels) < rows_of_panels * columns
    height = figure.get("height", PANEL_HEIGHT) + max(map(_height, notes.values()))
    size = WIDTH, height * rows_of_panels + 0.2 + (0.0 if spare else _lay_out(legend))
    page = Figure(figsize=size, layout="constrained")
    page.suptitle(figure["title"])
    canvases = page.subplots(rows_of_panels, columns, squeeze=False).ravel()
    for (letter, panel), canvas in zip(panels.items(), canvases, strict=False):
        marks = table[table["panel"] == letter]
        _draw_panel(canvas, letter, panel, marks, looks)
        if each:
            _panel_legend(canvas, _handles({letter: panel}, marks, looks), notes[letter])
        else:
            canvas.annotate(notes[letter], (0, 0), (0, BELOW), xycoords="axes fraction", **NOTE)
    _legend(page, canvases[len(panels) :], legend)
    return page


def _looks(table: "pd.DataFrame", paper: Mapping[str, Any]) -> Looks:
    shown = table.loc[table["role"].isin(["data", "note"]), "series"].unique()
    return Looks(paper, COLOURS, _marks(table), [series for series in shown if series])


# One panel.


def _draw_panel(
    canvas: "Canvas", letter: str, panel: Panel, marks: "pd.DataFrame", looks: Looks
) -> None:
    data = marks[marks["role"] == "data"]
    canvas.set_title(f"({letter}) {panel.spec.get('title', '')}")
    _set_axes(canvas, panel, data, looks)
    panel.draw(canvas, marks, looks)
    references(canvas, marks)
    if panel.is_bars:
        canvas.set_xlim(left=0.0 if canvas.get_xscale() == "linear" else None)
    else:
        panel.limit(canvas)
    label_ticks(canvas)
    if data["y"].notna().sum() == 0:
        centre = {"transform": canvas.transAxes, "ha": "center", "color": WARNING}
        canvas.text(0.5, 0.5, "no data", **centre)


def _set_axes(canvas: "Canvas", panel: Panel, data: "pd.DataFrame", looks: Looks) -> None:
    """Set labels and scales; bars lie, so that their x is the panel's y.

    A logarithmic axis becomes linear below 1 if it would hide a value that is not positive.
    """
    axes = panel.labelled(looks.paper["names"])
    if panel.is_bars:
        canvas.set(xlabel=axes.ylabel, xscale=axes.scale)
        return
    canvas.set(xlabel=axes.xlabel, ylabel=axes.ylabel, xscale=axes.x_scale)
    near_zero = axes.scale == "symlog" or (axes.scale == "log" and (data["y"] <= 0.0).any())
    linear_below = {"linthresh": 1.0} if near_zero else {}
    canvas.set_yscale("symlog" if near_zero else axes.scale, **linear_below)


def label_ticks(canvas: "Canvas") -> None:
    """Label 1, 2 and 5 of each decade on short logarithmic axes, and no minor ticks."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

    for axis, (low, high) in (
        (canvas.xaxis, canvas.get_xlim()),
        (canvas.yaxis, canvas.get_ylim()),
    ):
        if axis.get_scale() == "log" and not isinstance(axis.get_major_locator(), FixedLocator):
            axis.set_minor_formatter(NullFormatter())
            if high < 100 * low:
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _notes(marks: "pd.DataFrame", looks: Looks, columns: int) -> str:
    """Return which cells of a panel are missing or incomplete, in lines of the panel's width."""
    notes = marks[marks["role"] == "note"]
    several = marks.loc[marks["role"].isin(["data", "note"]), "setting"].nunique() > 1
    found: dict[str, list[str]] = {}
    for (note, series), group in notes.groupby(["note", "series"], sort=False):
        word, _, detail = note.partition(": ")
        where = f" at {', '.join(group['setting'])}" if several else ""
        item = looks.name(series) + where + (f" ({detail})" if detail else "")
        found.setdefault(word, []).append(item)
    width = int(PANEL_SHARE * WIDTH / columns * LETTERS_PER_INCH)
    return "\n".join(fill(f"{word}: {'; '.join(items)}", width) for word, items in found.items())


# Legends and footnotes.


def _height(text: str) -> float:
    """Return the height of some lines in inches."""
    return LINE_HEIGHT * len(text.splitlines())


def _lay_out(legend: dict[str, Any]) -> float:
    """Add the number of columns to a legend below the panels; return its height in inches."""
    longest = max((len(handle.get_label()) for handle in legend["handles"]), default=0) + 7
    count = len(legend["handles"])
    legend["ncols"] = max(1, min(count, int(WIDTH * LETTERS_PER_INCH / longest)))
    return _height(legend["title"]) + LINE_HEIGHT * -(-count // legend["ncols"])


def _marks(table: "pd.DataFrame") -> dict[str, str]:
    """Return the footnote marks of each series that has footnotes."""
    found: dict[str, str] = {}
    for mark, text in _footnotes(table):
        for series in table.loc[table["note"] == text, "series"].unique():
            found[series] = f"{found.get(series, '')} {mark}"
    return found


def _footnotes(table: "pd.DataFrame") -> list[tuple[str, str]]:
    """Return (mark, text) of the figure's footnotes: stars, one more each."""
    texts = table.loc[table["role"] == "footnote", "note"].unique()
    return [("*" * (i + 1), text) for i, text in enumerate(texts)]


def _legend(page: "Page", spare: "Sequence[Canvas]", legend: dict[str, Any]) -> None:
    """Put the shared legend into an empty cell of the grid, or below the panels without one."""
    for canvas in spare:
        canvas.axis("off")
    if len(spare):
        legend["title"] = "\n".join(fill(line, 36) for line in legend["title"].splitlines())
        drawn = spare[-1].legend(**legend, loc="center left")
    else:
        drawn = page.legend(**legend, loc="outside lower center")
    drawn.set_alignment("left")


def _panel_legend(canvas: "Canvas", handles: list[Any], notes: str) -> None:
    """Put a legend, headed by the notes, below a panel."""
    from matplotlib.transforms import ScaledTranslation

    shift = ScaledTranslation(0.0, BELOW / 72.0, canvas.figure.dpi_scale_trans)
    place = {"bbox_to_anchor": (0, 0), "bbox_transform": canvas.transAxes + shift}
    legend = canvas.legend(handles=handles, title=notes, loc="upper left", **place)
    legend.get_title().set(color=WARNING, fontsize=6)
    legend.set_alignment("left")


def _handles(panels: Panels, table: "pd.DataFrame", looks: Looks) -> list[Any]:
    """Return one legend entry per series, with its remarks, in the order of the table.

    Bars carry their names themselves.
    """
    letters = [letter for letter, panel in panels.items() if not panel.is_bars]
    table = table[table["panel"].isin(letters)]
    remarks = table[table["role"] == "remark"]
    first = next(iter(panels.values()))
    of_one_kind = len({type(panel) for panel in panels.values()}) == 1
    make = first.handle if of_one_kind else partial(Panel.handle, first)
    joined = any(panel.joined for panel in panels.values())
    handles = []
    for series in table.loc[table["role"].isin(["data", "note"]), "series"].unique():
        texts = remarks.loc[remarks["series"] == series, "note"].unique()
        label = fill(", ".join([looks.name(series), *texts]), 40)
        handles.append(make(label, series, looks, joined))
    return handles


def _words(panels: Panels, table: "pd.DataFrame", paper: Mapping[str, Any]) -> list[str]:
    """Return what bands and whiskers are and how many trials are behind them, and footnotes."""
    found = []
    for kind in dict.fromkeys(panel.kind for panel in panels.values()):
        alike = {letter: panel for letter, panel in panels.items() if panel.kind == kind}
        data = table[table["panel"].isin([*alike]) & (table["role"] == "data")]
        counts = {name: _range(data.get(name)) for name in ("n", "time_n")}
        words = next(iter(alike.values())).words
        if words and counts["n"]:
            found.append(words.format(level=f"{100 * paper['band']:g} %", **counts))
    return found + [f"{mark} {text}" for mark, text in _footnotes(table)]


def _range(counts: "pd.Series | None") -> str:
    """Return ``10`` or ``10–100``; empty without counts."""
    known: Iterable[float] = [] if counts is None else counts.dropna()
    known = list(known)
    if not known:
        return ""
    low, high = min(known), max(known)
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
