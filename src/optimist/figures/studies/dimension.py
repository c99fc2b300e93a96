"""Dependence of BKB's sketch size and regret on the effective dimension of the arms."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from annotated_types import MinLen

from optimist.core.errors import ConfigError
from optimist.core.keys import Keys
from optimist.core.label import name_of
from optimist.experiments.cell import Cell, make_cell
from optimist.experiments.loop import COMPLETE
from optimist.figures.rows import Tables
from optimist.figures.studies.base import (
    TRIAL_COLUMNS,
    CellKeys,
    Study,
    thinned,
    watch_trials,
)
from optimist.figures.studies.dimension_observer import COLUMNS, DimensionObserver
from optimist.figures.tables.base import Table

if TYPE_CHECKING:
    import pandas as pd

WATCHED = ("bkb", "dtc_ucb")
BLOCK = ("settings", "algorithms")


class Dimension(Study):
    """Trials of BKB, or of DTC-UCB for comparison, with the effective dimension.

    See `DimensionObserver`.
    """

    name = "dimension"

    class Section(Keys):
        #: Blocks of cells: every setting with every algorithm of the block.
        blocks: Annotated[list[CellKeys], MinLen(1)]

    tables: ClassVar = {"dimension": "parquet"}

    def check(self, paper: dict[str, Any]) -> None:
        """Refuse duplicate cells, other algorithms, and changing sets of arms."""
        cells = self.cells(paper, ())
        for cell in cells:
            if cells.count(cell) > 1:
                raise ConfigError(f"dimension.blocks has {cell.name!r} twice; allowed: once")
            if name_of(cell.algorithm) not in WATCHED:
                allowed = ", ".join(WATCHED)
                raise ConfigError(f"dimension.blocks has {cell.algorithm!r}; allowed: {allowed}")
            if "subset" in cell.spec.get("parameters", {}):
                raise ConfigError(f"dimension.blocks has {cell.setting!r}; allowed: fixed arms")

    def about(self) -> set[str]:
        """Return its settings, algorithms and columns, which claims name."""
        blocks = self.section["blocks"]
        labels = (label for block in blocks for key in BLOCK for label in block[key])
        return {*labels, *COLUMNS}

    def cells(self, paper: dict[str, Any], run: Sequence[Cell]) -> list[Cell]:
        """Return every setting of each block with every algorithm."""
        return [
            make_cell(paper, setting, label)
            for block in self.section["blocks"]
            for setting in block["settings"]
            for label in block["algorithms"]
        ]

    def tabulate(
        self, cells: Sequence[Cell], caps: Mapping[str, Any], data_dir: str | Path | None
    ) -> "dict[str, pd.DataFrame]":
        """Return the observed values of every trial at about sixty rounds."""
        import pandas as pd

        frames, left = [], list(cells)
        for block in self.section["blocks"]:
            size = len(block["settings"]) * len(block["algorithms"])
            part, left = left[:size], left[size:]
            trials = range(min(block["trials"], caps["trials"] or block["trials"]))
            limits = {"rounds": caps["rounds"], "data_dir": data_dir}
            frames.append(watch_trials(part, trials, DimensionObserver, COLUMNS, **limits))
        return {"dimension": thinned(pd.concat(frames, ignore_index=True))}


class DimensionTable(Table):
    """Means over complete trials of the observed values at their ends, by cell."""

    tables = ("dimension",)
    meanings: ClassVar = {
        "round": "the last round",
        "regret": "regret",
        "inducing": "inducing points",
        "distinct": "distinct arms played",
        "dimension": "effective dimension of the exact posterior on the arms played",
        "regret_share": "largest share of the bound of Theorem 4.1 that regret had in any round",
        "uniform_share": "the same of the expected regret of uniform play",
    }

    def rows(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield one row for each cell."""
        frame = tables.frame("dimension", (*TRIAL_COLUMNS, *COLUMNS))
        complete = frame[frame["status"].isin(COMPLETE)]
        for (setting, algorithm), found in complete.groupby(["setting", "algorithm"], sort=False):
            last = found.sort_values("round").groupby("trial").last()
            about = {"setting": setting, "algorithm": algorithm, "trials": len(last)}
            yield {**about, **last[["round", *COLUMNS]].mean().to_dict()}
