"""Figures and tables of papers: their names and panels, and the cells and studies they show."""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import product
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from optimist.config.load import paper_names
from optimist.core.errors import ConfigError, brief, known_name
from optimist.experiments.trials import CellKey
from optimist.figures import make_table
from optimist.figures.base import Part
from optimist.figures.models import Figure
from optimist.figures.tables.base import Table

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

# Names that figures and tables cannot have, because other targets use them.
RESERVED = frozenset(("claims", "variants", "publish"))
KINDS = ("figures", "tables")
# Maximum length of a name. File names also need room for the endings of records and of temporary
# files.
LONGEST_NAME = 100


def parts_of(shown: Figure | Table) -> list[Part]:
    """Return the panels of a figure, or a table as a single part."""
    return [*shown.by_letter.values()] if isinstance(shown, Figure) else [shown]


def _cells_of(parts: Iterable[Part]) -> list[CellKey]:
    """Return the cells that panels or tables name; some show all cells, and name none."""
    return [(lane, *c) for part in parts for lane, c in product(part.lanes, part.cells or ())]


class PlannedShown:
    """Figures and tables of a plan.

    Attributes
    ----------
    kept : dict of str to set of CellKey, or None
        The cells of each paper that the figures and tables named in ``only`` show; None if ``only``
        names none. The name ``PAPER/claims`` adds no cells.
    kept_tables : dict of str to set of str, or None
        The tables of studies that they show, by paper.

    Raises
    ------
    ConfigError
        If a name in ``only`` matches no figure or table.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan
        self._shown: dict[tuple[str, str, str], Figure | Table] = {
            (paper.id, kind, name): Figure(**entry) if kind == "figures" else make_table(entry)
            for paper, kind in product(plan.papers.values(), KINDS)
            for name, entry in getattr(paper, kind).items()
        }
        self._parts = {key: parts_of(shown) for key, shown in self._shown.items()}
        self.kept: dict[str, set[CellKey]] | None = None
        self.kept_tables: dict[str, set[str]] | None = None
        if names := plan.config["only"]["figures"]:
            chosen = self._chosen(names)
            self.kept = {paper: {*_cells_of(parts)} for paper, parts in chosen.items()}
            self.kept_tables = {
                paper: {table for part in parts for table in part.tables}
                for paper, parts in chosen.items()
            }

    def _chosen(self, names: Collection[str]) -> dict[str, list[Part]]:
        """Return the parts of the named figures and tables, by paper."""
        papers = self._plan.papers
        every: dict[str, list[Part]] = {f"{paper}/claims": [] for paper in papers}
        every |= {f"{paper}/{name}": parts for (paper, _, name), parts in self._parts.items()}
        chosen: dict[str, list[Part]] = {paper: [] for paper in papers}
        for place in names:
            paper = place.partition("/")[0]
            if paper not in papers and paper in paper_names():
                continue  # a plan may cover only some of the papers
            known_name("name in only.figures", place, every)
            chosen[paper] += every[place]
        return chosen

    def names(self, paper: str, kind: str, group: str | None = None) -> list[str]:
        """Return the names of a paper's requested ``figures`` or ``tables``.

        If ``group`` is given, return only the names in this group.
        """
        return [
            name
            for name in getattr(self._plan.papers[paper], kind)
            if group in (None, self._shown[paper, kind, name].group)
            if self.is_made(f"{paper}/{name}")
        ]

    def is_made(self, place: str) -> bool:
        """Return whether the configuration requests a product, given as ``paper/name``."""
        only = self._plan.config["only"]["figures"]
        return not only or place in only

    def name_pattern(self, kind: str) -> str:
        """Return a wildcard constraint that matches only the names of one ``kind`` of product."""
        return "|".join(n for paper in self._plan.papers for n in self.names(paper, kind)) or "-"

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

    def caption(self, kind: str) -> Callable[[Any], str]:
        """Return a params function that gives the title and caption of a figure or table."""

        def text(wildcards: Any) -> str:
            shown = self.find(wildcards.paper, kind, wildcards.name)
            return f"{shown.title}. {shown.caption}".strip()

        return text

    def cells_of(self, paper: str, kind: str, name: str) -> list[CellKey]:
        """Return the lane, setting and algorithm of each cell that a figure or table shows."""
        shown, cells = self.find(paper, kind, name), dict[CellKey, None]()
        for part in parts_of(shown):
            keys: Iterable[CellKey] = _cells_of([part])
            if part.cells is None:
                planned = self._plan.trials.keys(paper, group=shown.group)
                keys = (key for lane in part.lanes for key in planned if key[0] == lane)
            cells |= dict.fromkeys(keys)
        return [*cells]

    def studies_of(self, paper: str, kind: str, name: str) -> list[str]:
        """Return the studies whose tables a figure or table shows."""
        parts = parts_of(self.find(paper, kind, name))
        tables = {table for part in parts for table in part.tables}
        return self._plan.studies.of_tables(paper, tables)

    def rounds(self, paper: str) -> dict[str, set[int]]:
        """Return the rounds that a paper's figures and tables use, by ``lane/setting``."""
        rounds: dict[str, set[int]] = {}
        for (paper_of_part, _, _), parts in self._parts.items():
            for part in parts if paper_of_part == paper else ():
                for lane, setting, _ in _cells_of([part]):
                    rounds.setdefault(f"{lane}/{setting}", set()).update(part.rounds_read)
        return rounds

    def modules(self, paper: str, kind: str, name: str) -> list[str]:
        """Return the modules that determine the appearance of a figure or table."""
        parts = parts_of(self.find(paper, kind, name))
        base = "optimist.figures." + ("figure" if kind == "figures" else "tables.base")
        return [base, *sorted({type(part).__module__ for part in parts})]

    def spec(self, paper: str, kind: str, name: str) -> Mapping[str, Any]:
        """Return the configuration of a figure or table; raise ConfigError if there is none."""
        specs: Mapping[str, Mapping[str, Any]] = getattr(self._plan.papers[paper], kind)
        known_name(f"name among {kind} of {paper}", name, specs)
        return specs[name]

    def find(self, paper: str, kind: str, name: str) -> Figure | Table:
        """Return a figure or table; raise ConfigError if there is none."""
        self.spec(paper, kind, name)
        return self._shown[paper, kind, name]

    # Checks.

    def check(self) -> None:
        """Check all figures and tables.

        Raises
        ------
        ConfigError
            If a name is too long, reserved or used twice, or if a figure or table is
            invalid or shows a cell that the paper does not run.
        """
        self._check_names()
        for key in self._parts:
            self._check_parts(*key)

    def _check_names(self) -> None:
        of_figures, of_tables = (
            {name for paper in self._plan.papers for name in self.names(paper, kind)}
            for kind in KINDS
        )
        for name in of_figures & of_tables:
            raise ConfigError(
                f"{name!r} names both a figure and a table; allowed: another name for one of them"
            )
        taken = of_figures | of_tables
        for name in (name for name in taken if len(name) > LONGEST_NAME):
            raise ConfigError(
                f"{brief(name)} names a figure or table; allowed: names of up to {LONGEST_NAME} "
                "characters"
            )
        for name in RESERVED & taken:
            raise ConfigError(
                f"{name!r} is reserved and cannot name a figure or table; allowed: any other name"
            )
        for paper in self._plan.papers.values():
            for name, settings in paper.parts.items():
                if name in RESERVED | taken:
                    raise ConfigError(
                        f"{name!r} is already used and cannot name a part; allowed: any other name"
                    )
                for setting in settings:
                    known_name(f"setting of part {name!r}", setting, paper.settings)

    def _check_parts(self, paper: str, kind: str, name: str) -> None:
        for letter, part in zip(ascii_lowercase, self._parts[paper, kind, name], strict=False):
            try:
                for lane, setting, algorithm in _cells_of([part]):
                    self._plan.papers[paper].cell(setting, algorithm)
                    if (lane, setting, algorithm) not in self._plan.trials.asked[paper]:
                        block = "block of runs" if lane == "regret" else "race of timings"
                        raise ConfigError(
                            f"no {block} has algorithm {algorithm!r} in setting {setting!r}; add "
                            "it to runs.yaml, or remove it from the figure or table"
                        )
                part.check(self._plan.papers[paper])
            except ConfigError as error:
                place = f"figure {name}, panel {letter}" if kind == "figures" else f"table {name}"
                raise ConfigError(f"{place}: {error}") from None
