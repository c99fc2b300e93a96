"""Studies of papers, whose tables stand beside those of the runs."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from optimist.algorithms import algorithm_module
from optimist.environments import environment_module
from optimist.errors import ConfigError, unknown_name
from optimist.files import fingerprint
from optimist.label import name_of
from optimist.layout import Layout, digest_in_name
from optimist.panels.studies import of_paper
from optimist.panels.studies.base import Study
from optimist.plan.costs import Costs, priority
from optimist.plan.data import PlannedData
from optimist.plan.sources import code_of
from optimist.plan.trials import Paper, PlannedTrials
from optimist.records.cells import STUDY, CellRecord
from optimist.runs.cell import Cell
from optimist.runs.trials import CellKey


class PlannedStudies:
    """Studies of one configuration.

    Parameters
    ----------
    papers : mapping
        The loaded configurations of its papers, by name.
    trials : PlannedTrials
    caps : mapping
        ``trials`` and ``rounds``: the most that the configuration allows, None for no bound.
    data : PlannedData
    costs : Costs
    layout : Layout
    kept : mapping or None
        By paper, the tables of studies that are asked for; None for all.
    versions : mapping
        Versions of the packages.
    committed : callable
        From a paper to the records of what its tables have.
    reuse : bool
        Whether studies that the tables have of today's code are not computed.
    """

    def __init__(
        self,
        papers: Mapping[str, Paper],
        trials: PlannedTrials,
        caps: Mapping[str, Any],
        data: PlannedData,
        costs: Costs,
        layout: Layout,
        *,
        kept: Mapping[str, Collection[str]] | None = None,
        versions: Mapping[str, Any] | None = None,
        committed: Callable[[str], Mapping[CellKey, CellRecord]] = lambda paper: {},
        reuse: bool = False,
    ) -> None:
        self._papers, self._trials, self._data = papers, trials, data
        self._costs, self._layout, self._kept = costs, layout, kept
        self._caps = {key: caps[key] for key in ("trials", "rounds")}
        self._versions, self._committed, self._reuse = dict(versions or {}), committed, reuse
        self._digests: dict[tuple[str, str], str] = {}

    def names(self, paper: str) -> list[str]:
        """Return the names of the studies that a paper asks for."""
        return [
            study.name
            for study in of_paper(self._papers[paper])
            if self._kept is None
            or study.always
            or not study.tables.keys().isdisjoint(self._kept[paper])
        ]

    def of_tables(self, paper: str, tables: Collection[str]) -> list[str]:
        """Return the studies of a paper that make some tables."""
        found = of_paper(self._papers[paper])
        return [study.name for study in found if not study.tables.keys().isdisjoint(tables)]

    def spec(self, paper: str, name: str) -> dict[str, Any]:
        """Return section, cells and caps of a study, as plain data."""
        study = self._asked(paper, name)
        return {
            "section": dict(study.section),
            "cells": [asdict(cell) for cell in self._cells(paper, study)],
            "caps": self._caps,
        }

    def digest(self, paper: str, name: str) -> str:
        """Return the digest of what decides the tables of a study: configuration, code, data."""
        key = paper, name
        if key not in self._digests:
            study = self._asked(paper, name)
            cells = self._cells(paper, study)
            code = code_of(type(study).__module__, *sorted(_modules(cells)))
            data = {name: self._data.digest(name) for name in _datasets(cells)}
            decisive = {**self.spec(paper, name), "code": code, "data": data}
            self._digests[key] = fingerprint(decisive)
        return self._digests[key]

    def file(self, paper: str, name: str) -> str:
        """Return the file of the tables of a study."""
        digest = digest_in_name(self.digest(paper, name), self._versions)
        return self._layout.study(paper, name, digest)

    def is_committed(self, paper: str, name: str) -> bool:
        """Return whether the tables of a paper have a study, made by today's code."""
        record = self._committed(paper).get((STUDY, name, ""))
        return record is not None and record.is_of(self.digest(paper, name))

    def needed(self, paper: str, names: Iterable[str]) -> list[str]:
        """Return the files of studies that a reader waits for, see `PlannedTrials.needed`."""
        return [
            path
            for name in names
            for path in [self.file(paper, name)]
            if not (self._reuse and self.is_committed(paper, name)) or Path(path).exists()
        ]

    # What the rule needs.

    def inputs(self, wildcards: Any) -> list[str]:
        """Return the data sets behind a study, and their facts."""
        datasets = _datasets(self._cells(wildcards.paper, self._found(wildcards)))
        return [*map(self._layout.data, datasets), *map(self._layout.data_facts, datasets)]

    def params(self, wildcards: Any) -> dict[str, Any]:
        """Return what the script needs: the study, `spec`, and its digest."""
        paper, name = wildcards.paper, self._found(wildcards).name
        return {"study": name, "digest": self.digest(paper, name), **self.spec(paper, name)}

    def expected(self, wildcards: Any) -> tuple[float, float]:
        """Return the seconds and the memory in MiB of a study."""
        return self._costs.study(wildcards.study, wildcards.paper)

    def priority(self, wildcards: Any) -> int:
        return priority(self.expected(wildcards))

    def is_timed(self, wildcards: Any) -> bool:
        """Return whether a study measures times."""
        return self._asked(wildcards.paper, wildcards.study).timed

    def _found(self, wildcards: Any) -> Study:
        study = self._asked(wildcards.paper, wildcards.study)
        path = self.file(wildcards.paper, study.name)
        if not path.endswith(f".{wildcards.digest}.parquet"):
            raise ConfigError(
                f"{wildcards.paper} has no study {study.name} of digest {wildcards.digest}; "
                f"allowed: {path}"
            )
        return study

    def _asked(self, paper: str, name: str) -> Study:
        asked = {study.name: study for study in of_paper(self._papers[paper])}
        if name not in asked:
            raise unknown_name(f"study of {paper}", name, asked)
        return asked[name]

    def _cells(self, paper: str, study: Study) -> list[Cell]:
        run = list({t.cell.name: t.cell for t in self._trials.of_paper(paper).values()}.values())
        return study.cells(dict(self._papers[paper]), run)


def _datasets(cells: Iterable[Cell]) -> list[str]:
    """Return the data sets of some cells."""
    return sorted({cell.spec["dataset"] for cell in cells if "dataset" in cell.spec})


def _modules(cells: Iterable[Cell]) -> set[str]:
    """Return the modules of the environments and algorithms of some cells."""
    cells = list(cells)
    environments = {environment_module(cell.spec["environment"]) for cell in cells}
    played = [cell for cell in cells if cell.algorithm]
    return environments | {algorithm_module(name_of(c.algorithm), c.domain) for c in played}
