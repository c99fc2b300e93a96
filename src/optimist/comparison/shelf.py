"""Reuse of trials: result files made by the current code are found by their names."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.config.load import load_config
from optimist.core import provenance
from optimist.core.errors import ResultError, UnreadableError
from optimist.core.layout import Layout, Result, digest_in_name, parse_result
from optimist.core.observation import first_change
from optimist.experiments import results
from optimist.experiments.cell_records import digest_of
from optimist.experiments.loop import EARLY
from optimist.experiments.trials import Trials
from optimist.plan.data import digest_of as digest_of_data

if TYPE_CHECKING:
    import pandas as pd


def read(path: Path) -> "pd.DataFrame":
    return results.read(path).to_pandas()


class Shelf:
    """Trials in the results folder, from the workflow and from comparisons.

    Parameters
    ----------
    layout : Layout
    """

    def __init__(self, layout: Layout) -> None:
        self._folders = (layout.results, layout.kept)
        self._options = load_config()["datasets"]
        self._packages = provenance.packages()
        self._digests: dict[str, str] = {}
        self._files: dict[Path, pd.DataFrame | None] = {}

    def digest(self, trials: Trials) -> str:
        """Return a digest of everything on which the given trials depend."""
        name = trials.cell.name
        if name not in self._digests:
            self._digests[name] = digest_of(
                trials, lambda data: digest_of_data(data, self._options)
            )
        return self._digests[name]

    def place(self, trials: Trials) -> Result:
        """Return the result file of the given trials, relative to a results folder."""
        return trials.place(digest_in_name(self.digest(trials), self._packages))

    def rows(self, trials: Trials) -> "pd.DataFrame | None":
        """Return the rows of a trial, or None if the current code has not played it."""
        if trials.cell.is_of_this_process:
            return None
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
        """Return the rows of a result file; None if it is damaged or an input file has changed."""
        if path not in self._files:
            self._files[path] = None
            with suppress(ResultError, UnreadableError):
                observed = results.read_metadata(path)["observed"] if is_foreign else None
                if observed is None or first_change(observed) is None:
                    rows = read(path)
                    self._files[path] = rows[~rows["status"].isin(EARLY)]
        return self._files[path]
