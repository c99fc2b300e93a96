"""Studies of papers: computations whose tables complement the tables of trials."""

from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.algorithms import algorithm_module
from optimist.config.documents import copied
from optimist.core.errors import ConfigError, known_name
from optimist.core.files import fingerprint
from optimist.environments import environment_module
from optimist.experiments.cell import Cell
from optimist.experiments.cell_records import STUDY
from optimist.experiments.code_digest import of_modules
from optimist.figures.studies import of_paper
from optimist.figures.studies.base import Study
from optimist.plan.costs import priority

if TYPE_CHECKING:
    from optimist.plan.plan import Plan


class PlannedStudies:
    """Studies of a plan.

    Attributes
    ----------
    digest : callable
        Returns a digest of the configuration, code and data that determine the tables of a study,
        given a paper and the name of the study.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan
        self.digest = cache(self._digest)

    def names(self, paper: str) -> list[str]:
        """Return the names of the requested studies of a paper."""
        kept = self._plan.shown.kept_tables
        return [
            study.name
            for study in of_paper(self._plan.papers[paper])
            if kept is None or study.always or not study.tables.keys().isdisjoint(kept[paper])
        ]

    def all(self, paper: str) -> list[str]:
        """Return the names of all studies of a paper, requested or not."""
        return [study.name for study in of_paper(self._plan.papers[paper])]

    def of_tables(self, paper: str, tables: Collection[str]) -> list[str]:
        """Return the names of a paper's studies that make any of the given tables."""
        studies = of_paper(self._plan.papers[paper])
        return [study.name for study in studies if not study.tables.keys().isdisjoint(tables)]

    def spec(self, paper: str, name: str) -> dict[str, object]:
        """Return a study's configured section, cells and caps, as plain data."""
        study = self._asked(paper, name)
        return {
            "section": copied(study.section),
            "cells": [cell.describe() for cell in self._cells(paper, study)],
            "caps": {key: self._plan.config["caps"][key] for key in ("trials", "rounds")},
        }

    def _digest(self, paper: str, name: str) -> str:
        study = self._asked(paper, name)
        cells = self._cells(paper, study)
        code = of_modules(*modules_of(study, cells))
        data = {name: self._plan.data.digest(name) for name in _datasets(cells)}
        return fingerprint({**self.spec(paper, name), "code": code, "data": data})

    def file(self, paper: str, name: str) -> str:
        """Return the path of the file with a study's tables."""
        digest = self._plan.in_name(self.digest(paper, name))
        return self._plan.layout.study(paper, name, digest)

    def fresh_file(self, paper: str, name: str) -> str | None:
        """Return the result file from which to publish a study, or None if there is none.

        A restricted run may compute a study on fewer cells, so its result is not used if the
        committed tables already contain the study.
        """
        is_kept = (STUDY, name, "") in self._plan.committed(paper)
        path = self.file(paper, name)
        is_taken = Path(path).is_file() and not (is_kept and self._plan.is_cut("only", "caps"))
        return path if is_taken else None

    def is_committed(self, paper: str, name: str) -> bool:
        """Return whether the current code produced the committed tables of a study."""
        record = self._plan.committed(paper).get((STUDY, name, ""))
        return record is not None and record.is_of(self.digest(paper, name))

    def needed(self, paper: str, names: Iterable[str]) -> list[str]:
        """Return the files that must exist before studies are used; see `PlannedTrials.needed`."""
        return [
            path
            for name in names
            for path in [self.file(paper, name)]
            if not (self._plan.reuses and self.is_committed(paper, name)) or Path(path).exists()
        ]

    # Functions called by the workflow's rule ``study``.

    def inputs(self, wildcards: Any) -> list[str]:
        """Return the paths of the data sets that a study uses, and of the facts about them."""
        datasets = _datasets(self._cells(wildcards.paper, self._found(wildcards)))
        layout = self._plan.layout
        return [*map(layout.data, datasets), *map(layout.data_facts, datasets)]

    def params(self, wildcards: Any) -> dict[str, object]:
        """Return the parameters of a study's script: the study's name, digest and `spec`."""
        paper, name = wildcards.paper, self._found(wildcards).name
        return {"study": name, "digest": self.digest(paper, name), **self.spec(paper, name)}

    def expected(self, wildcards: Any) -> tuple[float, float]:
        """Return a study's expected time in seconds and peak memory in MiB."""
        return self._plan.costs.study(wildcards.study, wildcards.paper)

    def priority(self, wildcards: Any) -> int:
        """Return the priority of a study; the longest job starts first."""
        return priority(self.expected(wildcards))

    def is_timed(self, wildcards: Any) -> bool:
        """Return whether a study measures times."""
        return self._asked(wildcards.paper, wildcards.study).timed

    def _found(self, wildcards: Any) -> Study:
        study = self._asked(wildcards.paper, wildcards.study)
        path = self.file(wildcards.paper, study.name)
        if not path.endswith(f".{wildcards.digest}.parquet"):
            raise ConfigError(
                f"{wildcards.paper} has no study {study.name} with digest {wildcards.digest}; "
                f"allowed: {path}"
            )
        return study

    def _asked(self, paper: str, name: str) -> Study:
        asked = {study.name: study for study in of_paper(self._plan.papers[paper])}
        known_name(f"study of {paper}", name, asked)
        return asked[name]

    def _cells(self, paper: str, study: Study) -> list[Cell]:
        run = list(
            {t.cell.name: t.cell for t in self._plan.trials.of_paper(paper).values()}.values()
        )
        return study.cells(self._plan.papers[paper], run)


def _datasets(cells: Iterable[Cell]) -> list[str]:
    return sorted({cell.setting.dataset for cell in cells} - {""})


def modules_of(study: Study, cells: Iterable[Cell]) -> set[str]:
    """Return the modules that define a study, its environments and its algorithms."""
    cells = list(cells)
    environments = {environment_module(cell.setting.environment) for cell in cells}
    algorithms = {algorithm_module(c.algorithm.name, c.domain) for c in cells if c.algorithm}
    return {type(study).__module__} | environments | algorithms
