"""Kinds of panels that show one marker or bar per cell.

The key ``over`` names the parameter on the x axis; without it, the panel shows bars. The kind
determines what the y axis shows:

``final_regret``         mean final regret (low, high: the paper's interval)
``final_median_regret``  median final regret (low, high: quartiles)
``time``                 median seconds per trial (low, high: fastest and slowest trial)
``coverage``             share of trials whose confidence set always contained the truth
``counter``              mean of the diagnostic ``column`` (low, high: smallest and largest value)

The kind ``tradeoff`` shows the median seconds per trial on the x axis, and the mean final regret on
the y axis (low, high: the paper's interval). The column ``time_n`` counts the timed trials.
"""

from abc import abstractmethod
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.core.errors import ConfigError
from optimist.experiments.paper import Paper
from optimist.figures import artists as drawing
from optimist.figures.base import OF_LANE, Axes, SomeSettings
from optimist.figures.rows import Tables, complete, estimates, fault, mean, missing, notes, rows
from optimist.numerics.statistics import proportion_interval

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

MOST_TICKS = 6


class Sweep(SomeSettings):
    """Base class of panels that show one number per cell, against a parameter or as bars."""

    over: str | None = None  #: Parameter on the x axis; without it, the panel shows bars.

    # Width over which to spread the whiskers at one x, as a fraction of the smallest gap between
    # values of x.
    share: ClassVar[float] = 0.15

    @abstractmethod
    def statistic(self, values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
        """Return the number to show, and the lower and upper ends of its whisker."""

    @property
    def measured(self) -> str:
        """Column that contains the number to show."""
        return "regret"

    @property
    def is_bars(self) -> bool:
        """Whether the panel shows bars, that is, whether ``over`` is absent."""
        return self.over is None

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if a setting lacks the parameter or its value is not a number."""
        for setting in self.settings:
            self._swept(setting, paper)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield an artist for each cell, preceded by notes on its trials."""
        for algorithm, setting in product(self.algorithms, self.settings):
            trials = tables.trials(OF_LANE[self.lanes[0]], setting, algorithm)
            values = complete(trials).reindex(columns=[self.measured])[self.measured].dropna()
            yield from notes(setting, algorithm, trials)
            if len(values):
                y, low, high = self.statistic(values, tables.paper)
                x = self._swept(setting, tables.paper)
                where: dict[str, Any] = {"setting": setting, "series": algorithm, "x": x}
                yield rows("data", y=y, low=low, high=high, n=len(values), **where)
            elif not fault(trials):  # there are trials, but they did not record this column
                yield missing(algorithm, setting)

    def _swept(self, setting: str, paper: Paper) -> float:
        """Return the value of the parameter ``over`` in a setting, or NaN if the panel has bars."""
        if self.over is None:
            return np.nan
        parameters = paper.setting(setting).options
        if self.over not in parameters:
            raise ConfigError(
                f"setting {setting!r} has no parameter {self.over!r} to plot against; "
                f"allowed: {', '.join(sorted(parameters))}"
            )
        value = parameters[self.over]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(
                f"{self.over} is {value!r} in setting {setting!r}; allowed: a parameter "
                "whose value is a number"
            )
        return float(value)

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Draw bars, or lines with whiskers shifted so that they do not overlap."""
        if self.is_bars:
            drawing.bars(canvas, self.algorithms, self.settings, artists, style)
            return
        curves = list(drawing.by_series(artists))
        values = np.unique(drawing.of_role(artists, "data")["x"].dropna())
        for i, (series, points) in enumerate(curves):
            x = _beside(canvas, points["x"], values, self.share * ((i + 0.5) / len(curves) - 0.5))
            drawing.with_whiskers(canvas, x, points, style.line(series, self.joined))
        # On a logarithmic axis with many values, only decades are labelled.
        if len(values) <= MOST_TICKS or canvas.get_xscale() != "log":
            canvas.set_xticks(values)
            canvas.set_xticks([], minor=True)
            canvas.xaxis.set_major_formatter("{x:g}")


class FinalRegret(Sweep):
    """Mean final regret."""

    lanes = ("regret",)
    axes = Axes("", "final regret")
    words = "whisker: {interval} of the mean, n = {n}"
    of_means = True
    not_negative = True

    def statistic(self, values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
        """Return the mean and its interval."""
        return mean(values, paper)


class FinalMedianRegret(Sweep):
    """Median final regret."""

    lanes = ("regret",)
    axes = Axes("", "final regret")
    words = "median, whisker: quartiles of n = {n}"
    not_negative = True

    def statistic(self, values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
        """Return the median and the quartiles."""
        low, middle, high = np.quantile(values.to_numpy(float), [0.25, 0.5, 0.75])
        return middle, low, high


class Time(Sweep):
    """Median seconds per trial."""

    lanes = ("timing",)
    axes = Axes("", "seconds per trial", scale="log")
    words = "time: median, whisker: fastest to slowest of n = {n}"
    measured = "seconds"

    def statistic(self, values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
        """Return the median, minimum and maximum."""
        return values.median(), values.min(), values.max()

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield an artist for each cell, and footnotes on algorithms timed in a replay."""
        yield from super().rows(tables)
        yield from estimates(self.algorithms, self.settings, tables)


class Coverage(Sweep):
    """Share of trials whose confidence set contained the truth in all rounds."""

    lanes = ("regret",)
    axes = Axes("", "share of trials")
    words = "whisker: {level} interval of the share (Clopper-Pearson), n = {n}"
    measured = "covered"
    share = 0.5
    joined = False

    def statistic(self, values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
        """Return the share and its interval."""
        return proportion_interval(int(values.astype(bool).sum()), len(values), paper.band)

    def limit(self, canvas: "Canvas", data: "pd.DataFrame") -> None:
        """Let the y axis extend from 0 to 1."""
        canvas.set_ylim(-0.05, 1.05)


class Counter(Sweep):
    """Mean of a diagnostic column."""

    column: str  #: Diagnostic column of the results.

    lanes = ("regret",)
    axes = Axes("", "rounds")
    words = "mean, whisker: smallest to largest of n = {n}"
    not_negative = True

    @property
    def measured(self) -> str:
        """The diagnostic column."""
        return self.column

    def statistic(self, values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
        """Return the mean, minimum and maximum."""
        return values.mean(), values.min(), values.max()


class Tradeoff(SomeSettings):
    """Mean final regret against time, with a marker for each cell."""

    lanes = ("regret", "timing")
    axes = Axes("seconds per trial", "final regret", "log", "log")
    columns = ("time_n",)
    words = "whisker: {interval} of the mean regret, n = {n}; time: median of n = {time_n}"
    of_means = True
    joined = False
    not_negative = True

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield an artist for each cell that has results in both lanes."""
        for algorithm, setting in product(self.algorithms, self.settings):
            finals = tables.trials("finals", setting, algorithm)
            times = tables.trials("times", setting, algorithm)
            yield from notes(setting, algorithm, finals, times)
            regrets, seconds = complete(finals)["regret"], complete(times)["seconds"]
            if len(regrets) and len(seconds):
                y, low, high = mean(regrets, tables.paper)
                artist = rows("data", setting=setting, series=algorithm, x=seconds.median(), y=y)
                yield artist.assign(low=low, high=high, n=len(regrets), time_n=len(seconds))

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        for series, points in drawing.by_series(artists):
            drawing.with_whiskers(canvas, points["x"], points, style.line(series, joined=False))


def _beside(canvas: "Canvas", x: Any, values: np.ndarray, share: float) -> Any:
    """Return x, shifted by a fraction (``share``) of the smallest gap between ``values``."""
    is_log = canvas.get_xscale() == "log"
    forward, back = (np.log, np.exp) if is_log else (np.asarray, np.asarray)
    gaps = np.diff(forward(values))
    return back(forward(x) + share * (gaps.min() if len(gaps) else 1.0))
