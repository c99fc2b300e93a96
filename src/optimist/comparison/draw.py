"""Figures of comparisons: regret against the round and against time, and final regret.

Seaborn takes 0.7 s to import, so only the functions that draw import it.
"""

import textwrap
from collections.abc import Iterable, Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.config.load import load_style
from optimist.core import outputs
from optimist.core.errors import ConfigError, unknown_name
from optimist.core.files import write_atomically
from optimist.core.label import name_of
from optimist.core.registry import names_file, short_name
from optimist.experiments.loop import COMPLETE
from optimist.figures.rows import display_name
from optimist.figures.style import MARKERS
from optimist.numerics.statistics import mean_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas
    from matplotlib.figure import Figure as Page

ENDINGS = ("pdf", "png", "svg")
WIDTH = 7.2  # width in inches: two columns of a journal page
ROW = 2.2  # minimum height, in inches, of a row of panels
BOX = 0.24  # inches per algorithm in the panel of final regrets
AROUND = 0.7  # inches for a row's title and x axis
LEGEND = 0.17  # inches per line of the legend
LINE = 34  # characters per line of text in a panel
DASHES = ("-", "--", ":", "-.")  # for the variants of a method
FAR = 20.0  # ratio of means above which a linear axis would hide the smaller mean
FARTHEST = 100.0  # the same for single values
LINEAR = {"value": "linear"}
FADED = 30  # number of trials above which points and lines are drawn fainter

Style = Mapping[str, Mapping[str, Any]]


def plot(
    played: "pd.DataFrame",
    path: str | Path | None = None,
    *,
    level: float = 0.95,
    names: Mapping[str, str] | None = None,
) -> "Page":
    """Draw the regret of the algorithms in each setting, and write the figure to a file.

    Each setting has a row of three panels: mean regret with its interval against the round, mean
    regret against time, and the final regret of every trial. In the last panel, a box shows the
    quartiles of each algorithm, and a line joins the regrets of all algorithms in the same trial.
    The algorithm with the smallest mean is at the top.

    Parameters
    ----------
    played : DataFrame
        The result of `optimist.comparison.play.play`; only complete trials are drawn.
    path : path or None
        File to write, with the extension pdf, png or svg; None to write no file.
    level : float
        Confidence level of the Student's t intervals, which need at least two trials.
    names : mapping or None
        Display names of algorithms, by algorithm name without options.

    Raises
    ------
    ConfigError
        If ``path`` has an unsupported extension, if ``names`` contains an unknown algorithm, or if
        no trial was completed.
    """
    import matplotlib.style
    from matplotlib.figure import Figure

    from optimist.figures.figure import STYLE

    if path is not None and Path(path).suffix.lstrip(".") not in ENDINGS:
        raise ConfigError(f"{path} has an unsupported extension; allowed: {', '.join(ENDINGS)}")
    complete = played[played["status"].isin(COMPLETE)]
    if complete.empty:
        raise ConfigError("no trial was completed, so there is nothing to draw")
    left_out = (name.rpartition("/")[2] for name in played.attrs.get("errors", ()))
    allowed = {*map(name_of, (*played["algorithm"], *left_out))}
    for name in names or ():
        if name not in allowed:
            raise unknown_name("names", name, allowed)
    settings = list(complete.groupby(["paper", "setting"], sort=False))
    style = _style([*dict.fromkeys(complete["algorithm"])], names or {})
    beside = "" if played.attrs.get("processes") == 1 else ", with other processes running"
    row = max(ROW, AROUND + BOX * len(style))
    height = row * len(settings) + LEGEND * (2 + len(style) // 3)
    with matplotlib.style.context(STYLE, after_reset=True):
        page = Figure(figsize=(WIDTH, height), layout="constrained")
        canvases = page.subplots(len(settings), 3, squeeze=False)
        for row_of, ((paper, setting), rows) in zip(canvases, settings, strict=True):
            row_of[0].set_title(setting if paper == "own" else f"{paper}/{setting}")
            _draw_curves(row_of[0], row_of[1], rows, style, level, beside)
            of_setting = (played["paper"] == paper) & (played["setting"] == setting)
            lost = played[of_setting & ~played["status"].isin(COMPLETE)]
            failed = lost.groupby("algorithm")["trial"].nunique().to_dict()
            _draw_ends(row_of[2], rows, style, failed)
        _draw_legend(page, canvases[0][0], complete, level)
        if path is not None:
            ending = Path(path).suffix[1:]
            marks = outputs.metadata(ending)
            write_atomically(path, lambda p: page.savefig(p, format=ending, metadata=marks))
    return page


def _style(labels: list[str], names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the keyword arguments with which each algorithm's line is drawn.

    A method has the same colour as in the papers' figures, or an unused colour if it does not
    appear there. Variants of a method differ in markers and dashes.
    """
    style, methods = load_style(), [*dict.fromkeys(map(name_of, labels))]
    colours = {name: style["methods"].get(name, {}).get("colour") for name in methods}
    free = cycle([c for c in style["palette"] if c not in colours.values()] or style["palette"])
    colours = {name: colour or next(free) for name, colour in colours.items()}
    called = short_names(methods) | dict(names)
    shapes, dashes = [*MARKERS.values()], {name: cycle(DASHES) for name in methods}
    return {
        label: {
            "label": display_name(label, called),
            "color": colours[name_of(label)],
            "marker": shapes[i % len(shapes)],
            "linestyle": next(dashes[name_of(label)]),
            "markevery": 0.15,
            "markersize": 3.5,
            "markeredgecolor": "white",
        }
        for i, label in enumerate(labels)
    }


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Map each label to one without a file name, unless two methods would then share a name."""
    names = {label: name_of(label) for label in labels}
    called = {
        name: name.rpartition(":")[2] if names_file(name) else name for name in names.values()
    }
    for longer in (short_name, str):
        twice = {name for name in called if [*called.values()].count(called[name]) > 1}
        called |= {name: longer(name) for name in twice}
    return {label: called[name] + label[len(name) :] for label, name in names.items()}


def _draw_curves(
    left: "Canvas",
    right: "Canvas",
    rows: "pd.DataFrame",
    style: Style,
    level: float,
    beside: str,
) -> None:
    """Draw mean regret against the round and against time, in rounds recorded by all trials."""
    from optimist.figures.figure import label_ticks

    shared = {}
    for label, trials in rows.groupby("algorithm", sort=False):
        sizes = trials.groupby("round")["trial"].transform("size")
        shared[label] = trials[sizes == trials["trial"].nunique()]
    _draw_by_round(left, shared, style, level)
    _draw_by_time(right, shared, style, beside)
    right.sharey(left)
    right.tick_params(labelleft=False)
    means = _ends(rows).mean()
    left.set_yscale(**_scale(means, means))
    label_ticks(right)


def _draw_by_round(
    canvas: "Canvas", shared: "Mapping[str, pd.DataFrame]", style: Style, level: float
) -> None:
    import seaborn

    def interval(values: "pd.Series") -> tuple[float, float]:
        _, low, high = mean_interval(values.to_numpy(float), level)
        return max(low, 0.0), high  # regret is never negative

    for label, trials in shared.items():
        seaborn.lineplot(
            trials,
            x="round",
            y="regret",
            errorbar=interval,
            err_kws={"alpha": 0.2, "linewidth": 0},
            legend=False,
            ax=canvas,
            **style[label],
        )
    canvas.set(xlabel="round", ylabel="regret")


def _draw_by_time(
    canvas: "Canvas", shared: "Mapping[str, pd.DataFrame]", style: Style, beside: str
) -> None:
    means = {
        label: trials.groupby("round")[["seconds", "regret"]].mean().dropna()
        for label, trials in shared.items()
    }
    # Trials from the table of a full run have no times.
    timed = {label: one for label, one in means.items() if not one.empty}
    untimed = [style[label]["label"] for label in means if label not in timed]
    longest = max((one["seconds"].max() for one in timed.values()), default=1.0)
    unit, in_a_second = ("ms", 1000.0) if longest < 1.0 else ("seconds", 1.0)
    for label, one in timed.items():
        canvas.plot(one["seconds"] * in_a_second, one["regret"], **style[label])
    if untimed:
        words = f"no times, because trials are from the full run: {', '.join(untimed)}"
        place = {"x": 0.03, "y": 0.97, "transform": canvas.transAxes, "ha": "left", "va": "top"}
        canvas.text(s=textwrap.fill(words, LINE), fontsize="x-small", **place)
    canvas.set(xlabel=f"time in {unit}{beside}", xscale="log")


def _ends(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table of final regrets, with a row per trial and a column per algorithm."""
    ends = rows.loc[rows.groupby(["algorithm", "trial"], sort=False)["round"].idxmax()]
    return ends.pivot(index="trial", columns="algorithm", values="regret").astype(float)


def _scale(drawn: "pd.Series", seen: "pd.Series", far: float = FAR) -> dict[str, Any]:
    """Return the scale of an axis with the values ``drawn``; it keeps the values ``seen`` apart.

    The scale is linear unless the largest value in ``seen`` is more than ``far`` times the smallest
    positive value.
    """
    positive = seen[seen > 0.0]
    if positive.empty or not seen.max() > far * positive.min():
        return LINEAR
    if (drawn > 0.0).all():
        return {"value": "log"}
    return {"value": "symlog", "linthresh": float(drawn[drawn > 0.0].min())}


def _draw_ends(
    canvas: "Canvas", rows: "pd.DataFrame", style: Style, failed: Mapping[str, int]
) -> None:
    """Draw the final regret of every trial, and a box for each algorithm.

    Algorithms are in the order of their ranks; those with ``failed`` trials are last.
    """
    import seaborn

    from optimist.figures.figure import label_ticks

    table = _ends(rows)
    means = table.mean()
    order = sorted(table, key=lambda label: (label in failed, means[label]))
    names = [
        style[label]["label"] + (f"\n{failed[label]} failed" if label in failed else "")
        for label in order
    ]
    faint = min(1.0, FADED / len(table))
    for _, regrets in table[order].iterrows():
        canvas.plot(regrets, range(len(order)), color="0.6", lw=0.4, alpha=0.6 * faint, zorder=1)
    seaborn.boxplot(
        table[order],
        orient="h",
        palette=[style[label]["color"] for label in order],
        saturation=1.0,
        boxprops={"alpha": 0.3},
        showfliers=False,
        showcaps=False,
        width=0.62,
        linewidth=0.7,
        linecolor="0.25",
        ax=canvas,
    )
    for place, label in enumerate(order):
        keywords = {"color": style[label]["color"], "marker": style[label]["marker"]}
        places = np.full(len(table), place)
        canvas.scatter(table[label], places, s=8, alpha=0.8 * faint, lw=0, zorder=3, **keywords)
    canvas.set_yticks(range(len(order)), names)
    canvas.grid(visible=False, axis="y")
    values = table.stack()
    scale = _scale(values, table.median())
    if scale == LINEAR:
        scale = _scale(values, values, FARTHEST)
    canvas.set_xscale(**scale)
    canvas.margins(x=0.08)
    canvas.set(xlabel="final regret of each trial", ylabel="")
    label_ticks(canvas)


def _draw_legend(page: "Page", canvas: "Canvas", complete: "pd.DataFrame", level: float) -> None:
    trials = complete.groupby(["setting", "algorithm"])["trial"].nunique()
    n = " to ".join(map(str, sorted({trials.min(), trials.max()})))
    page.legend(
        *canvas.get_legend_handles_labels(),
        loc="outside lower left",
        ncols=3,
        title=f"band: {100 * level:g} % CI of the mean, n = {n}; box: quartiles",
        alignment="left",
    )
