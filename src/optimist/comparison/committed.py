"""Trials of the last full run, from the tables that are committed beside the figures."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.environments import environment_class
from optimist.errors import ResultError
from optimist.layout import Layout
from optimist.records import manifest
from optimist.runs.cell import Cell
from optimist.runs.trials import Trials

if TYPE_CHECKING:
    import pandas as pd


class Committed:
    """The curves of a paper's trials, as far as its tables have them and its settings are the same.

    Parameters
    ----------
    figures : Path
        The folder of all figures.
    paper : str

    Attributes
    ----------
    commits : list of str
        Those of the code that made them.
    """

    def __init__(self, figures: Path, paper: str) -> None:
        layout = Layout("", str(figures))
        self._paths = {ending: Path(p) for ending, p in layout.trials(paper, "paper").items()}
        self._manifest: dict[str, Any] = {}
        path = Path(layout.manifest(paper))
        if path.is_file() and all(p.is_file() for p in self._paths.values()):
            self._manifest = manifest.read(path)
            self._described = manifest.Described(path.parent)
        self.commits = [
            str(made["commit"] or "unknown")[:10] for made in self._manifest.get("made", [])
        ]

    def rows(self, trials: Trials) -> "pd.DataFrame | None":
        """Return a trial's recorded rounds without its times, None if they are not there.

        Raises
        ------
        ResultError
            If a table is not the one that the manifest names.
        """
        cell = trials.cell
        if trials.rounds is not None or not self._has(cell):
            return None
        key = cell.setting, cell.algorithm, trials.first
        if key not in self._curves.groups or key not in self._ends.groups:
            return None
        end = self._ends.get_group(key).iloc[0]
        curve = self._curves.get_group(key)[["round", "regret"]]
        about = {"paper": cell.paper, "setting": cell.setting, "algorithm": cell.algorithm}
        return curve.assign(
            **about, trial=trials.first, status=end["status"], seconds=float("nan")
        ).reset_index(drop=True)

    def _has(self, cell: Cell) -> bool:
        spec = self._manifest.get("settings", {}).get(f"{cell.paper}/{cell.setting}")
        return spec == cell.spec and environment_class(cell.spec["environment"]).maximum_is_known

    @cached_property
    def _curves(self) -> Any:
        import pandas as pd

        frame = pd.read_parquet(self._checked("parquet"))
        return frame[(frame["lane"] == "regret") & (frame["curve"] == "trial")].groupby(
            ["setting", "algorithm", "trial"]
        )

    @cached_property
    def _ends(self) -> Any:
        import pandas as pd

        frame = pd.read_csv(self._checked("csv"), low_memory=False)
        return frame[frame["lane"] == "regret"].groupby(["setting", "algorithm", "trial"])

    def _checked(self, ending: str) -> Path:
        """Return the path of a table that the manifest names by its digest."""
        path = self._paths[ending]
        try:
            self._described.check(path)
        except ResultError as error:
            raise ResultError(f"{error}; or play it again (--fresh, fresh=True)") from None
        return path
