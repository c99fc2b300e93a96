"""Accuracy of BKB's sketch: comparison with the exact posterior on BKB's own history."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.core.errors import ConfigError
from optimist.core.label import name_of
from optimist.experiments.cell import Cell
from optimist.experiments.loop import COMPLETE
from optimist.figures.base import Axes, OneSetting, Panel, Paper, require
from optimist.figures.rows import Tables, over_trials, rows
from optimist.figures.studies.base import (
    CellKeys,
    Study,
    StudyFacts,
    fact_table,
    recorded,
    thinned,
    watch_trials,
    watched_notes,
)
from optimist.figures.studies.sketch_observer import COLUMNS, WORST, SketchObserver

if TYPE_CHECKING:
    import pandas as pd

# A median over this many recorded rounds gives the value at the end, or middle, of a trial.
WINDOW = 11
GROWING = ("inducing", "dimension", "distinct")
# The paper's example of an accuracy, and the subject of facts about its price.
EPSILON, PRICE = 0.5, "epsilon/0.5"


class Accuracy(Study):
    """Trials of BKB, compared with the exact posterior.

    See `SketchObserver.columns`.
    """

    name = "accuracy"
    Section = CellKeys
    tables: ClassVar = {"accuracy": "parquet", "accuracy_facts": "csv", "price": "csv"}
    facts = ("accuracy_facts", "price")

    def check(self, paper: dict[str, Any]) -> None:
        """Refuse algorithms other than BKB, changing sets of arms, and unknown settings."""
        for label in self.section["algorithms"]:
            if name_of(label) != "bkb":
                raise ConfigError(f"accuracy.algorithms has {label!r}; allowed: bkb[...]")
        for cell in self.cells(paper, ()):
            if "subset" in cell.spec.get("parameters", {}):
                raise ConfigError(f"accuracy.settings has {cell.setting!r}; allowed: fixed arms")

    def about(self) -> set[str]:
        """Return its settings with its algorithms, ``setting/algorithm``, and `PRICE`."""
        section = self.section
        cells = {f"{s}/{label}" for s in section["settings"] for label in section["algorithms"]}
        return {*cells, PRICE}

    def tabulate(
        self, cells: Sequence[Cell], caps: Mapping[str, Any], data_dir: str | Path | None
    ) -> "dict[str, pd.DataFrame]":
        """Return every trial at about sixty rounds, and the worst recorded values as facts."""
        frame = watch_trials(
            cells,
            self.trials(caps),
            SketchObserver,
            COLUMNS,
            rounds=caps["rounds"],
            data_dir=data_dir,
        )
        return {"accuracy": thinned(frame), "accuracy_facts": facts(frame), "price": price(EPSILON)}


def facts(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return, by cell, the worst of each column of `WORST` at the end of trials, and growth.

    growth_inducing, growth_dimension and growth_distinct are factors from the middle of a trial to
    its end, as medians over trials; growth_share is the first over the second. effective_alpha is
    the larger of ratio_high and 1 / ratio_low. The setting of a fact is ``setting/algorithm``. The
    facts of a cell with an incomplete trial are NaN, as they hold for all trials or not at all.
    """
    rows = []
    for (setting, algorithm), found in frame.groupby(["setting", "algorithm"], sort=False):
        values = _facts_of_cell(found)
        if not found["status"].isin(COMPLETE).all():
            values = dict.fromkeys(values, math.nan)
        rows += [(f"accuracy_{n}", f"{setting}/{algorithm}", float(v)) for n, v in values.items()]
    return fact_table(rows)


def price(epsilon: float) -> "pd.DataFrame":
    r"""Return the cost of an accuracy by the theorems' own formulas, as facts about `PRICE`.

    With $\alpha = \frac{1+\varepsilon}{1-\varepsilon}$ and beside the limit of $\varepsilon\to0$,
    where $\alpha = 1$: price_alpha; price_sketch, $\alpha/\varepsilon^2$, on the number of inducing
    points; price_round, its square, on the cost of a round; and price_regret, $\alpha^{3/2}$, on
    the bound of Theorem 4.1.
    """
    alpha = (1.0 + epsilon) / (1.0 - epsilon)
    sketch = alpha / epsilon**2
    values = {"alpha": alpha, "sketch": sketch, "round": sketch**2, "regret": alpha**1.5}
    return fact_table([(f"price_{name}", PRICE, value) for name, value in values.items()])


def _facts_of_cell(found):
    last = found.sort_values("round").groupby("trial").tail(1)
    values = {name: float(worst(last[name].to_numpy())) for name, worst in WORST.items()}
    values["effective_alpha"] = np.max([values["ratio_high"], 1.0 / values["ratio_low"]])
    trials = [trial for _, trial in found.groupby("trial")]
    grown = {name: np.array([growth(trial, name) for trial in trials]) for name in GROWING}
    grown["share"] = grown["inducing"] / grown["dimension"]
    return values | {f"growth_{name}": np.median(factors) for name, factors in grown.items()}


def growth(trial: "pd.DataFrame", column: str) -> float:
    """Return the ratio of a column at the end of a trial to its middle; NaN if too short."""
    middle = trial[trial["round"] <= 0.5 * trial["round"].max()]
    if len(middle) < WINDOW:
        return math.nan
    end, start = (part[column].tail(WINDOW).median() for part in (trial, middle))
    return float(end / start)


class AccuracyPanel(Panel):
    """A column of the study against the round, median over trials (low, high: its range)."""

    class Entry(OneSetting):
        column: str  #: Diagnostic column of the results.

    tables = ("accuracy",)
    axes = Axes("round", "", scale="log")
    words = "line: median, {band}: smallest to largest of n = {n}"

    def check(self, paper: Paper) -> None:
        """Refuse a paper without the study."""
        require("accuracy", self.spec, paper)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a curve for each algorithm, at about sixty rounds, as extremes move in steps."""
        from optimist.experiments.cell_trials import kept_rounds

        setting, column = self.spec["setting"], self.spec["column"]
        for algorithm in self.algorithms:
            found = tables.cell("accuracy", setting, algorithm)
            yield from watched_notes(found, algorithm, setting)
            known = recorded(found)
            if len(known):
                shown = known["round"].isin(kept_rounds(known["round"].unique()))
                curve = over_trials(known[shown], column)
                yield rows("data", setting=setting, series=algorithm, **curve)


class AccuracyTable(StudyFacts):
    """All facts of the study."""

    tables = ("accuracy_facts",)
    prefix = "accuracy"
    meanings: ClassVar = {
        "setting": "setting/algorithm",
        "ratio_low": "smallest ratio of a variance of the sketch to the exact one",
        "ratio_high": "largest such ratio",
        "within": "share of rounds in which all ratios were within a factor of three",
        "size_share": "inducing points over their bound in Theorem 3.1",
        "size_per_dimension": "inducing points over the effective dimension",
        "eigenvalue_low": "smallest eigenvalue of Corollary 4.2",
        "eigenvalue_high": "largest such eigenvalue",
        "radius_share": "squared radius over its bound",
        "regret_share": "regret over the bound of Theorem 4.1",
        "chain": "least slack of Proposition B.3, relative",
        "step_error": "largest relative violation of Proposition B.1, of rounding alone",
        "drift": "largest error of the exact posterior against a fresh factorisation",
        "effective_alpha": "larger of ratio_high and 1 / ratio_low",
        "growth_inducing": "inducing points at the end of a trial over those midway",
        "growth_dimension": "the same of the effective dimension",
        "growth_distinct": "the same of the distinct arms played",
        "growth_share": "growth_inducing over growth_dimension",
    }
