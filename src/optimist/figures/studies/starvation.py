"""Figure 2 of the BKB paper: the variances of approximate posteriors, near data and far away."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge, MinLen

from optimist.core.errors import ConfigError, unknown_name
from optimist.core.keys import Count, Keys, Positive
from optimist.experiments.cell import Cell
from optimist.figures import artists as drawing
from optimist.figures.base import Axes, Named, Panel, PanelKeys, Paper, require
from optimist.figures.rows import Tables, missing, rows
from optimist.figures.studies.base import (
    TRIAL_COLUMNS,
    Study,
    StudyFacts,
)
from optimist.figures.studies.starvation_posteriors import (
    OVER_TRIALS,
    facts,
    methods,
    place,
    posteriors,
    statistics,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style


# Styles of the function and of the inducing points.
FUNCTION = {"color": "0.1", "zorder": 4, "lw": 0.8}
INDUCING = {"color": "0.1", "zorder": 4, "marker": "|", "ls": "", "ms": 5}


class Starvation(Study):
    """Posteriors of a function with observations on half of its domain."""

    name = "starvation"

    class Section(Keys):
        lengthscales: Annotated[list[Positive], MinLen(1)]  #: Lengthscales of the kernel.
        rounds: Annotated[list[Count], MinLen(1)]  #: Numbers of observations.
        grid: Annotated[int, Ge(3)]  #: Points of the domain.
        deviation: Positive  #: Standard deviation of the noise.
        q_bars: Annotated[list[Positive], MinLen(1)]  #: q-bars of BKB.
        inducing: Count  #: Inducing points of SoR and DTC.
        #: Numbers of random features of RFF.
        features: Annotated[list[Annotated[int, Ge(2)]], MinLen(1)]
        trials: Count  #: Draws of the function and of the noise.

    tables: ClassVar = {
        "starvation": "parquet",
        "starvation_trials": "csv",
        "starvation_facts": "csv",
    }
    facts = ("starvation_facts",)

    def check(self, paper: dict[str, Any]) -> None:
        """Refuse rounds that do not increase."""
        rounds = self.section["rounds"]
        if sorted(set(rounds)) != rounds:
            raise ConfigError(f"starvation.rounds is {rounds}; allowed: increasing numbers")

    def about(self) -> set[str]:
        """Return the subjects of facts, ``bkb_5/40/0.1``, and methods and settings of trials."""
        names, section = methods(self.section), self.section
        settings = {place(t, ell) for t in section["rounds"] for ell in section["lengthscales"]}
        return {*names, *settings, *(f"{name}/{setting}" for name in names for setting in settings)}

    def tabulate(
        self, cells: Sequence[Cell], caps: Mapping[str, Any], data_dir: str | Path | None
    ) -> "dict[str, pd.DataFrame]":
        """Return the curves of trial 0, statistics of all trials, and both as facts."""
        import pandas as pd

        rows, curves = [], []
        for lengthscale in self.section["lengthscales"]:
            for trial in self.trials(caps):
                found = posteriors(self.section, lengthscale, trial)
                if trial == 0:
                    curves.append(found.assign(lengthscale=lengthscale))
                of_trial = statistics(found).assign(trial=trial, status="ok")
                settings = [place(t, lengthscale) for t in of_trial["round"]]
                rows.append(of_trial.assign(setting=settings))
        trials = pd.concat(rows, ignore_index=True)[[*TRIAL_COLUMNS, *OVER_TRIALS]]
        return {
            "starvation": pd.concat(curves, ignore_index=True),
            "starvation_trials": trials,
            "starvation_facts": facts(trials),
        }


class StarvationPanel(Panel):
    """A posterior: its mean with a band of three standard deviations.

    Role ``function`` is f, ``inducing`` the inducing points, ``corner`` the size of the sketch.
    """

    class Entry(PanelKeys, Named):
        method: str  #: Method: exact, dtc, sor, bkb_<q-bar> or rff_<features>.
        round: Count  #: Number of observations.
        lengthscale: float  #: Lengthscale of the kernel.

    tables = ("starvation",)
    axes = Axes("x", "f(x)")
    roles = ("function", "inducing", "corner")
    words = "line: mean, band: three standard deviations"

    def check(self, paper: Paper) -> None:
        """Refuse a paper without the study, and a posterior that the study lacks."""
        require("starvation", self.spec, paper)
        known = methods(paper["studies"]["starvation"])
        if self.spec["method"] not in known:
            raise unknown_name("method", self.spec["method"], known)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the posterior, the function, the inducing points and the size of the sketch."""
        found = self._posterior(tables)
        if found.empty:
            yield missing(self.spec["label"])
            return
        x, y, low, high, f = (found[c].to_numpy(float) for c in ("x", "mean", "low", "high", "f"))
        yield rows("data", series=self.spec["label"], x=x, y=y, low=low, high=high)
        yield rows("function", x=x, y=f, note="f")
        inducing = x[found["inducing"].to_numpy(bool)]
        if len(inducing):
            yield rows("inducing", x=inducing, y=np.full(len(inducing), 0.03))
        about = found.iloc[0]
        size = f"m = {about['size']:.0f}, " if about["size"] else ""
        yield rows("corner", note=f"{size}d_eff = {about['dimension']:.1f}")

    def _posterior(self, tables: Tables) -> "pd.DataFrame":
        table = tables.frame("starvation", ("method", "round", "lengthscale"))
        return table[
            (table["method"] == self.spec["method"])
            & (table["round"] == self.spec["round"])
            & np.isclose(table["lengthscale"].astype(float), self.spec["lengthscale"])
        ]

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Draw the band, the function, and ticks at the inducing points."""
        drawing.curves(canvas, artists, style)
        drawing.below_title(canvas, artists)
        function, inducing = (drawing.of_role(artists, role) for role in ("function", "inducing"))
        if len(function):  # drawing nothing would still disturb the layout
            canvas.plot(function["x"], function["y"], **FUNCTION)
        if len(inducing):
            place = {"transform": canvas.get_xaxis_transform()}
            canvas.plot(inducing["x"], inducing["y"], **INDUCING, **place)

    def further_handles(self, artists: "pd.DataFrame") -> list[Any]:
        """Return the legend entries of the function and of the inducing points."""
        from matplotlib.lines import Line2D

        entries = [
            ("function", "the function f", FUNCTION),
            ("inducing", "inducing points", INDUCING),
        ]
        return [
            Line2D([], [], label=label, **keywords)
            for role, label, keywords in entries
            if (artists["role"] == role).any()
        ]


class StarvationTable(StudyFacts):
    """All facts of the study."""

    tables = ("starvation_facts",)
    prefix = "starvation"
    meanings: ClassVar = {
        "setting": "posterior/observations/lengthscale",
        "ratio": "variance over the exact one on [0.6, 1], median",
        "inside": "share of the domain where the function is within three deviations, median",
        "size": "inducing points or features, median",
        "rank": "rank of their kernel matrix, median",
        "lowest": "smallest ratio of a variance to the exact one on the whole domain",
        "highest": "largest such ratio",
    }
