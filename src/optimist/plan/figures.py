"""Figures and tables of papers: their names and panels, and the cells and studies they show."""

from collections.abc import Callable, Collection, Mapping
from itertools import product
from string import ascii_lowercase
from typing import Any

from optimist.config.load import paper_names
from optimist.core.errors import ConfigError, brief, unknown_name
from optimist.experiments.paper import Paper
from optimist.experiments.trials import CellKey
from optimist.figures import make_panel, make_table
from optimist.figures.base import Part
from optimist.plan.basis import Basis
from optimist.plan.studies import PlannedStudies
from optimist.plan.trials import PlannedTrials

# Names that figures and tables cannot have, because other targets use them.
RESERVED = frozenset(("claims", "variants", "publish"))
KINDS = ("figures", "tables")
# Maximum length of a name. File names also need room for the endings of records and of temporary
# files.
LONGEST_NAME = 100

Params = Callable[[Any], Any]


def parts_of(spec: Mapping[str, Any]) -> list[Part]:
    """Return the panels of the figure, or the single table, configured by ``spec``."""
    if "panels" in spec:
        return [make_panel(panel) for panel in spec["panels"]]
    return [make_table(spec)]


def shown_by(
    papers: Mapping[str, Paper], names: Collection[str]
) -> tuple[dict[str, set[CellKey]], dict[str, set[str]]] | None:
    """Return the cells and the study tables that the named figures and tables show.

    Parameters
    ----------
    papers : mapping of str to Paper
    names : collection of str
        Names in the form ``paper/name``. A name ``paper/claims`` adds no cells. Names from papers
        that are not in ``papers`` are skipped.

    Returns
    -------
    tuple of dict, or None
        The cells of each paper, and the study tables of each paper. None if ``names`` is empty.

    Raises
    ------
    ConfigError
        Raised when a name matches no figure or table.
    """
    specs: dict[str, Mapping[str, Any] | None] = {f"{paper}/claims": None for paper in papers}
    for paper, kind in product(papers, KINDS):
        for name, spec in getattr(papers[paper], kind).items():
            specs[f"{paper}/{name}"] = spec
    cells: dict[str, set[CellKey]] = {paper: set() for paper in papers}
    tables: dict[str, set[str]] = {paper: set() for paper in papers}
    for place in names:
        paper = place.partition("/")[0]
        if paper not in papers and paper in paper_names():
            continue  # a plan may cover only some of the papers
        if place not in specs:
            raise unknown_name("name in only.figures", place, specs)
        spec = specs[place]
        for part in parts_of(spec) if spec else ():
            cells[paper] |= {(lane, *cell) for lane, cell in product(part.lanes, part.cells or ())}
            tables[paper] |= set(part.tables)
    return (cells, tables) if names else None


def group_of(spec: Mapping[str, Any]) -> str:
    """Return the group of targets to which a figure or table belongs."""
    return spec.get("group", "paper")


class PlannedShown:
    """Figures and tables of one configuration.

    Parameters
    ----------
    basis : Basis
    trials : PlannedTrials
    studies : PlannedStudies

    Raises
    ------
    ConfigError
        Raised when a name is too long, reserved or used twice, or when a figure or table shows a
        cell that the paper does not run.
    """

    def __init__(self, basis: Basis, trials: PlannedTrials, studies: PlannedStudies) -> None:
        self._basis, self._trials, self._studies = basis, trials, studies
        papers = basis.papers
        self._parts = {
            (paper, kind, name): parts_of(spec)
            for paper, kind in product(papers, KINDS)
            for name, spec in getattr(papers[paper], kind).items()
        }
        self._check_names()
        for key in self._parts:
            self._check_parts(*key)

    def names(self, paper: str, kind: str, group: str | None = None) -> list[str]:
        """Return the names of a paper's requested ``figures`` or ``tables``.

        If ``group`` is given, return only the names in this group.
        """
        return [
            name
            for name, spec in getattr(self._basis.papers[paper], kind).items()
            if group in (None, group_of(spec))
            if self.is_made(f"{paper}/{name}")
        ]

    def is_made(self, place: str) -> bool:
        """Return whether the configuration requests a product, given as ``paper/name``."""
        only = self._basis.config["only"]["figures"]
        return not only or place in only

    def name_pattern(self, kind: str) -> str:
        """Return a wildcard constraint that matches only the names of one ``kind`` of product."""
        papers = self._basis.papers
        return "|".join(name for paper in papers for name in self.names(paper, kind)) or "-"

    def figures_of_cells(self, paper: str) -> dict[tuple[str, str, str], list[str]]:
        """Return, for each cell, the panels that show it, such as ``fig1 (a)``."""
        places: dict[tuple[str, str, str], list[str]] = {}
        for name in self.names(paper, "figures"):
            parts = self._parts[paper, "figures", name]
            for letter, part in zip(ascii_lowercase, parts, strict=False):
                place = f"{name} ({letter})" if len(parts) > 1 else name
                for lane, cell in product(part.lanes, sorted(part.cells or ())):
                    places.setdefault((lane, *cell), []).append(place)
        return places

    def caption(self, kind: str) -> Params:
        """Return a params function that gives the title and caption of a figure or table."""

        def text(wildcards: Any) -> str:
            spec = self.spec(wildcards.paper, kind, wildcards.name)
            return f"{spec['title']}. {spec.get('caption', '')}".strip()

        return text

    def cells_of(self, paper: str, kind: str, name: str) -> list[CellKey]:
        """Return the lane, setting and algorithm of each cell that a figure or table shows."""
        parts, group = self._found(paper, kind, name), group_of(self.spec(paper, kind, name))
        cells: dict[CellKey, None] = {}
        for part in parts:
            for lane in part.lanes:
                if part.cells is None:
                    keys = [k for k in self._trials.keys(paper, group=group) if k[0] == lane]
                else:
                    keys = [(lane, *cell) for cell in part.cells]
                cells |= dict.fromkeys(keys)
        return [*cells]

    def studies_of(self, paper: str, kind: str, name: str) -> list[str]:
        """Return the studies whose tables a figure or table shows."""
        tables = {table for part in self._found(paper, kind, name) for table in part.tables}
        return self._studies.of_tables(paper, tables)

    def rounds(self, paper: str) -> dict[str, set[int]]:
        """Return the rounds that a paper's figures and tables use, by ``lane/setting``."""
        rounds: dict[str, set[int]] = {}
        for (paper_of_part, _, _), parts in self._parts.items():
            for part in parts if paper_of_part == paper else ():
                for lane, setting in product(part.lanes, part.settings):
                    rounds.setdefault(f"{lane}/{setting}", set()).update(part.rounds)
        return rounds

    def modules(self, paper: str, kind: str, name: str) -> list[str]:
        """Return the modules that determine the appearance of a figure or table."""
        base = {"figures": "optimist.figures.figure", "tables": "optimist.figures.tables.base"}[
            kind
        ]
        return [base, *sorted({type(part).__module__ for part in self._found(paper, kind, name)})]

    def spec(self, paper: str, kind: str, name: str) -> Mapping[str, Any]:
        """Return the configuration of a figure or table; raise ConfigError if there is none."""
        specs = getattr(self._basis.papers[paper], kind)
        if name not in specs:
            raise unknown_name(f"name among {kind} of {paper}", name, specs)
        return specs[name]

    def _found(self, paper: str, kind: str, name: str) -> list[Part]:
        self.spec(paper, kind, name)
        return self._parts[paper, kind, name]

    # Checks.

    def _check_names(self) -> None:
        of_figures, of_tables = (
            {name for paper in self._basis.papers for name in self.names(paper, kind)}
            for kind in KINDS
        )
        for name in of_figures & of_tables:
            raise ConfigError(
                f"{name!r} names both a figure and a table; allowed: another name for one of them"
            )
        for name in of_figures | of_tables:
            if len(name) > LONGEST_NAME:
                raise ConfigError(
                    f"{brief(name)} names a figure or table; "
                    f"allowed: names of up to {LONGEST_NAME} letters"
                )
        for name in RESERVED & (of_figures | of_tables):
            raise ConfigError(
                f"{name!r} is reserved and cannot name a figure or table; allowed: any other name"
            )
        for paper in self._basis.papers.values():
            for name, settings in paper.parts.items():
                if name in RESERVED | of_figures | of_tables:
                    raise ConfigError(
                        f"{name!r} is already used and cannot name a part; allowed: any other name"
                    )
                for setting in settings:
                    if setting not in paper.settings:
                        raise unknown_name(f"setting of part {name!r}", setting, paper.settings)

    def _check_parts(self, paper: str, kind: str, name: str) -> None:
        """Raise ConfigError if a panel or table is invalid or shows a cell that is not run."""
        for letter, part in zip(ascii_lowercase, self._parts[paper, kind, name], strict=False):
            try:
                for lane, cell in product(part.lanes, part.cells or ()):
                    self._basis.papers[paper].cell(*cell)
                    if (lane, *cell) not in self._trials.asked[paper]:
                        block = "block of runs" if lane == "regret" else "race of timings"
                        raise ConfigError(
                            f"no {block} has algorithm {cell[1]!r} in setting {cell[0]!r}; add it "
                            "to runs.yaml, or remove it from the figure or table"
                        )
                part.check(self._basis.papers[paper])
            except ConfigError as error:
                place = f"figure {name}, panel {letter}" if kind == "figures" else f"table {name}"
                raise ConfigError(f"{place}: {error}") from None
