"""Claims in a configuration: the trials they need, and their line numbers in the claims file."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from optimist.claims.cells import UNIFORM
from optimist.claims.claim import Claim, PaperClaims
from optimist.claims.first import of_document
from optimist.claims.planned import check_first, check_planned, claim_cells
from optimist.config.load import claims_path, load_claims
from optimist.core.errors import ConfigError, known_name, nearest
from optimist.core.files import read_text
from optimist.core.label import Label
from optimist.environments import unseen_options
from optimist.experiments.paper import Paper
from optimist.experiments.trials import CellKey
from optimist.figures import studies

if TYPE_CHECKING:
    from optimist.plan.trials import PlannedTrials


_CLAIM = re.compile(r"^\s*- id: (\S+)")


def more_trials(
    claims_by_paper: Mapping[str, list[Claim]],
    decide: Mapping[str, int],
    homes: Mapping[str, Mapping[str, str]],
) -> dict[str, dict[CellKey, int]]:
    """Return the number of trials that ``decide`` requires of each cell, by paper and cell.

    Parameters
    ----------
    claims_by_paper : mapping
        List of the claims of each paper.
    decide : mapping
        Number of trials (or turns, in the timing lane) required for each claim, by claim ID.
    homes : mapping
        For each paper, the setting whose uniform play each setting shares.

    Raises
    ------
    ConfigError
        If ``decide`` names an unknown claim.
    """
    by_name = {claim.id: claim for claims in claims_by_paper.values() for claim in claims}
    least: dict[str, dict[CellKey, int]] = {paper: {} for paper in claims_by_paper}
    for name, number in decide.items():
        known_name("claim in decide", name, by_name)
        paper = name.partition(".")[0]
        fewest = least[paper]
        for cell in claim_cells(by_name[name], homes[paper]):
            fewest[cell] = max(fewest.get(cell, 0), number)
    return least


def check_run(claims: Iterable[Claim], asked: Iterable[CellKey]) -> None:
    """Raise ConfigError if a reading of a claim has no cell in ``asked``.

    If a claim has only one reading, `check_planned` reports the missing cell instead.
    """
    cells_asked = ["/".join(cell) for cell in asked]
    for claim in claims:
        for reading in claim.readings:
            tested = [check for check in reading.counted or reading.checks if check.is_tested]
            cells = ["/".join(cell) for check in tested for cell in check.cells]
            if not tested or (reading.name and cells and set(cells).isdisjoint(cells_asked)):
                lacking = f" ({cells[0]}{nearest(cells[0], cells_asked)})" if cells else ""
                raise ConfigError(
                    f"claim {claim.id!r}: no cell is run for reading {reading.name!r}{lacking}; "
                    "allowed: readings with cells in runs.yaml (list others under key 'without')"
                )


def uniform_names(paper: Paper, labels: Iterable[str]) -> dict[str, str]:
    """Return, for each setting, its label without the options that uniform play does not see."""
    names = {}
    for label in map(Label.parse, labels):
        unseen = unseen_options(paper.settings[label.name].environment)
        seen = {key: value for key, value in label.options if key not in unseen}
        names[str(label)] = str(Label.make(label.name, seen))
    return names


def homes_of(paper: Paper, names: Mapping[str, str]) -> dict[str, str]:
    """Return, for each setting, the one with the same uniform play that has the most trials of it.

    ``names`` is the result of `uniform_names`. A setting is omitted if no such setting has any.
    """
    trials = {
        str(setting.label): block.trials
        for block in paper.runs
        if UNIFORM in block.algorithms
        for setting in block.settings
    }
    most: dict[str, str] = {}
    for setting in sorted(trials, key=lambda setting: (trials[setting], setting)):
        most[names[setting]] = setting
    return {setting: most[name] for setting, name in names.items() if name in most}


def learners_of(paper: Paper, claims: Iterable[Claim]) -> dict[str, list[str]]:
    """Return, for each setting, the methods of counted readings that the paper's runs play in it.

    These are the methods that can open a gate; see `optimist.claims.gates`.
    """
    counted = {
        algorithm
        for claim in claims
        for reading in claim.readings
        for check in reading.counted
        for algorithm in check.algorithms
    } - {UNIFORM}
    learners: dict[str, list[str]] = {}
    for block in (block for block in paper.runs if block.group == "paper"):
        some = [str(algorithm) for algorithm in block.algorithms if algorithm in counted]
        for setting in block.settings:
            learners.setdefault(str(setting.label), []).extend(some)
    return {setting: sorted(set(some)) for setting, some in learners.items()}


class PlannedClaims:
    """The claims of all papers in a configuration.

    Parameters
    ----------
    papers : mapping
        Configuration of each paper, by name.
    own : mapping
        The same without the user's changes and additions.
    decide : mapping
        Section ``decide`` of the configuration.

    Attributes
    ----------
    by_paper : dict
        List of the claims of each paper.
    least : dict
        Minimum number of trials of each cell, by paper and then by (lane, setting, algorithm).
    """

    def __init__(
        self, papers: Mapping[str, Paper], own: Mapping[str, Paper], decide: Mapping[str, int]
    ) -> None:
        self._papers = papers
        self._documents, self._homes = {}, {}
        for name in papers:
            document = load_claims(claims_path(name))
            claims = document.claims
            checks = (check for claim in claims for check in claim.all_checks)
            named = {setting for check in checks if check.cells for setting in check.settings}
            played = {str(one.label) for block in papers[name].runs for one in block.settings}
            names = uniform_names(papers[name], sorted(named | played))
            titles = {
                str(label): one.title for label, one in papers[name].bases.items() if one.title
            }
            self._documents[name] = replace(
                document,
                uniform_names=names,
                titles=titles,
                learners=learners_of(own[name], claims),
            )
            self._homes[name] = homes_of(papers[name], names)
        self.by_paper = {name: document.claims for name, document in self._documents.items()}
        self.least = more_trials(self.by_paper, decide, self._homes)

    def document(self, paper: str) -> PaperClaims:
        """Return a paper's claims."""
        return self._documents[paper]

    def rounds(self, paper: str) -> dict[str, set[int]]:
        """Return the rounds mentioned in a paper's claims, by ``lane/setting``."""
        rounds: dict[str, set[int]] = {}
        checks = (check for claim in self.by_paper[paper] for check in claim.all_checks)
        for check in checks:
            for setting in check.settings if check.rounds else ():
                rounds.setdefault(f"regret/{setting}", set()).update(check.rounds)
        return rounds

    def check(self, trials: "PlannedTrials") -> None:
        """Raise ConfigError if a claim is about a cell that is not run or has too few trials."""
        for name, claims in self.by_paper.items():
            planned = {key: one.stop for key, one in trials.asked[name].items()}
            check_run(claims, planned)
            names = {label for _, *cell in trials.asked[name] for label in cell}
            for study in studies.of_paper(self._papers[name]):
                cells = study.cells(self._papers[name], ())
                names |= study.about() | {str(label) for cell in cells for label in cell.labels}
            homes, document = self._homes[name], self._documents[name]
            check_planned(claims, names, planned, homes)
            check_first(claims, of_document(document.first), planned, document.least, homes)


def lines_of(paper: str) -> dict[str, int]:
    """Return the line number, counted from 1, at which each claim begins in the claims file."""
    lines = read_text(claims_path(paper)).splitlines()
    matches = ((number, _CLAIM.match(line)) for number, line in enumerate(lines, 1))
    return {match[1]: number for number, match in matches if match}
