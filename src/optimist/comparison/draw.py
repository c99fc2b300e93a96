"""Regret against the round, and against time, a row of two panels for each setting."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.errors import ConfigError
from optimist.files import write_atomically
from optimist.label import name_of
from optimist.panels.rows import display_name
from optimist.registry import names_file
from optimist.runs.loop import COMPLETE
from optimist.statistics import mean_intervals

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas
    from matplotlib.figure import Figure as Page

ENDINGS = ("pdf", "png", "svg")
SIZE = (7.2, 2.6)  # inches, of a row
LEGEND = 0.5  # inches


def plot(
    played: "pd.DataFrame",
    path: str | Path | None = None,
    *,
    level: float = 0.95,
    names: Mapping[str, str] | None = None,
) -> "Page":
    """Return a figure of mean regret with its interval, and write it if there is a ``path``.

    Parameters
    ----------
    played : DataFrame
        What `optimist.comparison.play.play` returned; incomplete trials are left out.
    path : path or None
        With the ending pdf, png or svg.
    level : float
        Of Student's t intervals, shown from two trials on.
    names : mapping or None
        What algorithms are called, by name.

    Raises
    ------
    ConfigError
        For another ending, or if no trial was completed.
    """
    import matplotlib.style
    from matplotlib.figure import Figure

    from optimist.panels.figure import STYLE

    if path is not None and Path(path).suffix.lstrip(".") not in ENDINGS:
        raise ConfigError(f"{path} has another ending; allowed: {', '.join(ENDINGS)}")
    complete = played[played["status"].isin(COMPLETE)]
    if complete.empty:
        raise ConfigError("no trial was completed; allowed: trials with the status ok")
    settings = list(complete.groupby(["paper", "setting"], sort=False))
    with matplotlib.style.context(STYLE, after_reset=True):
        size = SIZE[0], SIZE[1] * len(settings) + LEGEND
        page = Figure(figsize=size, layout="constrained")
        canvases = page.subplots(len(settings), 2, squeeze=False)
        looks = _looks([*dict.fromkeys(complete["algorithm"])], names or {})
        for (left, right), ((paper, setting), rows) in zip(canvases, settings, strict=True):
            left.set_title(setting if paper == "own" else f"{paper}/{setting}")
            right.set_title("the same, against time")
            _draw(left, right, rows, looks, level)
        trials = complete.groupby(["setting", "algorithm"])["trial"].nunique()
        n = " to ".join(map(str, sorted({trials.min(), trials.max()})))
        page.legend(
            *canvases[0][0].get_legend_handles_labels(),
            loc="outside lower left",
            ncols=3,
            title=f"band: {100 * level:g} % CI of the mean, n = {n}",
            alignment="left",
        )
        if path is not None:
            write_atomically(path, lambda p: page.savefig(p, format=Path(path).suffix[1:]))
    return page


def _looks(labels: list[str], names: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return keywords of the line of each algorithm: its own colour, and a marker."""
    import seaborn

    from optimist.panels.looks import DASHES, MARKERS

    shapes = [*MARKERS.values()]
    colours = [*seaborn.color_palette("colorblind").as_hex(), "#000000"]
    found = {}
    for i, label in enumerate(labels):
        found[label] = {
            "label": _called(label, names),
            "color": colours[i % len(colours)],
            "marker": shapes[i % len(shapes)],
            "linestyle": ("-", *DASHES)[i // len(colours) % 4],
        }
    return found


def _called(label: str, names: Mapping[str, str]) -> str:
    own = name_of(label)
    short = own.rpartition(":")[2] if names_file(own) else own
    return display_name(label, {own: names.get(own, short)})


def _draw(
    left: "Canvas",
    right: "Canvas",
    rows: "pd.DataFrame",
    looks: Mapping[str, dict[str, Any]],
    level: float,
) -> None:
    for label, found in rows.groupby("algorithm", sort=False):
        regrets = found.pivot(index="trial", columns="round", values="regret").dropna(axis=1)
        mean, low, high = mean_intervals(regrets.to_numpy(float), level)
        seconds = found.groupby("round")["seconds"].mean()[regrets.columns].to_numpy()
        look = {**looks[label], "markevery": 0.15}
        left.plot(regrets.columns, mean, **look)
        left.fill_between(
            regrets.columns, np.maximum(low, 0.0), high, color=look["color"], alpha=0.2, lw=0
        )
        right.plot(seconds, mean, **look)
    left.set(xlabel="round", ylabel="regret")
    right.set(xlabel="seconds so far (jobs may have disturbed each other)", xscale="log")
