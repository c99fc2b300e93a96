"""Studies of papers, whose tables stand beside those of the runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from optimist.algorithms import algorithm_module
from optimist.environments import environment_module
from optimist.errors import unknown_name
from optimist.label import name_of
from optimist.panels.studies import STUDIES, of_paper, study_class, table_formats
from optimist.panels.studies.base import Study
from optimist.plan.code import sources
from optimist.plan.costs import Costs
from optimist.plan.data import PlannedData
from optimist.runs.cell import Cell


@dataclass(frozen=True)
class PlannedStudies:
    """Studies of one configuration.

    Attributes
    ----------
    papers : mapping
        The loaded configurations of its papers, by name.
    run : mapping
        The cells that each paper runs.
    results : str
        Folder of results.
    caps : mapping
        ``trials`` and ``rounds``: the most that the configuration allows, None for no bound.
    data : PlannedData
    costs : Costs
    """

    papers: Mapping[str, dict[str, Any]]
    run: Mapping[str, Sequence[Cell]]
    results: str
    caps: Mapping[str, Any]
    data: PlannedData
    costs: Costs

    @property
    def asked(self) -> list[type[Study]]:
        """The studies that some paper asks for."""
        names = {study.name for paper in self.papers.values() for study in of_paper(paper)}
        return [study_class(name) for name in STUDIES if name in names]

    def table(self, paper: str, name: str) -> str:
        """Return the path of a table that a study of a paper makes."""
        return f"{self.results}/studies/{paper}/{name}.{table_formats()[name]}"

    def outputs(self, study: type[Study]) -> dict[str, str]:
        """Return the paths of a study's tables by name, for any ``{paper}``."""
        return {name: self.table("{paper}", name) for name in study.tables}

    def tables(self, paper: str) -> dict[str, str]:
        """Return the paths of all tables of a paper's studies, by name."""
        studies = of_paper(self.papers[paper])
        return {name: self.table(paper, name) for study in studies for name in study.tables}

    def benchmark(self, study: type[Study], paper: str = "{paper}") -> str:
        """Return where Snakemake records what a study took."""
        return f"{self.results}/benchmarks/{study.name}/{paper}.tsv"

    def request(self, study: type[Study]) -> dict[str, Callable]:
        """Return what a study asks a scheduler for."""
        return self.costs.request(lambda w: self.costs.study(study.name, w.paper))

    def spec(self, study: type[Study]) -> Callable[[Any], dict[str, Any]]:
        """Return a params function: section, cells and caps of a study, as plain data."""

        def spec(wildcards: Any) -> dict[str, Any]:
            asked = self._asked(wildcards.paper, study)
            return {
                "section": dict(asked.section),
                "cells": [asdict(cell) for cell in self._cells(wildcards.paper, asked)],
                "caps": dict(self.caps),
            }

        return spec

    def inputs(self, study: type[Study]) -> Callable[[Any], list[str]]:
        """Return an input function: the source files behind a study, and its data sets."""

        def inputs(wildcards: Any) -> list[str]:
            cells = self._cells(wildcards.paper, self._asked(wildcards.paper, study))
            datasets = sorted({c.spec["dataset"] for c in cells if "dataset" in c.spec})
            code = sources(study.__module__, *_modules(cells))
            return [*code, *map(self.data.path, datasets), *map(self.data.facts, datasets)]

        return inputs

    def _asked(self, paper: str, study: type[Study]) -> Study:
        asked = {found.name: found for found in of_paper(self.papers[paper])}
        if study.name not in asked:
            raise unknown_name(f"study of {paper}", study.name, asked)
        return asked[study.name]

    def _cells(self, paper: str, study: Study) -> list[Cell]:
        return study.cells(self.papers[paper], self.run[paper])


def _modules(cells: Iterable[Cell]) -> set[str]:
    """Return the modules of the environments and algorithms of some cells."""
    cells = list(cells)
    environments = {environment_module(cell.spec["environment"]) for cell in cells}
    played = [cell for cell in cells if cell.algorithm]
    return environments | {algorithm_module(name_of(c.algorithm), c.domain) for c in played}
