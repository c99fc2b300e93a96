"""Facts about the environments of a paper, which can be compared with the paper's own numbers."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from optimist.core.checksummed import read_frame
from optimist.core.keys import Keys
from optimist.core.layout import facts_in
from optimist.experiments.cell import NOTHING, Cell
from optimist.experiments.paper import Paper
from optimist.experiments.play_trial import build, isolated_if_foreign
from optimist.figures.studies.base import Cells, Study, fact_table

if TYPE_CHECKING:
    import pandas as pd


class Facts(Study):
    """Numbers that describe the environment of each setting and the data that it uses."""

    name = "facts"
    Section = Keys
    tables: ClassVar = {"facts": "csv"}
    facts = ("facts",)
    always = True

    def cells(self, paper: Paper, run: Sequence[Cell]) -> list[Cell]:
        """Return one cell, without an algorithm, for each setting that the paper runs."""
        settings = {cell.setting.label: cell.setting for cell in run}
        return [Cell(setting, NOTHING) for setting in settings.values()]

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return facts about the environment of each setting in trial 0, and about its data set.

        Facts about a data set appear only once, for the first setting that uses it.
        """
        rows, seen = [], set()
        for cell in cells:
            label, dataset = str(cell.setting.label), cell.setting.dataset
            facts = isolated_if_foreign(cell, partial(_facts, cell, self.data_dir))
            rows += [(name, label, float(value)) for name, value in facts.items()]
            if dataset and dataset not in seen:
                about = read_frame(facts_in(self.data_dir or "", dataset)).itertuples(index=False)
                rows += [(row.name, label, row.value) for row in about]
                seen.add(dataset)
        return {"facts": fact_table(rows)}


def _facts(cell: Cell, data_dir: str | Path | None) -> dict[str, float]:
    environment, _ = build(cell, 0, data_dir)
    return dict(environment.facts())
