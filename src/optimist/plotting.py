"""From a figure's table to a figure; nothing but layout is computed here.

An algorithm has one colour and one marker in every figure of a paper, by its place in ``names``;
its variants share them and differ in line style or hatch, by their place among the paper's cells.
"""

from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from textwrap import fill

import numpy as np

from optimist.figures import method_name

STYLE = Path(__file__).with_name("optimist.mplstyle")
MARKERS = "osD^vP<X>h"
DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
WIDTH = 7.2  # inches, two columns of a journal page
PANEL_HEIGHT = 2.3
LETTERS_PER_INCH = 17  # at the size of the legend
LINE_HEIGHT = 0.17  # inches, of a line of the legend
FOOTNOTES = ("*", "**", "***", "****")
WARNING = "#A00000"
SMALL = {"fontsize": 6, "va": "center"}
SWEPT = ("final_regret", "time", "coverage", "counter")
REGRETS = ("regret", "final_regret", "tradeoff")


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
    "facts": Axes("", ""),
    "regions": Axes(r"$\theta_1$", r"$\theta_2$"),
    "scaling": Axes("dimension d", "seconds per update", "log", "log"),
}


class Looks:
    """Colours, markers, line styles and hatches of series.

    Parameters
    ----------
    paper : dict
        Its ``names`` fix colours and markers, the cells of its ``runs`` and ``timings`` the rest.
    colours : list of str
    marks : dict
        Footnote marks by series.
    """

    def __init__(self, paper, colours, marks):
        self.paper = paper
        self.colours = colours
        self.marks = marks
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
        place, _ = self._place(series)
        return "0.25" if place is None else self.colours[place % len(self.colours)]

    def marker(self, series):
        place, variant = self._place(series)
        return MARKERS[(variant if place is None else place) % len(MARKERS)]

    def dash(self, series):
        return DASHES[self._place(series)[1] % len(DASHES)]

    def hatch(self, series):
        return HATCHES[self._place(series)[1] % len(HATCHES)]

    def line(self, series):
        """Return keywords of a line with markers; variants have hollow markers."""
        own = series == self.paper.get("method")
        return {
            "color": self.colour(series),
            "marker": self.marker(series),
            "linestyle": self.dash(series),
            "markerfacecolor": "white" if self._place(series)[1] else self.colour(series),
            "linewidth": 1.8 if own else 1.1,
            "zorder": 3.5 if own else 3,
        }

    def name(self, series):
        """Return what the figure calls a series, with its footnote mark."""
        algorithm = self._place(series)[0] is not None
        name = method_name(series, self.paper) if algorithm else series
        return f"{name} {self.marks[series]}" if series in self.marks else name


def draw(figure, table, paper, png_path, pdf_path):
    """Draw a figure; the same table gives the same bytes.

    Parameters
    ----------
    figure : dict
        An entry of ``figures`` in the paper's configuration.
    table : DataFrame
        What `optimist.figures.tabulate` returned for it, or the same read back from a file.
    paper : dict
        The loaded paper configuration.
    png_path, pdf_path : path
        Files to write.
    """
    import matplotlib.style

    with matplotlib.style.context(STYLE, after_reset=True):
        canvas = _compose(figure, table, paper)
        canvas.savefig(png_path, format="png", metadata={"Software": None})
        nameless = {"CreationDate": None, "Creator": None, "Producer": None}
        canvas.savefig(pdf_path, format="pdf", metadata=nameless)


def _compose(figure, table, paper):
    import matplotlib
    from matplotlib.figure import Figure

    panels = figure["panels"]
    looks = Looks(paper, matplotlib.rcParams["axes.prop_cycle"].by_key()["color"], _marks(table))
    shared = [] if figure.get("legend") == "panel" else _handles(panels, table, looks)
    legend = {"handles": shared, "title": "\n".join(_words(panels, table, paper))}
    columns = figure.get("columns", min(3, len(panels)))
    rows = -(-len(panels) // columns)
    below = len(panels) == rows * columns
    legend |= {"ncols": _legend_columns(shared) if below else 1}
    lines = legend["title"].count("\n") + 1 + -(-len(shared) // legend["ncols"])
    height = figure.get("height", PANEL_HEIGHT) * rows + 0.2 + (LINE_HEIGHT * lines if below else 0)
    canvas = Figure(figsize=(WIDTH, height), layout="constrained")
    canvas.suptitle(figure["title"])
    cells = canvas.subplots(rows, columns, squeeze=False).ravel()
    for letter, panel, ax in zip(ascii_lowercase, panels, cells, strict=False):
        marks = table[table["panel"] == letter]
        _panel(ax, letter, panel, marks, looks)
        if figure.get("legend") == "panel":
            ax.legend(handles=_handles([panel], marks, looks))
    _legend(canvas, cells[len(panels) :], legend)
    return canvas


def _marks(table):
    """Return the footnote marks by series and the text by mark."""
    footnotes = table[table["role"] == "footnote"]
    texts = {text: FOOTNOTES[i] for i, text in enumerate(footnotes["note"].unique())}
    return {row.series: texts[row.note] for row in footnotes.itertuples()}


def _legend_columns(handles):
    longest = max((len(handle.get_label()) for handle in handles), default=0) + 7
    return max(1, min(len(handles), int(WIDTH * LETTERS_PER_INCH / longest)))


def _legend(canvas, spare, legend):
    """Put the shared legend into an empty cell of the grid, else below the panels."""
    for ax in spare:
        ax.axis("off")
    if len(spare):
        legend["title"] = "\n".join(fill(line, 40) for line in legend["title"].splitlines())
        drawn = spare[-1].legend(**legend, loc="center left")
    else:
        drawn = canvas.legend(**legend, loc="outside lower center")
    drawn.set_alignment("left")


def _panel(ax, letter, panel, marks, looks):
    data = marks[marks["role"] == "data"]
    ax.set_title(f"({letter}) {panel.get('title', '')}")
    _axes(ax, panel)
    DRAWERS[panel["kind"]](ax, panel, data, looks)
    _references(ax, marks)
    if panel["kind"] in REGRETS:  # regret is not negative, whatever a t interval says
        ax.set_ylim(bottom=0.0 if ax.get_yscale() != "log" else None)
    _ticks(ax)
    if data["y"].notna().sum() == 0:
        ax.text(0.5, 0.5, "no data", transform=ax.transAxes, ha="center", color=WARNING)
    _notes(ax, marks[marks["role"] == "note"], looks)


def _axes(ax, panel):
    """Set labels and scales; bars lie, so that their x is the panel's y."""
    words = AXES[panel["kind"]]
    labels = [panel.get(key, getattr(words, key)) for key in ("xlabel", "ylabel")]
    scales = [panel.get(key, getattr(words, key)) for key in ("x_scale", "scale")]
    if _is_bars(panel):
        ax.set(xlabel=labels[1], xscale=scales[1])
        return
    ax.set(xlabel=labels[0], ylabel=labels[1], xscale=scales[0])
    ax.set_yscale(scales[1], **({"linthresh": 1.0} if scales[1] == "symlog" else {}))


def _ticks(ax):
    """Label 1, 2 and 5 of each decade on short logarithmic axes, and no minor ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        if axis.get_scale() == "log":
            axis.set_minor_formatter(NullFormatter())
            if high < 50 * low:
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
        ax.plot(
            marks["x"], marks["y"], markevery=(i * every // 7 % every, every), **looks.line(series)
        )
        if marks["low"].notna().any():
            ax.fill_between(
                marks["x"],
                marks["low"],
                marks["high"],
                color=looks.colour(series),
                alpha=0.18,
                lw=0,
            )


def _lines(ax, panel, data, looks):
    for series, marks in _series(data):
        ax.plot(marks["x"], marks["y"], **looks.line(series))


def _whiskers(marks):
    """Return lengths of whiskers below and above, none where an end is unknown."""
    return np.nan_to_num([marks["y"] - marks["low"], marks["high"] - marks["y"]]).clip(min=0)


def _swept(ax, panel, data, looks):
    if _is_bars(panel):
        _bars(ax, panel, data, looks)
        return
    values = np.unique(data["x"].dropna())
    gap = np.diff(values).min() if len(values) > 1 else 1.0
    count = max(data["series"].nunique(), 1)
    for i, (series, marks) in enumerate(_series(data)):
        look = looks.line(series)
        x = marks["x"]
        if panel["kind"] == "coverage":  # many shares are 1: side by side, and no lines
            x = x + gap * 0.75 * ((i + 0.5) / count - 0.5)
            look["linestyle"] = "none"
        ax.errorbar(x, marks["y"], _whiskers(marks), elinewidth=0.8, capsize=1.5, **look)
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    ax.xaxis.set(
        major_locator=FixedLocator(values),
        minor_locator=NullLocator(),
        major_formatter=StrMethodFormatter("{x:g}"),
    )


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
        ax.annotate(f" {mark.y:.2g}", (end, place), va="center", fontsize=6)
    names = {i: looks.name(cell[1]) for i, cell in enumerate(cells) if not isinstance(cell, str)}
    ax.set_yticks(list(names), list(names.values()))
    ax.set_ylim(len(cells) - 0.4, -0.6)
    ax.margins(x=0.2)
    ax.grid(visible=False, axis="y")


def _scatter(ax, panel, data, looks):
    for series, marks in _series(data):
        look = {**looks.line(series), "linewidth": 0.6}
        ax.errorbar(marks["x"], marks["y"], _whiskers(marks), elinewidth=0.8, capsize=1.5, **look)


def _regions(ax, panel, data, looks):
    """Fill the regions, the largest first."""
    found = sorted(_series(data), key=lambda item: -item[1]["inside"].sum())
    for series, marks in found:
        grid = marks.pivot(index="y", columns="x", values="inside")
        where = grid.columns.to_numpy(), grid.index.to_numpy(), grid.to_numpy()
        colour = looks.colour(series)
        ax.contourf(*where, levels=[0.5, 1.5], colors=[colour], alpha=0.3)
        ax.contour(*where, levels=[0.5], colors=[colour], linestyles=[looks.dash(series)])
    ax.set_aspect("equal")
    ax.grid(visible=False)


DRAWERS = {
    "regret": _curves,
    "time_per_round": _curves,
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
    for _, line in marks[marks["role"] == "slope"].groupby(["series", "note"], sort=False):
        ax.plot(line["x"], line["y"], **grey)
        _label(ax, line["note"].iloc[0], line["x"].iloc[0], line["y"].iloc[0])
    for mark in marks[marks["role"].isin(["point", "truth"])].itertuples():
        ax.plot(mark.x, mark.y, "*", color="0.1", ms=7, zorder=5)
        _label(ax, mark.note, mark.x, mark.y)
    for mark in marks[marks["role"] == "ball"].itertuples():
        angle = np.linspace(0, 2 * np.pi, 361)
        ax.plot(mark.x * np.cos(angle), mark.x * np.sin(angle), **grey)
        ax.annotate(mark.note, (0.0, mark.x), (0, 3), textcoords="offset points", ha="center")


def _label(ax, text, x, y):
    """Write beside a point, on its side away from the nearer edge of the panel."""
    right = ax.transLimits.transform(ax.transScale.transform((x, y)))[0] > 0.5
    side = {"ha": "right"} if right else {"ha": "left"}
    offset = (-6 if right else 6, 0)
    ax.annotate(text, (x, y), offset, textcoords="offset points", **side, **SMALL)


def _notes(ax, notes, looks):
    """Write below the panel which cells are missing or incomplete."""
    found = {}
    for note in notes.itertuples():
        where = f" at {note.setting}" if notes["setting"].nunique() > 1 else ""
        word, _, detail = note.note.partition(": ")
        found.setdefault(word, []).append(
            looks.name(note.series) + where + (f" ({detail})" if detail else "")
        )
    width = ax.get_position().width * WIDTH * LETTERS_PER_INCH
    lines = [fill(f"{word}: {', '.join(items)}", int(width)) for word, items in found.items()]
    if lines:
        ax.annotate(
            "\n".join(lines),
            (0, 0),
            (0, -30),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=6,
            color=WARNING,
        )


def _handles(panels, table, looks):
    """Return one legend entry per series, with its remarks, in the order of the table.

    Bars carry their names themselves.
    """
    from matplotlib.lines import Line2D

    letters = [a for a, p in zip(ascii_lowercase, panels, strict=False) if not _is_bars(p)]
    if len(panels) > 1:
        table = table[table["panel"].isin(letters)]
    remarks = table[table["role"] == "remark"]
    handles = []
    for series in table.loc[table["role"].isin(["data", "note"]), "series"].unique():
        texts = remarks.loc[remarks["series"] == series, "note"].unique()
        label = fill(", ".join([looks.name(series), *texts]), 40)
        handles.append(Line2D([], [], label=label, **looks.line(series)))
    return handles


def _words(panels, table, paper):
    """Return what bands and whiskers are and how many trials are behind them, and footnotes."""
    found = []
    kinds = dict(zip(ascii_lowercase, (panel["kind"] for panel in panels), strict=False))
    for kind in dict.fromkeys(kinds.values()):
        letters = [letter for letter in kinds if kinds[letter] == kind]
        data = table[table["panel"].isin(letters) & (table["role"] == "data")]
        counts = {name: _range(data.get(name)) for name in ("n", "time_n")}
        if AXES[kind].words and counts["n"]:
            found.append(AXES[kind].words.format(level=f"{100 * paper['band']:g} %", **counts))
    footnotes = table.loc[table["role"] == "footnote", "note"].unique()
    return found + [f"{mark} {text}" for mark, text in zip(FOOTNOTES, footnotes, strict=False)]


def _range(counts):
    """Return ``10`` or ``10–100``; empty without counts."""
    counts = [] if counts is None else counts.dropna()
    if not len(counts):
        return ""
    low, high = min(counts), max(counts)
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
