"""From a figure's table to a figure; nothing but layout is computed here.

An algorithm has one colour and one marker in every figure of a paper, by its place in ``names``;
its variants share them and differ in line style or hatch, by their place among the paper's cells.
"""

from dataclasses import dataclass
from pathlib import Path
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
WARNING = "#A00000"


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
    """

    def __init__(self, paper, colours):
        self.paper = paper
        self.colours = colours
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
        """Return what the legend calls a series."""
        return series if self._place(series)[0] is None else method_name(series, self.paper)


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

    looks = Looks(paper, matplotlib.rcParams["axes.prop_cycle"].by_key()["color"])
    panels = figure["panels"]
    columns = figure.get("columns", min(3, len(panels)))
    rows = -(-len(panels) // columns)
    size = WIDTH, figure.get("height", PANEL_HEIGHT) * rows + 0.9
    canvas = Figure(figsize=size, layout="constrained")
    cells = canvas.subplots(rows, columns, squeeze=False).ravel()
    for letter, panel, ax in zip("abcdefghijklmnop", panels, cells, strict=False):
        marks = table[table["panel"] == letter]
        _panel(ax, letter, panel, marks, looks)
        if figure.get("legend") == "panel":
            ax.legend(handles=_handles([panel], marks, looks))
    spare = cells[len(panels) :]
    for ax in spare:
        ax.axis("off")
    shared = [] if figure.get("legend") == "panel" else _handles(panels, table, looks)
    _legend(canvas, spare, shared, _words(panels, table, paper))
    canvas.suptitle(figure["title"])
    return canvas


def _panel(ax, letter, panel, marks, looks):
    words = AXES[panel["kind"]]
    data = marks[marks["role"] == "data"]
    DRAWERS[panel["kind"]](ax, panel, data, looks)
    ax.set_title(f"({letter}) {panel.get('title', '')}")
    _scale(ax, panel, words, data)
    _references(ax, marks, looks)
    if data["y"].notna().sum() == 0:
        ax.text(0.5, 0.5, "no data", transform=ax.transAxes, ha="center", color=WARNING)
    _notes(ax, marks[marks["role"] == "note"], looks)


def _scale(ax, panel, words, data):
    swap = _is_bars(panel)
    labels = [panel.get(key, getattr(words, key)) for key in ("xlabel", "ylabel")]
    scales = [panel.get(key, getattr(words, key)) for key in ("x_scale", "scale")]
    for axis, label, scale in zip("yx" if swap else "xy", labels, scales, strict=True):
        getattr(ax, f"set_{axis}label")(label)
        if not (swap and axis == "y"):
            linear = {"linthresh": 1.0} if scale == "symlog" else {}
            getattr(ax, f"set_{axis}scale")(scale, **linear)
    if "limits" in panel:
        (ax.set_xlim if swap else ax.set_ylim)(*panel["limits"])


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
                marks["x"], marks["low"], marks["high"], color=looks.colour(series), alpha=0.18, lw=0
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
    ax.set_xticks(values, [f"{value:g}" for value in values])
    ax.minorticks_off()


def _bars(ax, panel, data, looks):
    """Draw horizontal bars, grouped by setting; a missing cell leaves its place empty."""
    labels, settings = panel["algorithms"], panel["settings"]
    place = {}
    for i, setting in enumerate(settings):
        for j, label in enumerate(labels):
            place[setting, label] = i * (len(labels) + 1) + j
    for mark in data.itertuples():
        y = place[mark.setting, mark.series]
        look = {"color": looks.colour(mark.series), "hatch": looks.hatch(mark.series)}
        whisker = np.nan_to_num([[mark.y - mark.low], [mark.high - mark.y]]).clip(min=0)
        ax.barh(y, mark.y, 0.8, xerr=whisker, edgecolor="white", lw=0, ecolor="0.4", **look)
        ax.annotate(f" {mark.y:.2g}", (max(mark.y, mark.high), y), va="center", fontsize=6)
    one = len(settings) == 1
    names = [looks.name(label) for label in labels] if one else settings
    step = len(labels) + 1
    ticks = range(len(labels)) if one else [i * step + (step - 2) / 2 for i in range(len(settings))]
    ax.set_yticks(list(ticks), names)
    ax.set_ylim(max(place.values()) + 0.6, -0.6)
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
    **dict.fromkeys(SWEPT := ("final_regret", "time", "coverage", "counter"), _swept),
    "tradeoff": _scatter,
    "facts": _lines,
    "scaling": _lines,
    "regions": _regions,
}


def _references(ax, marks, looks):
    """Draw what the data are compared with, in grey and named on the panel."""
    grey = {"color": "0.45", "lw": 0.8, "ls": (0, (4, 2)), "zorder": 2}
    for mark in marks[marks["role"] == "line"].itertuples():
        ax.axhline(mark.y, **grey)
        _label(ax, mark.note, (0.02, mark.y), ax.get_yaxis_transform())
    for _, line in marks[marks["role"] == "slope"].groupby(["series", "note"], sort=False):
        ax.plot(line["x"], line["y"], **grey)
        _label(ax, line["note"].iloc[0], (line["x"].iloc[0], line["y"].iloc[0]), ax.transData)
    for mark in marks[marks["role"].isin(["point", "truth"])].itertuples():
        ax.plot(mark.x, mark.y, "*", color="0.1", ms=7, zorder=5)
        _label(ax, mark.note, (mark.x, mark.y), ax.transData)
    for mark in marks[marks["role"] == "ball"].itertuples():
        angle = np.linspace(0, 2 * np.pi, 361)
        ax.plot(mark.x * np.cos(angle), mark.x * np.sin(angle), **grey)
        _label(ax, mark.note, (0.0, -mark.x), ax.transData)


def _label(ax, text, place, transform):
    box = {"facecolor": "white", "alpha": 0.6, "pad": 0.3, "lw": 0}
    ax.annotate(
        text, place, (2, 2), xycoords=transform, textcoords="offset points", fontsize=6, bbox=box
    )


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
    """Return one legend entry per series, with its remarks, in the order of the table."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    bars = all(_is_bars(panel) for panel in panels)
    remarks = table[table["role"] == "remark"]
    handles = []
    for series in table.loc[table["role"].isin(["data", "note"]), "series"].unique():
        texts = remarks.loc[remarks["series"] == series, "note"].unique()
        label = fill(", ".join([looks.name(series), *texts]), 34)
        if bars:
            look = {"facecolor": looks.colour(series), "hatch": looks.hatch(series)}
            handles.append(Patch(edgecolor="white", lw=0, label=label, **look))
        else:
            handles.append(Line2D([], [], label=label, **looks.line(series)))
    return handles


def _words(panels, table, paper):
    """Return what bands and whiskers are and how many trials are behind them, by kind of panel."""
    found = {}
    for kind in dict.fromkeys(panel["kind"] for panel in panels):
        letters = [a for a, panel in zip("abcdefghijklmnop", panels, strict=False) if panel["kind"] == kind]
        data = table[table["panel"].isin(letters) & (table["role"] == "data")]
        counts = {name: _range(data.get(name)) for name in ("n", "time_n")}
        if AXES[kind].words and counts["n"]:
            found[kind] = AXES[kind].words.format(level=f"{100 * paper['band']:g} %", **counts)
    return list(found.values())


def _range(counts):
    """Return ``10`` or ``10–100``; empty without counts."""
    counts = [] if counts is None else counts.dropna()
    if not len(counts):
        return ""
    low, high = min(counts), max(counts)
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _legend(canvas, spare, handles, words):
    """Put the shared legend into an empty cell of the grid, else below the panels."""
    if len(spare):
        title = "\n".join(fill(text, 40) for text in words)
        legend = spare[-1].legend(handles=handles, loc="center left", title=title)
    else:
        longest = max((len(handle.get_label()) for handle in handles), default=1) + 7
        columns = max(1, min(len(handles), int(WIDTH * LETTERS_PER_INCH / longest)))
        legend = canvas.legend(
            handles=handles, loc="outside lower center", ncols=columns, title="\n".join(words)
        )
    legend.set_alignment("left")
