"""Trials of the last full run, from the committed tables next to the figures."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from optimist.config.load import load_paper, overlays_in_use
from optimist.core.layout import Layout
from optimist.experiments import cell_records
from optimist.experiments.cell import Cell, make_cell
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import Trials

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["setting", "algorithm", "trial", "round", "status", "regret"]


class Committed:
    """The committed trials of a paper.

    Parameters
    ----------
    figures : Path
        The folder that contains the figures of all papers.
    paper : str
    takes_all : bool
        Whether to also take trials that another version of the code played.

    Attributes
    ----------
    cells : set of str
        Names of the requested cells that the table contains.
    other : set of str
        Names of the cells in ``cells`` that another version of the code played.
    """

    def __init__(self, figures: Path, paper: str, *, takes_all: bool = False) -> None:
        layout = Layout("", str(figures))
        path = Path(layout.trials(paper))
        self._table = TrialTable(path if path.is_file() else None)
        self._records = cell_records.read(layout.cells(paper)) if path.is_file() else {}
        self._takes_all = takes_all
        self.cells: set[str] = set()
        self.other: set[str] = set()

    def rows(self, trials: Trials, digest: str) -> "tuple[pd.DataFrame, str] | None":
        """Return the recorded rounds of a trial, without times, and the commit of its code.

        Return None if the table lacks the trial or if playing it now could give a different result.

        Parameters
        ----------
        trials : Trials
            A single trial.
        digest : str
            The result of `optimist.experiments.cell_records.digest_of`.
        """
        cell, record = trials.cell, self._records.get(trials.key)
        if record is None or trials.rounds is not None or trials.first >= record.trials:
            return None
        self.cells.add(cell.name)
        if not record.is_of(digest):
            self.other.add(cell.name)
            if not (self._takes_all and _is_as_committed(cell)):
                return None
        recorded = self._table.recorded(*trials.key)
        if recorded is None or not record.fits(recorded):
            return None
        trial = recorded.take(np.array([trials.first]))
        # A trial that ended before its first recorded round has only a final row.
        rows = (trial.by_round if len(trial.rounds[0]) else trial.finals).reindex(columns=COLUMNS)
        rows = rows.assign(paper=cell.paper, seconds=np.nan)
        if trial.instance[0]:
            rows["instance"], rows["simple_regret"] = trial.instance[0], np.nan
            rows.loc[rows.index[-1], "simple_regret"] = trial.ends["simple_regret"][0]
        return rows, record.short_commit


def _is_as_committed(cell: Cell) -> bool:
    """Return whether the overlays leave the setting of a cell unchanged."""
    if not overlays_in_use():
        return True
    return make_cell(load_paper(cell.paper, {}), cell.setting, cell.algorithm).spec == cell.spec
