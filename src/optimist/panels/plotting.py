"""From a figure's table to a figure; nothing but layout is computed here.

An algorithm has one colour and one marker in every figure of a paper, by its place in ``names``;
its variants share them and differ in line style or hatch, by their place among the paper's cells.
"""

from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from textwrap import fill

import numpy as np

from optimist.files import write_atomically
from optimist.panels.figures import method_name

STYLE = Path(__file__).with_name("optimist.mplstyle")
MARKERS = "osD^vP<X>hp*"
DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 3)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "oo")
WIDTH = 7.2  # inches, two columns of a journal page
PANEL_HEIGHT = 2.3
LETTERS_PER_INCH = 17  # at the size of the legend
PANEL_SHARE = 0.8  # of a column's width; the rest is for the axis
LINE_HEIGHT = 0.17  # inches, of a line of the legend
BELOW = -28  # points from a panel's axis to what is written below its labels
WARNING = "#A00000"
SMALL = {"fontsize": 6, "va": "center"}
NOTE = {"textcoords": "offset points", "va": "top", "fontsize": 6, "color": WARNING}
MOST_TICKS = 6
SWEPT = ("final_regret", "final_median_regret", "time", "coverage", "counter")
UNJOINED = {"coverage", "facts", "tradeoff"}
NOT_NEGATIVE = (
    *("regret", "median_regret", "final_regret", "final_median_regret"),
    *("tradeoff", "counter"),
)


@dataclass(frozen=True)
class Axes:
    """Words and scales of a kind of panel; a panel's own keys go before them."""

    xlabel: str
    ylabel: str
    x_scale: str = "linear"
    scale: str = "linear"
    words: str = ""


AXES = {
    "regret": Axes("round", "regret", words="band: {level} CI of the mean, n = {n}"),
    "median_regret": Axes("round", "regret", words="line: median, band: quartiles, n = {n}"),
    "final_median_regret": Axes(
        *("", "final regret"), words="median, whisker: quartiles of n = {n}"
    ),
    "final_regret": Axes("", "final regret", words="whisker: {level} CI of the mean, n = {n}"),
    "time": Axes(
        *("", "seconds per trial", "linear", "log"),
        words="time: median, whisker: fastest to slowest of n = {n}",
    ),
    "coverage": Axes("", "share of trials", words="whisker: {level} CI of the share, n = {n}"),
    "counter": Axes("", "rounds", words="mean, whisker: smallest to largest of n = {n}"),
    "tradeoff": Axes(
        *("seconds per trial", "final regret", "log", "log"),
        words="whisker: {level} CI of the mean regret, n = {n}; time: median of n = {time_n}",
    ),
    "time_per_round": Axes(
        *("round", "seconds per round", "log", "log"), words="time: median of n = {n}"
    ),
    "elapsed": Axes("round", "seconds so far", "linear", "log", words="time: median of n = {n}"),
    "facts": Axes("", ""),
    "regions": Axes(r"$\theta_1$", r"$\theta_2$"),
    "distance": Axes(
        *("round", "distance / radius", "log", "log"),
        words="line: median, band: smallest to largest of n = {n}",
    ),
    "relative_regret": Axes(
        *("round", "regret / regret of uniform play"), words="band: {level} CI, scaled, n = {n}"
    ),
    "watched": Axes(
        *("round", "", "linear", "log"), words="line: median, band: smallest to largest of n = {n}"
    ),
    "posterior": Axes("x", "f(x)", words="line: mean, band: three standard deviations"),
    "scaling": Axes("dimension d", "seconds per update", "log", "log"),
}


def _of_variant(styles, number):
    """Return the style of a variant; the first one is kept for number 0, the plain algorithm."""
    return styles[0] if number == 0 else styles[1:][(number - 1) % (len(styles) - 1)]


class Looks:
    """Colours, markers, line styles and hatches of series.

    Parameters
    ----------
    paper : dict
        Its ``names`` fix colours and markers, the cells of its ``runs`` and ``timings`` the rest.
    colours : list of str
    marks : dict
        Footnote marks, with a space before each, by series.
    shown : list of str
        All series of the figure. If they are variants of one algorithm, each has a colour and a
        marker of its own.
    """

    def __init__(self, paper, colours, marks, shown=()):
        self.paper = paper
        self.colours = colours
        self.marks = marks
        algorithms = {series.partition("[")[0] for series in shown}
        of_one = len(shown) > 1 and len(algorithms) == 1 and algorithms <= {*paper["names"]}
        self._of_one = list(shown) if of_one else []
        self._names = list(paper["names"])
        self._variants = {}
        blocks = [*paper.get("runs", []), *paper.get("timings", [])]
        for label in (label for block in blocks for label in block["algorithms"]):
            self._place(label)

    def _place(self, series):
        """Return the place of a series' name among all names, and among that name's variants."""
        name = series.partition("[")[0]
        if name not in self._names:  # not an algorithm: dark, told apart as variants are
            name = ""
        known = self._variants.setdefault(name, [series] if name == "" else [name])
        if series not in known:
            known.append(series)
        return (self._names.index(name) if name else None), known.index(series)

    def colour(self, series):
        """Return the colour of a series; dark grey if it is not of an algorithm."""
        place = self._of_one.index(series) if self._of_one else self._place(series)[0]
        return "0.25" if place is None else self.colours[place % len(self.colours)]

    def marker(self, series):
        """Return the marker of a series, the same for all variants of an algorithm among others."""
        place, variant = self._place(series)
        if self._of_one:
            place = self._of_one.index(series)
        return MARKERS[(variant if place is None else place) % len(MARKERS)]

    def dash(self, series):
        """Return the line style of a series, solid for an algorithm without options."""
        return _of_variant(DASHES, self._place(series)[1])

    def hatch(self, series):
        """Return the hatch of a bar, none for an algorithm without options."""
        return _of_variant(HATCHES, self._place(series)[1])

    def line(self, series, joined=True):
        """Return keywords of a line with markers; variants have hollow markers."""
        own = series == self.paper.get("method")
        return {
            "color": self.colour(series),
            "marker": self.marker(series),
            "linestyle": self.dash(series) if joined else "none",
            "markerfacecolor": "white" if self._is_hollow(series) else self.colour(series),
            "linewidth": 1.8 if own else 1.1,
            "zorder": 3.5 if own else 3,
        }

    def _is_hollow(self, series):
        return bool(self._place(series)[1]) and not self._of_one

    def name(self, series):
        """Return what the figure calls a series, with its footnote mark."""
        algorithm = self._place(series)[0] is not None
        name = method_name(series, self.paper) if algorithm else series
        return name + self.marks.get(series, "")


def draw(figure, table, paper, png_path, pdf_path):
    """Draw a figure; the same table gives the same bytes.

    Parameters
    ----------
    figure : dict
        An entry of ``figures`` in the paper's configuration.
    table : DataFrame
        What `optimist.panels.figures.tabulate` returned for it, or the same read back from a file.
    paper : dict
        The loaded paper configuration.
    png_path, pdf_path : path
        Files to write.
    """
    import matplotlib.style

    with matplotlib.style.context(STYLE, after_reset=True):
        canvas = _compose(figure, table, paper)
        _save(canvas, png_path, "png", {"Software": None})
        canvas.set_layout_engine("none")  # the layout stands; finding it again takes as long as ink
        nameless = {"CreationDate": None, "Creator": None, "Producer": None}
        _save(canvas, pdf_path, "pdf", nameless)


def _save(canvas, path, kind, metadata):
    write_atomically(path, lambda p: canvas.savefig(p, format=kind, metadata=metadata))


def _compose(figure, table, paper):
    import seaborn
    from matplotlib.figure import Figure

    panels = dict(zip(ascii_lowercase, figure["panels"], strict=False))
    colours = [*seaborn.color_palette("colorblind").as_hex(), "#000000"]
    shown = table.loc[table["role"].isin(["data", "note"]), "series"].unique()
    looks = Looks(paper, colours, _marks(table), [s for s in shown if s])
    columns = figure.get("columns", min(3, len(panels)))
    rows = -(-len(panels) // columns)
    notes = {letter: _notes(table[table["panel"] == letter], looks, columns) for letter in panels}
    each, shared = (figure.get("legend", "shared") == kind for kind in ("panel", "shared"))
    legend = {
        "handles": _handles(panels, table, looks) if shared else [],
        "title": "\n".join(_words(panels, table, paper)),
    }
    spare = len(panels) < rows * columns
    height = figure.get("height", PANEL_HEIGHT) + max(map(_height, notes.values()))
    size = WIDTH, height * rows + 0.2 + (0.0 if spare else _lay_out(legend))
    canvas = Figure(figsize=size, layout="constrained")
    canvas.suptitle(figure["title"])
    cells = canvas.subplots(rows, columns, squeeze=False).ravel()
    for (letter, panel), ax in zip(panels.items(), cells, strict=False):
        marks = table[table["panel"] == letter]
        _panel(ax, letter, panel, marks, looks)
        if each:
            _panel_legend(ax, _handles({letter: panel}, marks, looks), notes[letter])
        else:
            ax.annotate(notes[letter], (0, 0), (0, BELOW), xycoords="axes fraction", **NOTE)
    _legend(canvas, cells[len(panels) :], legend)
    return canvas


def _height(text):
    """Return the height of some lines in inches."""
    return LINE_HEIGHT * len(text.splitlines())


def _lay_out(legend):
    """Add the number of columns to a legend below the panels; return its height in inches."""
    longest = max((len(handle.get_label()) for handle in legend["handles"]), default=0) + 7
    count = len(legend["handles"])
    legend["ncols"] = max(1, min(count, int(WIDTH * LETTERS_PER_INCH / longest)))
    return _height(legend["title"]) + LINE_HEIGHT * -(-count // legend["ncols"])


def _marks(table):
    """Return the footnote marks of each series that has footnotes."""
    found = {}
    for mark, text in _footnotes(table):
        for series in table.loc[table["note"] == text, "series"].unique():
            found[series] = f"{found.get(series, '')} {mark}"
    return found


def _footnotes(table):
    """Return (mark, text) of the figure's footnotes: stars, one more each."""
    texts = table.loc[table["role"] == "footnote", "note"].unique()
    return [("*" * (i + 1), text) for i, text in enumerate(texts)]


def _legend(canvas, spare, legend):
    """Put the shared legend into an empty cell of the grid, else below the panels."""
    for ax in spare:
        ax.axis("off")
    if len(spare):
        legend["title"] = "\n".join(fill(line, 36) for line in legend["title"].splitlines())
        drawn = spare[-1].legend(**legend, loc="center left")
    else:
        drawn = canvas.legend(**legend, loc="outside lower center")
    drawn.set_alignment("left")


def _panel(ax, letter, panel, marks, looks):
    data = marks[marks["role"] == "data"]
    ax.set_title(f"({letter}) {panel.get('title', '')}")
    _axes(ax, panel, data)
    DRAWERS[panel["kind"]](ax, panel, data, looks)
    _references(ax, marks)
    if _is_bars(panel):
        ax.set_xlim(left=0.0 if ax.get_xscale() == "linear" else None)
    elif panel["kind"] in NOT_NEGATIVE and ax.get_yscale() != "log":  # but a t interval may be
        ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1] if ax.get_yscale() == "linear" else 0.0)
    if panel["kind"] == "coverage":
        ax.set_ylim(-0.05, 1.05)
    _ticks(ax)
    if data["y"].notna().sum() == 0:
        ax.text(0.5, 0.5, "no data", transform=ax.transAxes, ha="center", color=WARNING)


def _axes(ax, panel, data):
    """Set labels and scales; bars lie, so that their x is the panel's y.

    A logarithmic axis becomes linear below 1 if it would hide a value that is not positive.
    """
    words = AXES[panel["kind"]]
    labels = [panel.get(key, getattr(words, key)) for key in ("xlabel", "ylabel")]
    scales = [panel.get(key, getattr(words, key)) for key in ("x_scale", "scale")]
    if _is_bars(panel):
        ax.set(xlabel=labels[1], xscale=scales[1])
        return
    ax.set(xlabel=labels[0], ylabel=labels[1], xscale=scales[0])
    near_zero = scales[1] == "symlog" or (scales[1] == "log" and (data["y"] <= 0.0).any())
    ax.set_yscale(**({"value": "symlog", "linthresh": 1.0} if near_zero else {"value": scales[1]}))


def _ticks(ax):
    """Label 1, 2 and 5 of each decade on short logarithmic axes, and no minor ticks."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        if axis.get_scale() == "log" and not isinstance(axis.get_major_locator(), FixedLocator):
            axis.set_minor_formatter(NullFormatter())
            if high < 100 * low:
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _is_bars(panel):
    return panel["kind"] in SWEPT and "over" not in panel


def _series(data):
    return data.groupby("series", sort=False)


def _curves(ax, panel, data, looks):
    """Draw lines with bands; a few markers each, not at the same places."""
    for i, (series, marks) in enumerate(_series(data)):
        every = max(1, len(marks) // 6)
        x, shade = marks["x"], {"color": looks.colour(series), "alpha": 0.18, "lw": 0}
        start = i * every // 7 % every
        ax.plot(x, marks["y"], markevery=(start, every), **looks.line(series))
        if marks["low"].notna().any():
            ax.fill_between(x, marks["low"], marks["high"], **shade)


def _lines(ax, panel, data, looks):
    for series, marks in _series(data):
        ax.plot(marks["x"], marks["y"], **looks.line(series, panel["kind"] not in UNJOINED))


def _whiskers(marks):
    """Return lengths of whiskers below and above, none where an end is unknown."""
    return np.nan_to_num([marks["y"] - marks["low"], marks["high"] - marks["y"]]).clip(min=0)


def _swept(ax, panel, data, looks):
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    if _is_bars(panel):
        _bars(ax, panel, data, looks)
        return
    values = np.unique(data["x"].dropna())
    count = data["series"].nunique()
    for i, (series, marks) in enumerate(_series(data)):
        share = 0.75 if panel["kind"] == "coverage" else 0.15
        x = _beside(ax, marks["x"], values, share * ((i + 0.5) / count - 0.5))
        look = looks.line(series, panel["kind"] not in UNJOINED)
        ax.errorbar(x, marks["y"], _whiskers(marks), elinewidth=0.8, capsize=1.5, **look)
    if len(values) > MOST_TICKS and ax.get_xscale() == "log":
        return  # decades say as much
    ax.xaxis.set(
        major_locator=FixedLocator(values),
        minor_locator=NullLocator(),
        major_formatter=StrMethodFormatter("{x:g}"),
    )


def _beside(ax, x, values, share):
    """Move x by a share of the least gap between ``values``: whiskers then stand side by side."""
    forward, back = (np.log, np.exp) if ax.get_xscale() == "log" else (np.asarray, np.asarray)
    gaps = np.diff(forward(values))
    return back(forward(x) + share * (gaps.min() if len(gaps) else 1.0))


def _bars(ax, panel, data, looks):
    """Draw horizontal bars, grouped by setting; a missing cell leaves its place empty."""
    labels, settings = panel["algorithms"], panel["settings"]
    header = len(settings) > 1
    cells = [cell for s in settings for cell in ([s] * header + [(s, label) for label in labels])]
    for place, cell in enumerate(cells):
        if isinstance(cell, str):
            ax.annotate(cell, (0.02, place), xycoords=("axes fraction", "data"), va="center")
    for mark in data.itertuples():
        place = cells.index((mark.setting, mark.series))
        look = {"color": looks.colour(mark.series), "hatch": looks.hatch(mark.series)}
        whisker = np.nan_to_num([[mark.y - mark.low], [mark.high - mark.y]]).clip(min=0)
        ax.barh(place, mark.y, 0.8, xerr=whisker, edgecolor="white", lw=0, ecolor="0.4", **look)
        end = np.nanmax([mark.y, mark.high])
        ax.annotate(f" {_two_digits(mark.y)}", (end, place), va="center", fontsize=6)
    names = {i: looks.name(cell[1]) for i, cell in enumerate(cells) if not isinstance(cell, str)}
    ax.set_yticks(list(names), list(names.values()))
    ax.set_ylim(len(cells) - 0.4, -0.6)
    ax.margins(x=0.2)
    ax.grid(visible=False, axis="y")


def _scatter(ax, panel, data, looks):
    for series, marks in _series(data):
        look = looks.line(series, joined=False)
        ax.errorbar(marks["x"], marks["y"], _whiskers(marks), elinewidth=0.8, capsize=1.5, **look)


def _regions(ax, panel, data, looks):
    """Fill the regions, the widest first."""
    found = sorted(_series(data), key=lambda item: -np.ptp(item[1]["x"]) * np.ptp(item[1]["y"]))
    for series, marks in found:
        for _, outline in marks.groupby("piece"):
            ax.fill(outline["x"], outline["y"], **_patch(series, looks))
    ax.set_aspect("equal")
    ax.grid(visible=False)


def _patch(series, looks):
    """Return keywords of a filled region: a transparent face and a full edge."""
    colour = looks.colour(series)
    return {"facecolor": (colour, 0.25), "edgecolor": colour, "ls": looks.dash(series), "lw": 1.1}


DRAWERS = {
    **dict.fromkeys(
        (
            *("regret", "median_regret", "relative_regret", "elapsed", "time_per_round"),
            *("distance", "watched", "posterior"),
        ),
        _curves,
    ),
    **dict.fromkeys(SWEPT, _swept),
    "tradeoff": _scatter,
    "facts": _lines,
    "scaling": _lines,
    "regions": _regions,
}


def _references(ax, marks):
    """Draw what the data are compared with, in grey and named on the panel."""
    grey = {"color": "0.45", "lw": 0.8, "ls": (0, (4, 2)), "zorder": 2}
    for mark in marks[marks["role"] == "line"].itertuples():
        ax.axhline(mark.y, **grey)
        ax.annotate(mark.note, (1.01, mark.y), xycoords=("axes fraction", "data"), **SMALL)
    for mark in marks[marks["role"] == "phase"].itertuples():
        ax.axvline(mark.x, **grey)
        place = {"xycoords": ax.get_xaxis_transform(), "textcoords": "offset points"}
        ax.annotate(mark.note, (mark.x, 0.95), (3, 0), **place, **SMALL)
    slopes = marks[marks["role"] == "slope"].groupby(["series", "note"], sort=False)
    for _, line in slopes:
        ax.plot(line["x"], line["y"], **grey)
        # Lines of several slopes may begin or end near each other; the label sits between, at a
        # third of the way on the log axes.
        begin, end = line[["x", "y"]].to_numpy()
        place = {"ha": "center", **SMALL, "bbox": {"fc": "white", "ec": "none", "pad": 0.5}}
        ax.annotate(line["note"].iloc[0], begin ** (2 / 3) * end ** (1 / 3), **place)
    for mark in marks[marks["role"] == "corner"].itertuples():
        ax.annotate(mark.note, (0.98, 0.96), xycoords="axes fraction", ha="right", **SMALL)
    for role, look in (("function", {"lw": 0.8}), ("inducing", {"marker": "|", "ls": "", "ms": 5})):
        found = marks[marks["role"] == role]
        if len(found):  # nothing drawn would still disturb the layout
            base = {} if role == "function" else {"transform": ax.get_xaxis_transform()}
            ax.plot(found["x"], found["y"], color="0.1", zorder=4, **look, **base)
    for mark in marks[marks["role"].isin(["point", "truth"])].itertuples():
        ax.plot(mark.x, mark.y, "*", color="0.1", ms=7, zorder=5)
        _label(ax, mark.note, mark.x, mark.y)
    for mark in marks[marks["role"] == "ball"].itertuples():
        angle = np.linspace(0, 2 * np.pi, 361)
        ax.plot(mark.x * np.cos(angle), mark.x * np.sin(angle), **grey)
        place = {"textcoords": "offset points", "ha": "center", **SMALL}
        ax.annotate(mark.note, (0.0, -mark.x), (0, 10), **place)


def _two_digits(value):
    """Return ``value`` with two digits and no exponent: 0.034, 5.7, 110."""
    return np.format_float_positional(value, 2, unique=False, fractional=False, trim="-")


def _label(ax, text, x, y):
    """Write beside a point, on its side away from the nearer edge of the panel."""
    ax.autoscale_view()
    right = ax.transLimits.transform(ax.transScale.transform((x, y)))[0] > 0.5
    side = {"ha": "right"} if right else {"ha": "left"}
    offset = (-6 if right else 6, 0)
    ax.annotate(text, (x, y), offset, textcoords="offset points", **side, **SMALL)


def _notes(marks, looks, columns):
    """Return which cells of a panel are missing or incomplete, in lines of the panel's width."""
    notes = marks[marks["role"] == "note"]
    several = marks.loc[marks["role"].isin(["data", "note"]), "setting"].nunique() > 1
    found = {}
    for (note, series), group in notes.groupby(["note", "series"], sort=False):
        word, _, detail = note.partition(": ")
        where = f" at {', '.join(group['setting'])}" if several else ""
        item = looks.name(series) + where + (f" ({detail})" if detail else "")
        found.setdefault(word, []).append(item)
    width = int(PANEL_SHARE * WIDTH / columns * LETTERS_PER_INCH)
    return "\n".join(fill(f"{word}: {'; '.join(items)}", width) for word, items in found.items())


def _panel_legend(ax, handles, notes):
    """Put a legend, headed by the notes, below a panel."""
    from matplotlib.transforms import ScaledTranslation

    place = ax.transAxes + ScaledTranslation(0.0, BELOW / 72.0, ax.figure.dpi_scale_trans)
    legend = ax.legend(
        handles=handles, title=notes, loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=place
    )
    legend.get_title().set(color=WARNING, fontsize=6)
    legend.set_alignment("left")


def _handles(panels, table, looks):
    """Return one legend entry per series, with its remarks, in the order of the table.

    Bars carry their names themselves.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    letters = [letter for letter, panel in panels.items() if not _is_bars(panel)]
    table = table[table["panel"].isin(letters)]
    kinds = {panel["kind"] for panel in panels.values()}
    remarks = table[table["role"] == "remark"]
    handles = []
    for series in table.loc[table["role"].isin(["data", "note"]), "series"].unique():
        texts = remarks.loc[remarks["series"] == series, "note"].unique()
        label = fill(", ".join([looks.name(series), *texts]), 40)
        if kinds == {"regions"}:
            handles.append(Patch(label=label, **_patch(series, looks)))
        else:
            handles.append(
                Line2D([], [], label=label, **looks.line(series, bool(kinds - UNJOINED)))
            )
    return handles


def _words(panels, table, paper):
    """Return what bands and whiskers are and how many trials are behind them, and footnotes."""
    found = []
    for kind in dict.fromkeys(panel["kind"] for panel in panels.values()):
        letters = [letter for letter, panel in panels.items() if panel["kind"] == kind]
        data = table[table["panel"].isin(letters) & (table["role"] == "data")]
        counts = {name: _range(data.get(name)) for name in ("n", "time_n")}
        if AXES[kind].words and counts["n"]:
            found.append(AXES[kind].words.format(level=f"{100 * paper['band']:g} %", **counts))
    return found + [f"{mark} {text}" for mark, text in _footnotes(table)]


def _range(counts):
    """Return ``10`` or ``10–100``; empty without counts."""
    counts = [] if counts is None else counts.dropna()
    if not len(counts):
        return ""
    low, high = min(counts), max(counts)
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
