"""Figures of comparisons: regret against the round and against time, and final regret.

Seaborn, which draws the boxes, takes 0.7 s to import, so only their function imports it.
"""

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from optimist.config.load import load_style
from optimist.core import outputs
from optimist.core.errors import ConfigError, known_name
from optimist.core.files import write_atomically
from optimist.core.label import Label
from optimist.core.registry import names_file, short_name
from optimist.experiments.cell import OWN
from optimist.experiments.loop import COMPLETE
from optimist.experiments.paper import Paper
from optimist.figures.artists import curves
from optimist.figures.rows import TABLE_LEVEL, complete, rows
from optimist.figures.style import Style
from optimist.numerics.statistics import mean_intervals

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas
    from matplotlib.figure import Figure as Page

ENDINGS = ("pdf", "png", "svg")
WIDTH = 7.2  # width in inches: two columns of a journal page
ROW = 2.2  # minimum height, in inches, of a row of panels
BOX = 0.24  # inches per algorithm in the panel of final regrets
AROUND = 0.7  # inches for a row's title and x axis
LINE = 34  # characters per line of text in a panel
FAR = 20.0  # ratio of means above which a linear axis would hide the smaller mean
FARTHEST = 100.0  # the same for single values
LINEAR = {"value": "linear"}
FADED = 30  # number of trials above which points and lines are drawn fainter


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
    from matplotlib.lines import Line2D

    from optimist.figures import legend
    from optimist.figures.figure import STYLE, label_ticks

    if path is not None and Path(path).suffix.lstrip(".") not in ENDINGS:
        raise ConfigError(f"{path} has an unsupported extension; allowed: {', '.join(ENDINGS)}")
    drawn = complete(played)
    if drawn.empty:
        raise ConfigError("no trial was completed, so there is nothing to draw")
    left_out = (name.rpartition("/")[2] for name in played.attrs.get("errors", ()))
    allowed = {*map(Label.name_of, (*played["algorithm"], *left_out))}
    for name in names or ():
        known_name("names", name, allowed)
    settings = list(drawn.groupby(["paper", "setting"], sort=False))
    labels = [*dict.fromkeys(drawn["algorithm"])]
    style = _style(labels, names or {})
    beside = "" if played.attrs.get("processes") == 1 else ", with other processes running"
    with matplotlib.style.context(STYLE, after_reset=True):
        handles = [Line2D([], [], label=style.name(one), **style.line(one)) for one in labels]
        key = {"handles": handles, "title": _explanation(drawn, level)}
        height = max(ROW, AROUND + BOX * len(labels)) * len(settings) + legend.lay_out(key)
        page = Figure(figsize=(WIDTH, height), layout="constrained")
        canvases = page.subplots(len(settings), 3, squeeze=False)
        for row, ((paper, setting), trials) in zip(canvases, settings, strict=True):
            row[0].set_title(setting if paper == "own" else f"{paper}/{setting}")
            _draw_curves(row[0], row[1], trials, style, level, beside)
            of_setting = (played["paper"] == paper) & (played["setting"] == setting)
            lost = played[of_setting & ~played["status"].isin(COMPLETE)]
            failed = lost.groupby("algorithm")["trial"].nunique().to_dict()
            _draw_ends(row[2], trials, style, failed)
            for canvas in row:
                label_ticks(canvas)
        legend.place(page, None, key)
        if path is not None:
            ending = Path(path).suffix[1:]
            marks = outputs.metadata(ending)
            write_atomically(path, lambda p: page.savefig(p, format=ending, metadata=marks))
    return page


def _style(labels: list[str], names: Mapping[str, str]) -> Style:
    """Return the style of the papers' figures for the algorithms of a comparison."""
    short = short_names(map(Label.name_of, labels))
    named = {method: names.get(method, name) for method, name in short.items()}
    own = Paper(OWN, "", "", TABLE_LEVEL, named, {}, style=load_style())
    return Style(own, {}, labels)


def _explanation(drawn: "pd.DataFrame", level: float) -> str:
    trials = drawn.groupby(["setting", "algorithm"])["trial"].nunique()
    n = " to ".join(map(str, sorted({trials.min(), trials.max()})))
    return f"band: {100 * level:g} % CI of the mean, n = {n}; box: quartiles"


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Map each label to one without a file name, unless two methods would then share a name."""
    names = {label: Label.name_of(label) for label in labels}
    called = {
        name: name.rpartition(":")[2] if names_file(name) else name for name in names.values()
    }
    for longer in (short_name, str):
        twice = {name for name in called if [*called.values()].count(called[name]) > 1}
        called |= {name: longer(name) for name in twice}
    return {label: called[name] + label[len(name) :] for label, name in names.items()}


def _draw_curves(
    left: "Canvas", right: "Canvas", trials: "pd.DataFrame", style: Style, level: float, beside: str
) -> None:
    """Draw mean regret against the round and against time, in rounds recorded by all trials."""
    import pandas as pd

    artists = pd.concat(
        _curve(label, each, level) for label, each in trials.groupby("algorithm", sort=False)
    )
    curves(left, artists, style)
    left.set(xlabel="round", ylabel="regret")
    # Trials from the table of a full run have no times.
    timed = artists.dropna(subset="seconds")
    longest = timed["seconds"].max() if len(timed) else 1.0
    unit, in_a_second = ("ms", 1000.0) if longest < 1.0 else ("seconds", 1.0)
    right.set(xlabel=f"time in {unit}{beside}", xscale="log")
    curves(right, timed.assign(x=timed["seconds"] * in_a_second, low=np.nan), style)
    untimed = [style.name(label) for label in {*artists["series"]} - {*timed["series"]}]
    if untimed:
        words = f"no times, because trials are from the full run: {', '.join(sorted(untimed))}"
        place = {"x": 0.03, "y": 0.97, "transform": right.transAxes, "ha": "left", "va": "top"}
        right.text(s=textwrap.fill(words, LINE), fontsize="x-small", **place)
    right.sharey(left)
    right.tick_params(labelleft=False)
    means = _ends(trials).mean()
    left.set_yscale(**_scale(means, means))


def _curve(label: str, trials: "pd.DataFrame", level: float) -> "pd.DataFrame":
    """Return the artists of an algorithm's curve, with the mean time in the column seconds."""
    regrets = trials.pivot(index="trial", columns="round", values="regret").dropna(axis="columns")
    seconds = trials.groupby("round")["seconds"].mean()[regrets.columns].to_numpy()
    mean, low, high = mean_intervals(regrets, level)
    ends = {"low": low.clip(min=0.0), "high": high}  # regret is never negative
    return rows("data", series=label, x=regrets.columns, y=mean, seconds=seconds, **ends)


def _ends(trials: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table of final regrets, with a row per trial and a column per algorithm."""
    ends = trials.loc[trials.groupby(["algorithm", "trial"], sort=False)["round"].idxmax()]
    return ends.pivot(index="trial", columns="algorithm", values="regret").astype(float)


def _scale(drawn: "pd.Series", seen: "pd.Series", far: float = FAR) -> Mapping[str, str | float]:
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
    canvas: "Canvas", trials: "pd.DataFrame", style: Style, failed: Mapping[str, int]
) -> None:
    """Draw the final regret of every trial, and a box for each algorithm.

    Algorithms are in the order of their ranks; those with ``failed`` trials are last.
    """
    import seaborn

    table = _ends(trials)
    means = table.mean()
    order = sorted(table, key=lambda label: (label in failed, means[label]))
    faint = min(1.0, FADED / len(table))
    for _, regrets in table[order].iterrows():
        canvas.plot(regrets, range(len(order)), color="0.6", lw=0.4, alpha=0.6 * faint, zorder=1)
    seaborn.boxplot(
        table[order],
        orient="h",
        palette=[style.colour(label) for label in order],
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
        keywords = {"color": style.colour(label), "marker": style.marker(label)}
        places = np.full(len(table), place)
        canvas.scatter(table[label], places, s=8, alpha=0.8 * faint, lw=0, zorder=3, **keywords)
    lost = {label: f"\n{number} failed" for label, number in failed.items()}
    names = [style.name(label) + lost.get(label, "") for label in order]
    canvas.set_yticks(range(len(order)), names)
    canvas.grid(visible=False, axis="y")
    values = table.stack()
    scale = _scale(values, table.median())
    if scale == LINEAR:
        scale = _scale(values, values, FARTHEST)
    canvas.set_xscale(**scale)
    canvas.margins(x=0.08)
    canvas.set(xlabel="final regret of each trial", ylabel="")
