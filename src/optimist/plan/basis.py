"""State shared by all parts of a plan: the checked configuration, costs, paths and records."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from optimist.config.load import changes_of, check_config, load_config, load_paper
from optimist.core import provenance
from optimist.core.layout import Layout, digest_in_name
from optimist.core.registry import canonical_name
from optimist.core.root import project_root
from optimist.experiments import cell_records
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import CellKey
from optimist.plan import costs

# Configuration keys that set the locations of files, the papers to run, or whether committed
# results are reused. They have no effect on the results themselves.
PLACES = ("results", "figures", "papers", "committed")


class Basis:
    """A checked configuration, and the records that describe the committed tables.

    Parameters
    ----------
    config : dict
        The contents of config/config.yaml with overlays, as merged by Snakemake.

    Attributes
    ----------
    config : dict
        The checked configuration.
    papers : dict of str to Paper
    layout : Layout
    costs : Costs
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = check_config(config)
        self.layout = Layout(self.config["results"], self.config["figures"])
        self.costs = costs.Costs(
            costs.read(project_root() / "config" / "costs.csv"),
            memory_factor=self.config["memory_factor"],
            time_factor=self.config["time_factor"],
        )
        changes = changes_of(self.config)
        self.config["only"] = _with_files(self.config["only"], self.config["algorithm_files"])
        self.papers = {name: load_paper(name, changes) for name in self.config["papers"]}
        self._versions = provenance.packages()
        self._records: dict[str, dict[CellKey, CellRecord]] = {}

    @property
    def reuses(self) -> bool:
        """Whether to reuse committed cells and studies that the current code produced."""
        return bool(self.config["committed"] == "use")

    def in_name(self, decisive: str) -> str:
        """Return the digest used in a result's file name.

        It combines ``decisive``, the digest of all the result's inputs, with package versions.
        """
        return digest_in_name(decisive, self._versions)

    def is_made_today(self, record: CellRecord) -> bool:
        """Return whether a record's trials were made with today's versions of all packages."""
        made = {*record.made.split("; ")}
        versions = (f"{name} {version}" for name, version in self._versions.items() if version)
        return made.issuperset(versions)

    def committed(self, paper: str) -> Mapping[CellKey, CellRecord]:
        """Return a paper's committed records by cell, except those whose table does not exist."""
        if paper not in self._records:
            has_trials = Path(self.layout.trials(paper)).is_file()
            has_studies = Path(self.layout.studies(paper)).is_file()
            self._records[paper] = {
                key: record
                for key, record in cell_records.read(self.layout.cells(paper)).items()
                if (has_studies if key[0] == STUDY else has_trials)
            }
        return self._records[paper]

    def table(self, paper: str) -> TrialTable:
        """Return a paper's committed table of trials, or an empty table if there is no file."""
        path = self.layout.trials(paper)
        return TrialTable(path if Path(path).is_file() else None)

    def forget(self, paper: str) -> None:
        """Drop the cached records of a paper; call this after its tables have been written."""
        self._records.pop(paper, None)

    @property
    def configuration(self) -> dict[str, Any]:
        """The part of the configuration that differs from config/config.yaml."""
        usual = load_config()
        return {key: value for key, value in self.config.items() if value != usual.get(key)}

    def is_cut(self, *sections: str) -> bool:
        """Return whether any of the given sections (``only``, ``caps``) restricts the run."""
        return any(value for section in sections for value in self.config[section].values())

    @property
    def shortened(self) -> str:
        """The limits of a shortened run, such as ``at most 2 trials``; empty for a full run."""
        words = {"rounds": "round", "trials": "trial", "timing_trials": "timed trial"}
        caps = {word: self.config["caps"][key] for key, word in words.items()}
        limits = [f"{n} {word}{'s' * (n != 1)}" for word, n in caps.items() if n is not None]
        return f"at most {', '.join(limits)}" if limits else ""


def _with_files(only: Mapping[str, list[str]], files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return ``only``, with each algorithm in ``files`` replaced by its file's canonical name."""

    def label(text: str) -> str:
        name = text.partition("[")[0]
        return canonical_name(files[name]) + text[len(name) :] if name in files else text

    return {**only, "algorithms": [label(text) for text in only["algorithms"]]}
