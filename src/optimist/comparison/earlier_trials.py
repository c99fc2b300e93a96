"""Reuse of trials, from result files of the current code and from tables of the last full run."""

from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.config.load import NO_CHANGES, load_config, load_paper, overlays_in_use
from optimist.core import provenance
from optimist.core.errors import ResultError, UnreadableError
from optimist.core.layout import Layout, Result, digest_in_name, parse_result
from optimist.core.observation import first_change
from optimist.core.root import made_before
from optimist.experiments import cell_records, results
from optimist.experiments.cell import Cell
from optimist.experiments.loop import EARLY
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import CellKey, Trials
from optimist.plan.data import digest_of as digest_of_data

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["setting", "algorithm", "trial", "round", "status", "regret"]


def figures_folder(paper: str) -> Path:
    """Return the figures folder that contains a paper's last full run."""
    table = Layout("", load_config()["figures"]).trials(paper)
    return made_before(table).parents[1]


class EarlierTrials:
    """Trials in the results folder and in the papers' committed tables.

    Parameters
    ----------
    layout : Layout
    takes_all : bool
        Whether to use committed trials even if another version of the code played them.

    Attributes
    ----------
    committed : set of str
        Names of the requested cells that are in the tables.
    of_other_code : set of str
        Names of those in ``committed`` that were played by another version of the code.
    """

    def __init__(self, layout: Layout, *, takes_all: bool) -> None:
        self._folders = (layout.results, layout.kept)
        self._takes_all = takes_all
        self._options = load_config()["datasets"]
        self._packages = provenance.packages()
        self._digests: dict[str, str] = {}
        self._files: dict[Path, pd.DataFrame | None] = {}
        self._table_of = cache(_committed_table)
        self.committed: set[str] = set()
        self.of_other_code: set[str] = set()

    def place(self, trials: Trials) -> Result:
        """Return the result file of the given trials, relative to a results folder."""
        return trials.place(digest_in_name(self._digest(trials), self._packages))

    def rows(self, trials: Trials) -> "tuple[pd.DataFrame, str] | None":
        """Return the rows of an earlier trial, and their source.

        The source is "" for a result file and, for a table, the commit of the code that played the
        trial. Return None if the trial was not played, or if playing it now could give a different
        result.

        Parameters
        ----------
        trials : Trials
            A single trial.
        """
        kept = None if trials.cell.is_of_this_process else self._kept(trials)
        return self._committed(trials) if kept is None else (kept, "")

    def _digest(self, trials: Trials) -> str:
        """Return a digest of everything on which the given trials depend."""
        name = trials.cell.name
        if name not in self._digests:
            self._digests[name] = cell_records.digest_of(
                trials, lambda data: digest_of_data(data, self._options)
            )
        return self._digests[name]

    def _kept(self, trials: Trials) -> "pd.DataFrame | None":
        """Return a trial's rows if the current code wrote its result file, otherwise None."""
        place = self.place(trials)
        for folder in self._folders:
            for path in Path(folder, place.path).parent.glob(f"*.{place.digest}.parquet"):
                part = parse_result(path)
                if part is not None and part.first <= trials.first < part.stop:
                    rows = self._file(path, is_foreign=trials.is_foreign)
                    if rows is not None and trials.first in rows["trial"].values:
                        return rows[rows["trial"] == trials.first]
        return None

    def _file(self, path: Path, *, is_foreign: bool) -> "pd.DataFrame | None":
        """Return a result file's rows, or None if it is damaged or an input file has changed."""
        if path not in self._files:
            self._files[path] = None
            with suppress(ResultError, UnreadableError):
                observed = results.read_metadata(path)["observed"] if is_foreign else None
                if observed is None or first_change(observed) is None:
                    rows = results.read(path).to_pandas()
                    self._files[path] = rows[~rows["status"].isin(EARLY)]
        return self._files[path]

    def _committed(self, trials: Trials) -> "tuple[pd.DataFrame, str] | None":
        """Return a trial's rows, without times, and the commit of the code that played it."""
        cell = trials.cell
        table, records = self._table_of(cell.paper)
        record = records.get(trials.key)
        if record is None or trials.rounds is not None or trials.first >= record.trials:
            return None
        self.committed.add(cell.name)
        if not record.is_of(self._digest(trials)):
            self.of_other_code.add(cell.name)
            if not (self._takes_all and _is_as_committed(cell)):
                return None
        recorded = table.recorded(*trials.key)
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


def _committed_table(paper: str) -> tuple[TrialTable, dict[CellKey, Any]]:
    """Return a paper's committed trials and cell records; both may be empty."""
    layout = Layout("", str(figures_folder(paper)))
    path = Path(layout.trials(paper))
    if not path.is_file():
        return TrialTable(None), {}
    return TrialTable(path), cell_records.read(layout.cells(paper))


def _is_as_committed(cell: Cell) -> bool:
    """Return whether the overlays in use leave the cell unchanged."""
    if not overlays_in_use():
        return True
    return load_paper(cell.paper, NO_CHANGES).setting(cell.setting.label) == cell.setting
