"""Trials of Hvt-UCB with a check of its analysis in every round."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import MinLen

from optimist.core.errors import ConfigError, unknown_name
from optimist.core.keys import Count, Keys, Texts
from optimist.core.label import name_of
from optimist.experiments.cell import Cell, make_cell
from optimist.experiments.loop import COMPLETE
from optimist.figures.base import Axes, Named, Panel, PanelKeys, Paper, require
from optimist.figures.rows import Tables, over_trials, rows
from optimist.figures.studies import study_section
from optimist.figures.studies.base import (
    Study,
    fact_table,
    recorded,
    thinned,
    watch_trials,
    watched_notes,
)
from optimist.figures.studies.lemma_observer import COLUMNS, LemmaObserver

if TYPE_CHECKING:
    import pandas as pd


class Lemmas(Study):
    """Trials of Hvt-UCB with a check of its analysis in every round."""

    name = "lemmas"

    class Section(Keys):
        settings: Texts  #: Labels of settings.
        algorithm: str  #: Label of the algorithm, a form of hvt_ucb.
        trials: Count  #: Trials per setting.

    tables: ClassVar = {"lemmas": "parquet", "lemma_facts": "csv"}
    facts = ("lemma_facts",)

    def check(self, paper: dict[str, Any]) -> None:
        """Refuse algorithms other than Hvt-UCB, and unknown settings."""
        label = self.section["algorithm"]
        if name_of(label) != "hvt_ucb":
            raise ConfigError(f"lemmas.algorithm is {label!r}; allowed: hvt_ucb[...]")
        super().check(paper)

    def about(self) -> set[str]:
        return set(self.section["settings"])

    def cells(self, paper: dict[str, Any], run: Sequence[Cell]) -> list[Cell]:
        """Return every setting with the algorithm."""
        label = self.section["algorithm"]
        return [make_cell(paper, setting, label) for setting in self.section["settings"]]

    def tabulate(
        self, cells: Sequence[Cell], caps: Mapping[str, Any], data_dir: str | Path | None
    ) -> "dict[str, pd.DataFrame]":
        """Return all trials at about sixty rounds, and facts about all recorded rounds."""
        frame = watch_trials(
            cells,
            self.trials(caps),
            LemmaObserver,
            COLUMNS,
            rounds=caps["rounds"],
            data_dir=data_dir,
        )
        return {"lemmas": thinned(frame), "lemma_facts": facts(frame)}


def facts(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return the facts about a table of watched trials.

    The facts are the largest distance and the smallest share over trials, the share of trials in
    which the distance never exceeded the radius, the largest regret over its bound, and the
    smallest bound over the largest possible regret. A setting with an incomplete trial has no
    facts, as they hold for all trials or not at all.
    """
    last = frame.sort_values("round").groupby(["setting", "trial"]).tail(1)
    rows = []
    for setting, trials in last.groupby("setting"):
        if trials["status"].isin(COMPLETE).all():
            rows += [
                ("lemma_largest_distance", setting, float(trials["largest"].max())),
                ("lemma_least_bounded_share", setting, float(trials["bounded"].min())),
                ("lemma_trials_within_radius", setting, float((trials["largest"] <= 1.0).mean())),
                ("theorem_regret_over_bound", setting, float(trials["regret_share"].max())),
                ("theorem_bound_over_worst", setting, float(trials["void"].min())),
            ]
    return fact_table([row for row in rows if math.isfinite(row[2])])


class Distance(Named):
    setting: str  #: A setting of the study lemmas.


class LemmasPanel(Panel):
    """Ratio of the estimate's distance to the radius against the round, median over trials."""

    class Entry(PanelKeys):
        series: Annotated[list[Distance], MinLen(1)]  #: The compared settings.

    tables = ("lemmas",)
    axes = Axes("round", "distance / radius", "log", "log")
    words = "line: median, {band}: smallest to largest of n = {n}"

    def check(self, paper: Paper) -> None:
        """Refuse a setting that the study does not watch."""
        require("lemmas", self.spec, paper)
        watched = (study_section(paper, "lemmas") or {})["settings"]
        for series in self.spec["series"]:
            if series["setting"] not in watched:
                raise unknown_name("setting of lemmas", series["setting"], watched)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield a curve for each setting."""
        lemmas = tables.frame("lemmas", ("setting", "trial", "round", "status", *COLUMNS))
        for series in self.spec["series"]:
            found = lemmas[lemmas["setting"] == series["setting"]]
            yield from watched_notes(found, series["label"])
            yield rows("data", series=series["label"], **over_trials(recorded(found), "distance"))
