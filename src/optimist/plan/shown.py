"""What papers show: figures and tables, what they are made from, and their files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from string import ascii_lowercase
from typing import Any

from optimist.errors import ConfigError, brief, unknown_name
from optimist.layout import LANES, Layout
from optimist.panels import make_panel, make_table
from optimist.panels.base import Panel
from optimist.panels.tables.base import Table
from optimist.plan.sources import code
from optimist.plan.studies import PlannedStudies
from optimist.plan.trials import CellKey, Paper, PlannedTrials
from optimist.root import PACKAGE
from optimist.runs.cell import make_cell

# Aggregated tables with a row for each trial of a group, by lane.
TRIALS = {"regret": "finals", "timing": "times"}
# Names of targets of the same form that no figure or table may have.
RESERVED = frozenset(("claims", "variants", "trials", "trials_variants"))
KINDS = ("figures", "tables")
# Names of files are longer, of manifests and of what is being written.
LONGEST_NAME = 100

Part = Panel | Table
Params = Callable[[Any], Any]


def parts_of(spec: Mapping[str, Any]) -> list[Part]:
    """Return the panels of a figure, or the one table, of an entry of the configuration."""
    if "panels" in spec:
        return [make_panel(panel) for panel in spec["panels"]]
    return [make_table(spec)]


def cells_of(parts: Sequence[Part], lane: str) -> set[CellKey] | None:
    """Return the cells whose results in a lane are shown, None for all of a group."""
    shown = [part.cells for part in parts if lane in part.lanes]
    return None if None in shown else {cell for cells in shown for cell in cells or ()}


def group_of(spec: Mapping[str, Any]) -> str:
    """Return the group of targets that a figure or table is of."""
    return spec.get("group", "paper")


class PlannedShown:
    """Figures and tables of one configuration.

    Parameters
    ----------
    papers : mapping of str to Paper
    layout : Layout
    trials : PlannedTrials
    studies : PlannedStudies

    Raises
    ------
    ConfigError
        Where names share a file or a target; where a figure or table shows what the paper does not
        run, or counts regret from the best known values of two groups.
    """

    def __init__(
        self,
        papers: Mapping[str, Paper],
        layout: Layout,
        trials: PlannedTrials,
        studies: PlannedStudies,
    ) -> None:
        self._papers = papers
        self._layout = layout
        self._trials = trials
        self._studies = studies
        self._parts = {
            (paper, kind, name): parts_of(spec)
            for paper, kind in product(papers, KINDS)
            for name, spec in papers[paper].get(kind, {}).items()
        }
        self._check_names()
        for key in self._parts:
            self._check_parts(*key)
            self._check_best_known(*key)

    def names(self, paper: str, kind: str, group: str | None = None) -> list[str]:
        """Return the names of a paper's ``figures`` or ``tables`` (of one group)."""
        specs = self._papers[paper].get(kind, {})
        return [name for name, spec in specs.items() if group in (None, group_of(spec))]

    def name_pattern(self, kind: str) -> str:
        """Return a wildcard constraint that matches the names of one kind and nothing else."""
        return "|".join(name for paper in self._papers for name in self.names(paper, kind)) or "-"

    def files(self, paper: str, group: str) -> dict[str, list[str]]:
        """Return all files of a paper's figures and tables of one group, by figure or table."""
        places = {"figures": self._layout.figure, "tables": self._layout.table}
        return {
            name: [*place(paper, name).values()]
            for kind, place in places.items()
            for name in self.names(paper, kind, group)
        }

    def figures_of_cells(self, paper: str) -> dict[tuple[str, str, str], list[str]]:
        """Return the panels that show a cell, ``fig1 (a)``, by lane, setting and algorithm."""
        found: dict[tuple[str, str, str], list[str]] = {}
        for name in self.names(paper, "figures"):
            parts = self._parts[paper, "figures", name]
            for letter, part in zip(ascii_lowercase, parts, strict=False):
                place = f"{name} ({letter})" if len(parts) > 1 else name
                for lane, cell in product(part.lanes, sorted(part.cells or ())):
                    found.setdefault((lane, *cell), []).append(place)
        return found

    # What rules need.

    def spec(self, kind: str) -> Params:
        """Return a params function: the configuration of a figure or table."""
        return lambda wildcards: self._spec(wildcards.paper, kind, wildcards.name)

    def caption(self, kind: str) -> Params:
        """Return a params function: title and caption of a figure or table."""

        def text(wildcards: Any) -> str:
            spec = self._spec(wildcards.paper, kind, wildcards.name)
            return f"{spec['title']}. {spec.get('caption', '')}".strip()

        return text

    def paper_summary(self, wildcards: Any) -> dict[str, Any]:
        """Return what drawing needs to know of a paper: all but its figures, tables and targets."""
        others = (*KINDS, "parts")
        return {k: v for k, v in self._papers[wildcards.paper].items() if k not in others}

    def inputs(self, kind: str) -> Params:
        """Return an input function: the result files and tables that are read."""
        return lambda wildcards: self.drawn_from(wildcards.paper, kind, wildcards.name)

    def code(self, script: str, kind: str) -> Params:
        """Return a params function: the digest of what decides how a figure or table looks."""
        own = {"figures": "optimist.panels.figure", "tables": "optimist.panels.tables.base"}[kind]
        style = str(PACKAGE / "panels" / "optimist.mplstyle")

        def modules(wildcards: Any) -> set[str]:
            parts = self._found(wildcards.paper, kind, wildcards.name)
            return {type(part).__module__ for part in parts}

        return code(script, own, "optimist.runs.aggregate", of=modules, more=[style])

    def fingerprints(self, kind: str) -> Params:
        """Return a params function: the fingerprints of the result files that are read."""

        def expected(wildcards: Any) -> dict[str, str]:
            inputs = self.inputs(kind)(wildcards)
            lanes = (inputs.get(lane, []) for lane in LANES)
            return self._trials.fingerprints([path for paths in lanes for path in paths])

        return expected

    # What a figure or table is made from.

    def drawn_from(self, paper: str, kind: str, name: str) -> dict[str, Any]:
        """Return the files that a figure or table reads, by what they are."""
        parts, group = self._found(paper, kind, name), group_of(self._spec(paper, kind, name))
        found: dict[str, Any] = {}
        for lane in lanes_of(parts):
            # Of a whole group there are tables already: not all its results are read again.
            if cells_of(parts, lane) is None:
                made = TRIALS[lane]
                found[made] = self._layout.aggregated(paper, group)[made]
            else:
                found |= self._results(paper, parts, lane, group)
        return found | self._tables(paper, parts)

    def results_of(self, paper: str, kind: str, name: str) -> list[str]:
        """Return the result files that a figure or table shows, of all lanes."""
        parts, group = self._found(paper, kind, name), group_of(self._spec(paper, kind, name))
        return [
            path
            for lane in lanes_of(parts)
            for path in self._results(paper, parts, lane, group)[lane]
        ]

    def made_from(self, paper: str, kind: str, name: str) -> list[str]:
        """Return the result files and tables of studies behind a figure or table."""
        parts, group = self._found(paper, kind, name), group_of(self._spec(paper, kind, name))
        found: dict[str, Any] = self._tables(paper, parts)
        for lane in lanes_of(parts):
            found |= self._results(paper, parts, lane, group)
        if "best_known" in found:
            found["counted from"] = self._trials.best_known_paths(paper, group)
        lists = [files if isinstance(files, list) else [files] for files in found.values()]
        return list(dict.fromkeys(path for paths in lists for path in paths))

    def _results(
        self, paper: str, parts: Sequence[Part], lane: str, group: str
    ) -> dict[str, list[str] | str]:
        """Return the result files of a lane that are shown, and what their regret counts from."""
        cells = cells_of(parts, lane)
        only = group if cells is None else None
        found: dict[str, list[str] | str] = {
            lane: self._trials.paths(paper, lanes=[lane], group=only, cells=cells)
        }
        if lane == "regret":
            found |= self._trials.best_known(paper, group, cells)
        return found

    def _tables(self, paper: str, parts: Sequence[Part]) -> dict[str, str]:
        names = sorted({name for part in parts for name in part.tables})
        return {name: self._studies.table(paper, name) for name in names}

    def _spec(self, paper: str, kind: str, name: str) -> Mapping[str, Any]:
        """Return the configuration of a figure or table; ConfigError if there is none."""
        known = self._papers[paper].get(kind, {})
        if name not in known:
            raise unknown_name(f"name among {kind} of {paper}", name, known)
        return known[name]

    def _found(self, paper: str, kind: str, name: str) -> list[Part]:
        self._spec(paper, kind, name)
        return self._parts[paper, kind, name]

    # Checks.

    def _check_names(self) -> None:
        of_figures, of_tables = (
            {name for paper in self._papers for name in self.names(paper, kind)} for kind in KINDS
        )
        for name in of_figures & of_tables:
            raise ConfigError(f"{name!r} names a figure and a table; allowed: one of them")
        for name in of_figures | of_tables:
            if len(name) > LONGEST_NAME:
                raise ConfigError(
                    f"{brief(name)} names a figure or table; allowed: up to {LONGEST_NAME} letters"
                )
        for name in RESERVED & (of_figures | of_tables):
            raise ConfigError(f"{name!r} names a figure or table; allowed: any other name")
        for paper in self._papers.values():
            for name, settings in paper.get("parts", {}).items():
                if name in RESERVED | of_figures | of_tables:
                    raise ConfigError(f"{name!r} names a part; allowed: a name of nothing else")
                for setting in settings:
                    if setting not in paper["settings"]:
                        raise unknown_name(f"setting of part {name!r}", setting, paper["settings"])

    def _check_parts(self, paper: str, kind: str, name: str) -> None:
        """Refuse cells that the paper does not run, and what the kind itself refuses."""
        for place, part in _places(kind, name, self._parts[paper, kind, name]):
            try:
                for lane, cell in product(part.lanes, part.cells or ()):
                    self._check_cell(paper, lane, cell)
                part.check(self._papers[paper])
            except ConfigError as error:
                raise ConfigError(f"{place}: {error}") from None

    def _check_cell(self, paper: str, lane: str, cell: CellKey) -> None:
        make_cell(self._papers[paper], *cell)
        if (lane, *cell) not in self._trials.asked[paper]:
            block = "block of runs" if lane == "regret" else "race of timings"
            raise ConfigError(
                f"no {block} has algorithm {cell[1]!r} in setting {cell[0]!r}; add one or remove "
                "the entry"
            )

    def _check_best_known(self, paper: str, kind: str, name: str) -> None:
        """Refuse cells of another group, where regret is counted from the best of its group."""
        own = group_of(self._spec(paper, kind, name))
        cells = cells_of(self._parts[paper, kind, name], "regret") or set()
        groups = self._trials.groups(paper)
        for cell in cells & self._trials.of_unknown_maximum(paper):
            if groups.get(cell, own) != own:
                raise ConfigError(
                    f"{name!r} of group {own} shows {'/'.join(cell)} of another, where "
                    f"regret is counted from the best of its group; allowed: group {own}"
                )


def lanes_of(parts: Sequence[Part]) -> list[str]:
    """Return the lanes whose results some parts are made from."""
    return [lane for lane in LANES if any(lane in part.lanes for part in parts)]


def _places(kind: str, name: str, parts: Sequence[Part]) -> Iterator[tuple[str, Part]]:
    """Yield where each part stands, for messages."""
    for letter, part in zip(ascii_lowercase, parts, strict=False):
        yield (f"figure {name}, panel {letter}" if kind == "figures" else f"table {name}"), part
