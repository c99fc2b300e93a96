"""Claims of one configuration: what they need to be decided, and what their pages say."""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from optimist import claims
from optimist.claims.checks import Claim, check_first, claim_cells, claims_of
from optimist.claims.first import of_document
from optimist.config.load import claims_path, load_claims
from optimist.core.errors import ConfigError, nearest, unknown_name
from optimist.core.files import read_text
from optimist.experiments.trials import CellKey
from optimist.figures import studies

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

Paper = Mapping[str, Any]

_CLAIM = re.compile(r"^\s*- id: (\S+)")


def more_trials(claims_by_paper: Mapping[str, list[Claim]], decide: Mapping[str, int]) -> Any:
    """Return how many trials cells have at least, by paper, for claims that are to be decided.

    Parameters
    ----------
    claims_by_paper : mapping
    decide : mapping
        Trials, or turns, by claim.

    Raises
    ------
    ConfigError
        For an unknown claim.
    """
    known = {claim.id: claim for found in claims_by_paper.values() for claim in found}
    least: dict[str, dict[CellKey, int]] = {paper: {} for paper in claims_by_paper}
    for name, number in decide.items():
        if name not in known:
            raise unknown_name("claim in decide", name, known)
        own = least[name.partition(".")[0]]
        for cell in claim_cells(known[name]):
            own[cell] = max(own.get(cell, 0), number)
    return least


def check_run(found: Iterable[Claim], asked: Iterable[CellKey]) -> None:
    """Raise ConfigError for a reading that no cell runs, of those that are ``asked`` for.

    Of a claim with one reading `claims.check_trials` names the cell.
    """
    known = ["/".join(cell) for cell in asked]
    for claim in found:
        for reading in claim.readings:
            tested = [check for check in reading.counted or reading.checks if check.is_tested]
            cells = ["/".join(cell) for check in tested for cell in check.cells]
            if not tested or (reading.name and cells and set(cells).isdisjoint(known)):
                lacking = f" ({cells[0]}{nearest(cells[0], known)})" if cells else ""
                raise ConfigError(
                    f"claim {claim.id!r}: no cell runs the reading {reading.name!r}{lacking}; "
                    "allowed: readings with cells in runs.yaml, no others (key 'without')"
                )


class PlannedClaims:
    """The claims of all papers of a configuration.

    Parameters
    ----------
    papers : mapping
    decide : mapping
        Section of the configuration.

    Attributes
    ----------
    by_paper : dict
        The claims of each paper.
    least : dict
        By paper, how many trials its cells have at least, by lane, setting and algorithm.
    """

    def __init__(self, papers: Mapping[str, Paper], decide: Mapping[str, int]) -> None:
        self._documents = {name: load_claims(claims_path(name)) for name in papers}
        self.by_paper = {name: claims_of(document) for name, document in self._documents.items()}
        self.least = more_trials(self.by_paper, decide)

    def document(self, paper: str) -> dict[str, Any]:
        """Return the loaded claims of a paper."""
        return self._documents[paper]

    def rounds(self, paper: str) -> dict[str, set[int]]:
        """Return the rounds that claims of a paper name, by ``lane/setting``."""
        found: dict[str, set[int]] = {}
        checks = (check for claim in self.by_paper[paper] for check in claim.all_checks)
        for check in checks:
            for setting in check.settings if check.rounds else ():
                found.setdefault(f"regret/{setting}", set()).update(check.rounds)
        return found

    def check(self, plan: "Plan") -> None:
        """Refuse claims about what is not run, or is run too seldom to decide them."""
        for name, found in self.by_paper.items():
            planned = {key: trials.stop for key, trials in plan.trials.asked[name].items()}
            check_run(found, planned)
            known = {label for cell in plan.trials.cells[name] for label in cell}
            for study in studies.of_paper(plan.papers[name]):
                own = study.cells(dict(plan.papers[name]), ())
                known |= study.about() | {label for c in own for label in (c.setting, c.algorithm)}
            claims.check_names(found, known)
            claims.check_trials(found, planned)
            document = self._documents[name]
            rows = of_document(document["first"])
            check_first(found, rows, planned, document.get("least", 1))

    def context(self, plan: "Plan", paper: str) -> dict[str, Any]:
        """Return what the rule of claims knows beside tables, as plain data.

        Keys: ``cells``, rows of lane, setting, algorithm, processor seconds of a trial, and
        figures; ``lines``, where each claim stands in its file.
        """
        figures, seconds = plan.shown.figures_of_cells(paper), plan.costs.seconds_of_cell
        cells = [
            [*cell, seconds(paper, *cell), figures.get(cell, [])]
            for cell in sorted(plan.trials.asked[paper])
        ]
        return {
            "cells": cells,
            "lines": lines_of(paper),
        }


def lines_of(paper: str) -> dict[str, int]:
    """Return the line at which each claim of a paper begins in its file, counted from 1."""
    lines = read_text(claims_path(paper)).splitlines()
    found = ((number, _CLAIM.match(line)) for number, line in enumerate(lines, 1))
    return {match[1]: number for number, match in found if match}
