"""Functions that tabulate the artists of a figure, and draw the figure from this table alone."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from optimist.core.files import write_atomically
from optimist.experiments.paper import Paper
from optimist.figures import legend
from optimist.figures.artists import REFERENCES, WARNING, bar_name, references
from optimist.figures.base import COLUMNS, COUNTS, NUMBERS, Panel
from optimist.figures.models import Figure
from optimist.figures.rows import Tables, rows
from optimist.figures.style import Style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas
    from matplotlib.figure import Figure as Page

STYLE = Path(__file__).with_name("optimist.mplstyle")
# Colours per picture. Keeping all 16,000 shades of transparent bands would triple the file size.
COLOURS = 256
THUMBNAIL_WIDTH = 320  # pixels
# Metadata to leave out, so that files contain neither dates nor names of programs.
NAMELESS = {"CreationDate": None, "Creator": None, "Producer": None}
PANEL_SHARE = 0.8  # panel's share of a column's width; its y labels take the rest
MOST_BANDS = 4  # maximum number of bands in a panel
BAR_HEIGHT = 0.17  # inches for each line of a bar's name
AXIS_HEIGHT = 0.6
NOTE: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "top"}
NOTE |= {"fontsize": legend.SMALLEST, "color": WARNING}


def tabulate(figure: Figure, tables: "Mapping[str, pd.DataFrame]", paper: Paper) -> "pd.DataFrame":
    """Return all artists of a figure, one row per artist.

    Parameters
    ----------
    figure : Figure
    tables : mapping of str to DataFrame
        See `optimist.figures.rows.Tables`.
    paper : Paper

    Returns
    -------
    DataFrame
        The columns are ``panel`` (the panel's letter), the common ones listed in
        `optimist.figures.base`, and those of particular kinds of panels.
    """
    import pandas as pd

    data = Tables(tables, paper)
    pieces = [rows("").iloc[:0].assign(panel="")]
    for letter, panel in figure.by_letter.items():
        pieces += [piece.assign(panel=letter) for piece in panel.all_rows(data)]
    table = pd.concat(pieces, ignore_index=True)
    others = [name for name in table if name not in COLUMNS]
    table = table[[*COLUMNS, *others]].astype(dict.fromkeys(NUMBERS, float))
    return table.astype(dict.fromkeys((name for name in COUNTS if name in table), "Int64"))


def draw(
    figure: Figure,
    table: "pd.DataFrame",
    paper: Paper,
    png_path: str,
    pdf_path: str,
    thumbnail_path: str,
    shortened: str = "",
) -> None:
    """Draw a figure and write its files. The same table always gives identical files.

    Parameters
    ----------
    figure : Figure
    table : DataFrame
        The result of `tabulate`, or the same table read back from a file.
    paper : Paper
    png_path, pdf_path, thumbnail_path : str
        Files to write; the thumbnail is in WebP format.
    """
    import matplotlib.style
    from PIL import Image

    with matplotlib.style.context(STYLE, after_reset=True):
        page = _compose(figure, table, paper, shortened)
        drawn = BytesIO()
        page.savefig(drawn, format="png", metadata={"Software": None})
        picture = Image.open(drawn).convert("RGB")
        # k-means moves the palette to colours that occur in the picture, so that white stays white.
        method, dither = Image.Quantize.MEDIANCUT, Image.Dither.NONE
        few = picture.quantize(COLOURS, method=method, kmeans=1, dither=dither)
        size = THUMBNAIL_WIDTH, round(picture.height * THUMBNAIL_WIDTH / picture.width)
        small = picture.resize(size, Image.Resampling.LANCZOS)
        page.set_layout_engine("none")  # a second layout would take as long as the drawing
        write_atomically(pdf_path, lambda p: page.savefig(p, format="pdf", metadata=NAMELESS))
        as_png = {"format": "PNG", "optimize": True, "dpi": picture.info["dpi"]}
        write_atomically(png_path, lambda p: few.save(p, **as_png))
        write_atomically(thumbnail_path, lambda p: small.save(p, "WEBP", quality=75, method=6))


def _compose(figure: Figure, table: "pd.DataFrame", paper: Paper, shortened: str = "") -> "Page":
    from matplotlib.figure import Figure as Page

    panels = figure.by_letter
    style = _style(table, paper)
    columns = figure.columns or min(3, len(panels))
    rows_of_panels = -(-len(panels) // columns)
    notes = {letter: _notes(table[table["panel"] == letter], style, columns) for letter in panels}
    each = figure.legend == "panel"
    is_full, narrow = len(panels) == rows_of_panels * columns, _letters(columns) - legend.HANDLE
    width = legend.LONGEST_LABEL if is_full else narrow
    shared: dict[str, Any] = {
        "handles": [] if each else legend.entries(panels, table, style, width),
        "title": "\n".join(legend.words(panels, table, style)),
    }
    least = max((_bars_height(panel, style) for panel in panels.values()), default=0.0)
    height = max(figure.height, least)
    height += max(map(legend.height_of, notes.values()))
    # The legend goes into an unused cell of the grid if it fits there.
    spare = not is_full and legend.height_in_cell(shared) <= height
    size = legend.WIDTH, height * rows_of_panels + 0.2 + (0.0 if spare else legend.lay_out(shared))
    page = Page(figsize=size, layout="constrained")
    if shortened:
        warning = f"shortened run ({shortened}): nothing here is a result"
        page.suptitle(f"{figure.title}\n{warning}", color=WARNING)
    else:
        page.suptitle(figure.title)
    canvases = page.subplots(rows_of_panels, columns, squeeze=False, sharey=figure.share_y).ravel()
    for (letter, panel), canvas in zip(panels.items(), canvases, strict=False):
        artists = table[table["panel"] == letter]
        canvas.set_title(f"({letter}) {panel.title}" if len(panels) > 1 else panel.title)
        _draw_panel(canvas, panel, artists, style)
        if each:
            handles = legend.entries({letter: panel}, artists, style, narrow)
            legend.place_below(canvas, handles, notes[letter])
        else:
            canvas.annotate(notes[letter], (0, 0), (0, legend.BELOW), **NOTE)
    for canvas in canvases[len(panels) :]:
        canvas.axis("off")
    legend.place(page, canvases[-1] if spare else None, shared)
    return page


def _style(table: "pd.DataFrame", paper: Paper) -> Style:
    shown = table.loc[table["role"].isin(["data", "note"]), "series"].unique()
    compared = table.loc[table["role"].isin(REFERENCES), "note"].unique()
    data = table[table["role"] == "data"]
    bands = data[data["low"].notna()].groupby("panel")["series"].nunique()
    return Style(
        paper,
        legend.footnote_marks(table),
        [series for series in shown if series],
        list(compared),
        has_bands=bands.max() <= MOST_BANDS if len(bands) else True,
    )


# One panel.


def _draw_panel(canvas: "Canvas", panel: Panel, artists: "pd.DataFrame", style: Style) -> None:
    data = artists[artists["role"] == "data"]
    is_empty = data["y"].notna().sum() == 0
    _set_axes(canvas, panel, data, style)
    panel.draw(canvas, artists, style)
    references(canvas, artists, style)
    if panel.is_bars:
        canvas.set_xlim(left=0.0 if canvas.get_xscale() == "linear" else None)
    elif not is_empty:
        panel.limit(canvas, data)
    label_ticks(canvas)
    if is_empty:
        centre = {"transform": canvas.transAxes, "ha": "center", "color": WARNING}
        canvas.text(0.5, 0.5, "no data", **centre)


def _set_axes(canvas: "Canvas", panel: Panel, data: "pd.DataFrame", style: Style) -> None:
    """Set the labels and scales of the axes.

    Because bars are horizontal, their x axis gets the label and the scale of y. A logarithmic y
    axis becomes linear below 1 if it would hide values of zero or less.
    """
    axes = panel.labelled(style.paper.names)
    if panel.is_bars:
        canvas.set(xlabel=axes.ylabel, xscale=axes.scale)
        return
    canvas.set(xlabel=axes.xlabel, ylabel=axes.ylabel, xscale=axes.x_scale)
    near_zero = axes.scale == "symlog" or (axes.scale == "log" and (data["y"] <= 0.0).any())
    linear_below = {"linthresh": 1.0} if near_zero else {}
    canvas.set_yscale("symlog" if near_zero else axes.scale, **linear_below)


def label_ticks(canvas: "Canvas") -> None:
    """Label 1, 2 and 5 in each decade of short logarithmic axes; use fewer ticks on other axes."""
    from matplotlib import ticker

    for axis in (canvas.xaxis, canvas.yaxis):
        locator, (low, high) = axis.get_major_locator(), axis.get_view_interval()
        if axis.get_scale() == "log" and not isinstance(locator, ticker.FixedLocator):
            axis.set_minor_formatter(ticker.NullFormatter())
            if high < 100 * low:
                axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
                axis.set_major_formatter(lambda value, _: f"{value:g}")
        elif isinstance(locator, ticker.SymmetricalLogLocator):
            locator.set_params(numticks=5)
        elif isinstance(locator, ticker.AutoLocator) and axis is canvas.xaxis:
            axis.set_major_locator(ticker.MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))


def _notes(artists: "pd.DataFrame", style: Style, columns: int) -> str:
    """Return the notes on a panel's cells, wrapped to its width."""
    notes = artists[artists["role"] == "note"]
    several = artists.loc[artists["role"].isin(["data", "note"]), "setting"].nunique() > 1
    by_word: dict[str, list[str]] = {}
    named = artists.loc[artists["setting"].notna() & (artists["setting"] != ""), "setting"]
    titles = style.settings([*named.unique()]) if several else {}
    for (note, series), group in notes.groupby(["note", "series"], sort=False):
        word, _, detail = note.partition(": ")
        where = f" at {', '.join(titles[s] for s in group['setting'])}" if several else ""
        item = style.name(series) + where + (f" ({detail})" if detail else "")
        by_word.setdefault(word, []).append(item)
    width = _letters(columns)
    return "\n".join(fill(f"{word}: {'; '.join(items)}", width) for word, items in by_word.items())


def _letters(columns: int) -> int:
    """Return how many characters fit on a line below one of ``columns`` adjacent panels."""
    return int(PANEL_SHARE * legend.WIDTH / columns * legend.LETTERS_PER_INCH)


def _bars_height(panel: Panel, style: Style) -> float:
    """Return the height, in inches, needed for a panel's bars; 0 if it has none."""
    if not panel.is_bars:
        return 0.0
    settings, algorithms = ({*labels} for labels in zip(*panel.cells or (), strict=True))
    lines = sum(len(bar_name(label, style).splitlines()) for label in algorithms)
    headers = len(settings) > 1
    return BAR_HEIGHT * (lines + headers) * len(settings) + AXIS_HEIGHT
