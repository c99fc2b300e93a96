"""Kinds of panels that show a curve for each algorithm in one setting.

The x axis shows the round. The kind determines what the y axis shows:

``regret``           mean regret (band: the paper's interval)
``median_regret``    median regret (band: quartiles)
``relative_regret``  mean regret (band: the paper's interval), divided by that of ``base``
``elapsed``          total seconds so far, median over trials
``time_per_round``   seconds per round, median over trials
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.figures.base import OF_LANE, Axes, OneSetting
from optimist.figures.rows import Tables, display_name, estimates, notes, rows

if TYPE_CHECKING:
    import pandas as pd

BINS = 25


class Curves(OneSetting):
    """Base class of panels with a curve for each algorithm, in one setting and one lane."""

    curves = True

    @abstractmethod
    def curve(self, tables: Tables, algorithm: str) -> dict[str, Any]:
        """Return x, y and the other columns of an algorithm's curve."""

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the curve of each algorithm, preceded by notes on its trials."""
        setting, table = self.setting, OF_LANE[self.lanes[0]]
        for algorithm in self.algorithms:
            yield from notes(setting, algorithm, tables.trials(table, setting, algorithm))
            yield rows("data", setting=setting, series=algorithm, **self.curve(tables, algorithm))


class Regret(Curves):
    """Mean regret of algorithms in one setting."""

    lanes = ("regret",)
    axes = Axes("round", "regret")
    words = "{band}: {interval} of the mean, n = {n}"
    of_means = True
    not_negative = True
    # Columns of the table of curves: the line, and the lower and upper ends of its band.
    shown: ClassVar[tuple[str, str, str]] = ("mean", "low", "high")

    def curve(self, tables: Tables, algorithm: str) -> dict[str, Any]:
        """Return x, y, low, high and n of an algorithm's curve."""
        curve = tables.cell("curves", self.setting, algorithm).sort_values("round")
        names, columns = ("x", "y", "low", "high", "n"), ("round", *self.shown, "trials")
        return {name: curve[c].to_numpy() for name, c in zip(names, columns, strict=True)}

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the curves, and a line at the end of Phase I if the setting has initial points."""
        yield from super().rows(tables)
        parameters = tables.paper.setting(self.setting).parameters
        if parameters.get("initial") is not None:
            yield rows("phase", x=parameters["initial"], note="end of Phase I")


class MedianRegret(Regret):
    """Median regret of algorithms in one setting."""

    words = "line: median, {band}: quartiles, n = {n}"
    of_means = False
    shown = ("median", "lower", "upper")


class RelativeRegret(Regret):
    """Mean regret of algorithms in one setting, divided by that of a base algorithm."""

    base: str  #: Label of the algorithm whose mean regret is the divisor.

    axes = Axes("round", "")
    words = "{band}: {interval} of the mean, over that of the base, n = {n}"

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Cells of the algorithms shown and of the base algorithm."""
        return list(product([self.setting], [*self.algorithms, self.base]))

    def labelled(self, names: Mapping[str, str]) -> Axes:
        """Return the labels and scales; the default label of the y axis names the base."""
        label = self.ylabel
        if label is None:
            label = f"regret / regret of {display_name(self.base, names)}"
        return replace(super().labelled(names), ylabel=label)

    def curve(self, tables: Tables, algorithm: str) -> dict[str, Any]:
        """Return an algorithm's curve, divided by the base's."""
        base = tables.cell("curves", self.setting, self.base)
        curve = super().curve(tables, algorithm)
        unit = base.set_index("round")["mean"].reindex(curve["x"]).to_numpy()
        return curve | {name: curve[name] / unit for name in ("y", "low", "high")}

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield notes on the trials of the base, then the curves."""
        trials = tables.trials("finals", self.setting, self.base)
        yield from notes(self.setting, self.base, trials)
        yield from super().rows(tables)


class Elapsed(Curves):
    """Total time of select and update so far, in seconds."""

    lanes = ("timing",)
    axes = Axes("round", "seconds so far", scale="log")
    words = "time: median of n = {n}"

    def curve(self, tables: Tables, algorithm: str) -> dict[str, Any]:
        """Return x, y and n of an algorithm's curve."""
        runs = tables.timed(self.setting, algorithm)
        totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
        medians = totals.median(axis=1).to_numpy()
        return {"x": totals.index.to_numpy(), "y": medians, "n": totals.shape[1]}

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the curves, and footnotes on algorithms timed in a replay."""
        yield from super().rows(tables)
        yield from estimates(self.algorithms, [self.setting], tables)


class TimePerRound(Curves):
    """Time of select and update per round, in seconds."""

    lanes = ("timing",)
    axes = Axes("round", "seconds per round", "log", "log")
    words = "time: median of n = {n}"

    def curve(self, tables: Tables, algorithm: str) -> dict[str, Any]:
        """Return x, y and n of an algorithm's curve."""
        runs = tables.timed(self.setting, algorithm)
        t, seconds = per_round(runs)
        return {"x": t, "y": seconds, "n": runs["trial"].nunique()}


def per_round(runs: "pd.DataFrame") -> tuple[np.ndarray, np.ndarray]:
    """Return rounds and, near each of them, a cell's time per round in seconds.

    The recorded rounds are grouped into about 25 steps of geometrically increasing length. The time
    per round in a step is the median over trials; the round returned for it is the geometric mean
    of its ends. Round 1 is left out because it starts with cold caches.

    Parameters
    ----------
    runs : DataFrame
        Timed trials of one length, with the columns trial, round and seconds (cumulative).
    """
    totals = runs.pivot(index="round", columns="trial", values="seconds").dropna()
    rounds = totals.index.to_numpy(float)
    if len(rounds) < 2:
        return np.empty(0), np.empty(0)
    steps = np.searchsorted(rounds, np.geomspace(rounds[0], rounds[-1] * (1 - 1e-9), BINS + 1))
    steps = np.unique(steps)
    rounds, seconds = rounds[steps], totals.to_numpy()[steps]
    spent = np.diff(seconds, axis=0) / np.diff(rounds)[:, None]
    return np.sqrt(rounds[1:] * rounds[:-1]), np.median(spent, axis=1)
