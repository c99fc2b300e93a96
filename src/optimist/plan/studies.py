"""Studies of papers, whose tables stand beside those of the runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from optimist.algorithms import algorithm_module
from optimist.environments import environment_module
from optimist.errors import unknown_name
from optimist.label import name_of
from optimist.layout import Layout
from optimist.panels.studies import STUDIES, of_paper, study_class, table_formats
from optimist.panels.studies.base import Study
from optimist.plan.costs import Costs, priority
from optimist.plan.trials import Paper, PlannedTrials
from optimist.runs.cell import Cell


@dataclass(frozen=True)
class PlannedStudies:
    """Studies of one configuration.

    Attributes
    ----------
    papers : mapping
        The loaded configurations of its papers, by name.
    trials : PlannedTrials
    caps : mapping
        ``trials`` and ``rounds``: the most that the configuration allows, None for no bound.
    costs : Costs
    layout : Layout
    """

    papers: Mapping[str, Paper]
    trials: PlannedTrials
    caps: Mapping[str, Any]
    costs: Costs
    layout: Layout

    @property
    def asked(self) -> list[type[Study]]:
        """The studies that some paper asks for."""
        names = {study.name for paper in self.papers.values() for study in of_paper(paper)}
        return [study_class(name) for name in STUDIES if name in names]

    def table(self, paper: str, name: str) -> str:
        """Return the path of a table that a study of a paper makes."""
        return self.layout.study(paper, name, table_formats()[name])

    def outputs(self, study: type[Study]) -> dict[str, str]:
        """Return the paths of a study's tables by name, for any ``{paper}``."""
        return {name: self.table("{paper}", name) for name in study.tables}

    def tables(self, paper: str) -> dict[str, str]:
        """Return the paths of all tables of a paper's studies, by name."""
        studies = of_paper(self.papers[paper])
        return {name: self.table(paper, name) for study in studies for name in study.tables}

    def use(self, study: type[Study], paper: str = "{paper}") -> str:
        """Return where a study records what it used."""
        return self.layout.use(study.name, paper)

    def priority(self, study: type[Study]) -> Callable[[Any], int]:
        """Return a function of wildcards: the priority of a study."""
        return lambda w: priority(self.costs.study(study.name, w.paper))

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
                "caps": {key: self.caps[key] for key in ("trials", "rounds")},
            }

        return spec

    def inputs(self, study: type[Study]) -> Callable[[Any], list[str]]:
        """Return an input function: the data sets behind a study, and their facts."""

        def inputs(wildcards: Any) -> list[str]:
            cells = self._cells(wildcards.paper, self._asked(wildcards.paper, study))
            datasets = sorted({c.spec["dataset"] for c in cells if "dataset" in c.spec})
            return [*map(self.layout.data, datasets), *map(self.layout.data_facts, datasets)]

        return inputs

    def modules(self, study: type[Study]) -> Callable[[Any], list[str]]:
        """Return a function of wildcards: the modules behind a study."""

        def modules(wildcards: Any) -> list[str]:
            cells = self._cells(wildcards.paper, self._asked(wildcards.paper, study))
            return [study.__module__, *sorted(_modules(cells))]

        return modules

    def _asked(self, paper: str, study: type[Study]) -> Study:
        asked = {found.name: found for found in of_paper(self.papers[paper])}
        if study.name not in asked:
            raise unknown_name(f"study of {paper}", study.name, asked)
        return asked[study.name]

    def _cells(self, paper: str, study: Study) -> list[Cell]:
        run = [trials.cell for trials in self.trials.of_paper(paper).values()]
        return study.cells(dict(self.papers[paper]), run)


def _modules(cells: Iterable[Cell]) -> set[str]:
    """Return the modules of the environments and algorithms of some cells."""
    cells = list(cells)
    environments = {environment_module(cell.spec["environment"]) for cell in cells}
    played = [cell for cell in cells if cell.algorithm]
    return environments | {algorithm_module(name_of(c.algorithm), c.domain) for c in played}
