"""Result files of one configuration: which there are, and what decides each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from optimist.environments import environment_class
from optimist.errors import ConfigError, nearest, unknown_name
from optimist.label import name_of
from optimist.layout import LANES, Layout, check_length, result
from optimist.runs.loop import CURVE_POINTS
from optimist.runs.trials import Trials, expand

Paper = Mapping[str, Any]
CellKey = tuple[str, str]  # setting and algorithm


class PlannedTrials:
    """All trials of one configuration, by result file.

    Parameters
    ----------
    papers : mapping of str to Paper
        Loaded paper configurations by name.
    layout : Layout
    caps, only : mapping
        Sections of the configuration, see `optimist.runs.trials.expand`.
    least : mapping
        By paper, how many trials its cells have at least.

    Attributes
    ----------
    by_path : dict of str to Trials
        By the path of their result file.
    asked, cells : dict
        All that each paper asks for, whatever ``caps`` and ``only`` cut: lane, setting and
        algorithm, or setting and algorithm.

    Raises
    ------
    ConfigError
        If ``only`` has a name that no cell has, or names that share no cell.
    """

    def __init__(
        self,
        papers: Mapping[str, Paper],
        layout: Layout,
        caps: Mapping[str, int | None],
        only: Mapping[str, list[str]],
        least: Mapping[str, Mapping[tuple[str, str, str], int]] | None = None,
    ) -> None:
        self._layout = layout
        least = least or {name: {} for name in papers}
        whole = {name: expand(paper) for name, paper in papers.items()}
        self._asked_trials = {name: _trials_of_cells(trials) for name, trials in whole.items()}
        self.asked = {
            name: {(t.lane, t.cell.setting, t.cell.algorithm) for t in trials}
            for name, trials in whole.items()
        }
        self.cells = {
            name: {(setting, algorithm) for _, setting, algorithm in asked}
            for name, asked in self.asked.items()
        }
        _check_only(only, set().union(*self.cells.values()))
        cut = any(value is not None for value in caps.values()) or any(only.values())
        if cut or any(least.values()):
            whole = {
                name: expand(paper, caps=caps, only=only, least=least[name])
                for name, paper in papers.items()
            }
        for trials in whole.values():
            _check_lengths(trials)
        self._of_paper = {
            name: {layout.result(found.path): found for found in trials}
            for name, trials in whole.items()
        }
        self.by_path = {path: t for found in self._of_paper.values() for path, t in found.items()}
        if not self.by_path:
            raise ConfigError(f"only is {dict(only)!r}; allowed: names that share a cell")

    def __iter__(self) -> Iterator[Trials]:
        return iter(self.by_path.values())

    def of_paper(self, paper: str) -> dict[str, Trials]:
        """Return the trials of a paper by result file."""
        return self._of_paper[paper]

    def asked_trials(self, paper: str) -> dict[tuple[str, str, str], int]:
        """Return how many trials a paper asks for, by lane, setting and algorithm."""
        return self._asked_trials[paper]

    def find(self, lane: str, wildcards: Any) -> Trials:
        """Return the trials of the wildcards of a result file; ConfigError if there are none."""
        w = wildcards
        path = self._layout.result(result(lane, w.paper, w.setting, w.algorithm, w.trials))
        if path not in self.by_path:
            raise ConfigError(
                f"no cell of this configuration has the result file {path!r}"
                f"{nearest(path, self.by_path)}; allowed: those of `snakemake -n`"
            )
        return self.by_path[path]

    def paths(
        self,
        paper: str,
        *,
        lanes: Sequence[str] = LANES,
        group: str | None = None,
        cells: Collection[CellKey] | None = None,
    ) -> list[str]:
        """Return result files of a paper, of some lanes, one group or some cells."""
        return [
            path
            for path, t in self._of_paper[paper].items()
            if t.lane in lanes
            and group in (None, t.group)
            and (cells is None or (t.cell.setting, t.cell.algorithm) in cells)
        ]

    def fingerprints(self, paths: Collection[str]) -> dict[str, str]:
        """Return the fingerprint that each of some files should have, if it is a result."""
        return {path: self._fingerprint(path) for path in paths if path in self.by_path}

    def _fingerprint(self, path: str) -> str:
        if path not in self._fingerprints:
            self._fingerprints[path] = self.by_path[path].fingerprint
        return self._fingerprints[path]

    @cached_property
    def _fingerprints(self) -> dict[str, str]:
        return {}

    def datasets(self, paths: Collection[str]) -> set[str]:
        """Return the names of the data sets that some result files are made from."""
        specs = (self.by_path[path].cell.spec for path in paths if path in self.by_path)
        return {spec["dataset"] for spec in specs if "dataset" in spec}

    def rows(self, paper: str, group: str) -> int:
        """Return about how many rows the result files of a paper's group have."""
        own = (t for t in self._of_paper[paper].values() if t.group == group)
        return sum((t.stop - t.first) * min(CURVE_POINTS, t.cell.spec["horizon"]) for t in own)

    def groups(self, paper: str) -> dict[CellKey, str]:
        """Return the group of each cell of the regret lane of a paper."""
        own = (t for t in self._of_paper[paper].values() if t.lane == "regret")
        return {(t.cell.setting, t.cell.algorithm): t.group for t in own}

    # Settings whose largest value is not known: regret is counted from the best that was found.

    @cached_property
    def _of_unknown_maximum(self) -> dict[str, set[CellKey]]:
        return {
            paper: {
                (t.cell.setting, t.cell.algorithm)
                for t in found.values()
                if not environment_class(t.cell.spec["environment"]).maximum_is_known
            }
            for paper, found in self._of_paper.items()
        }

    def of_unknown_maximum(self, paper: str) -> set[CellKey]:
        """Return the cells of a paper whose regret is counted from the best known value."""
        return self._of_unknown_maximum[paper]

    def best_known_paths(self, paper: str, group: str) -> list[str]:
        """Return the result files that a group's best known values are found in."""
        cells = self.of_unknown_maximum(paper)
        return self.paths(paper, lanes=["regret"], group=group, cells=cells)

    def best_known(
        self, paper: str, group: str, cells: Collection[CellKey] | None = None
    ) -> dict[str, str]:
        """Return the table of best known values of a group as an input, if ``cells`` need it."""
        if cells is not None and self.of_unknown_maximum(paper).isdisjoint(cells):
            return {}
        if not self.best_known_paths(paper, group):
            return {}
        return {"best_known": self._layout.best_known(paper, group)}


def _check_lengths(trials: Iterable[Trials]) -> None:
    """Refuse labels that are too long for the names of result files."""
    for t in trials:
        place = t.place
        check_length(place.paper, place.setting, place.algorithm, place.trials)


def _trials_of_cells(trials: Iterable[Trials]) -> dict[tuple[str, str, str], int]:
    found: dict[tuple[str, str, str], int] = {}
    for t in trials:
        cell = t.lane, t.cell.setting, t.cell.algorithm
        found[cell] = max(found.get(cell, 0), t.stop)
    return found


def _check_only(only: Mapping[str, list[str]], cells: Collection[CellKey]) -> None:
    """Refuse a restriction of which some name matches no cell."""
    settings, labels = ({cell[i] for cell in cells} for i in (0, 1))
    known = {
        "settings": settings | {name_of(setting) for setting in settings},
        "algorithms": labels | {name_of(label) for label in labels},
    }
    for key, allowed in known.items():
        for name in only[key]:
            if name not in allowed:
                raise unknown_name(f"name in only.{key}", name, allowed)
