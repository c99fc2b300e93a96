"""Jobs, files and targets of the workflow, computed from a checked configuration.

The workflow's rules contain only paths and the names of methods of `Plan` and its parts. Building a
plan reads the configuration, the table of costs, the committed tables and source code, but makes no
results. Methods that take ``wildcards`` serve as input or params functions of rules.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from optimist.config.documents import merge
from optimist.config.load import NO_CHANGES, changes_of, check_config, load_config, load_paper
from optimist.config.models import Config, Only
from optimist.core import provenance
from optimist.core.files import fingerprint, sha256
from optimist.core.label import Label
from optimist.core.layout import Layout, digest_in_name
from optimist.core.registry import canonical_name
from optimist.core.root import PACKAGE, project_root
from optimist.experiments import cell_records
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.code_digest import of_modules
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import CellKey
from optimist.plan import costs
from optimist.plan.claims import PlannedClaims
from optimist.plan.data import PlannedData
from optimist.plan.figures import PlannedShown
from optimist.plan.jobs import PlannedJobs
from optimist.plan.studies import PlannedStudies
from optimist.plan.targets import PlannedTargets
from optimist.plan.trials import PlannedTrials

# Configuration keys that set the locations of files, the papers to run, or whether committed
# results are reused. They have no effect on the results themselves.
PLACES = ("results", "figures", "papers", "committed")


class Plan:
    """Jobs, files and targets of one configuration, and the records of the committed tables.

    Each of the seven parts (``claims`` to ``targets``) answers questions on one kind of thing, and
    asks the other parts through the plan.

    Parameters
    ----------
    config : dict
        The contents of config/config.yaml with overlays, as merged by Snakemake.

    Attributes
    ----------
    config, papers : dict
        The checked configuration as a whole, and each paper's configuration by name.
    layout : Layout
    costs : Costs
    claims : PlannedClaims
    data : PlannedData
    shown : PlannedShown
    trials : PlannedTrials
    jobs : PlannedJobs
    studies : PlannedStudies
    targets : PlannedTargets
    """

    def __init__(self, config: Mapping[str, object]) -> None:
        self.config = check_config(config)
        self.layout = Layout(self.config["results"], self.config["figures"])
        factors = {key: self.config[key] for key in ("memory_factor", "time_factor")}
        self.costs = costs.Costs(costs.read(project_root() / "config" / "costs.csv"), **factors)
        changes = changes_of(self.config)
        self.config["only"] = _with_files(self.config["only"], self.config["algorithm_files"])
        self.papers = {name: load_paper(name, changes) for name in self.config["papers"]}
        own = self.papers
        if changes != NO_CHANGES:
            own = {name: load_paper(name, NO_CHANGES) for name in self.papers}
        decide = self.config["decide"].items()
        wanted = {claim: n for claim, n in decide if claim.partition(".")[0] in self.papers}
        self._versions = provenance.packages()
        self._records: dict[str, dict[CellKey, CellRecord]] = {}
        self.claims = PlannedClaims(self.papers, own, wanted)
        self.data = PlannedData(self)
        self.shown = PlannedShown(self)
        self.trials = PlannedTrials(self)
        self.jobs = PlannedJobs(self)
        self.studies = PlannedStudies(self)
        self.targets = PlannedTargets(self)
        self.claims.check(self.trials)
        self.shown.check()

    # The configuration.

    @property
    def reuses(self) -> bool:
        """Whether to reuse committed cells and studies that the current code produced."""
        return bool(self.config["committed"] == "use")

    @property
    def configuration(self) -> dict[str, object]:
        """The part of the configuration that differs from config/config.yaml, without `PLACES`."""
        usual = load_config()
        return {
            key: value
            for key, value in self.config.items()
            if key not in PLACES and value != usual.get(key)
        }

    def is_cut(self, *sections: Literal["only", "caps"]) -> bool:
        """Return whether any of the given sections (``only``, ``caps``) restricts the run."""
        return any(value for section in sections for value in self.config[section].values())

    @property
    def shortened(self) -> str:
        """The limits of a shortened run, such as ``at most 2 trials``; empty for a full run."""
        caps = [self.config["caps"][key] for key in ("rounds", "trials", "timing_trials")]
        words = zip(caps, ("round", "trial", "timed trial"), strict=True)
        limits = [f"{n} {word}{'s' * (n != 1)}" for n, word in words if n is not None]
        return f"at most {', '.join(limits)}" if limits else ""

    # Versions of packages.

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

    # The committed tables.

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
        """Drop all cached data about a paper; call this after its tables have been written."""
        self._records.pop(paper, None)
        self.trials.forget()
        self.targets.forget()

    # The report and the page.

    def report_category(self, wildcards: Any) -> str:
        """Return the category of a paper in Snakemake's report: the name of its method."""
        paper = self.papers[wildcards.paper]
        return paper.names.get(paper.method, str(wildcards.paper))

    def report_labels(self, kind: str) -> Callable[[Any], dict[str, str]]:
        """Return a function that gives the label of a figure or table in Snakemake's report."""
        warning = "shortened run, no result: " if self.shortened else ""
        return lambda w: {"what": warning + self.shown.find(w.paper, kind, w.name).title}

    @property
    def page_code(self) -> str:
        """Digest of all inputs of the page of results other than tables.

        It covers code, scripts, styles, texts, and the docstrings of algorithms.
        """
        assets = (
            path for path in (PACKAGE / "page").rglob("*") if path.suffix not in (".py", ".pyc")
        )
        named = (project_root() / name for name in ("config/findings.yaml", "docs/deviations.md"))
        described = (PACKAGE / "algorithms").rglob("*.py")
        texts = sorted(path for path in (*assets, *named, *described) if path.is_file())
        return fingerprint(
            {"code": of_modules("optimist.page.build"), "texts": [*map(sha256, texts)]}
        )


def as_recorded(config: Config) -> Mapping[str, object]:
    """Return the configuration of one paper, updated with the values in its table of trials.

    The keys in `PLACES` are not updated. If there is no table, ``config`` is returned unchanged.
    """
    (paper,) = config["papers"]
    path = Layout(config["results"], config["figures"]).trials(paper)
    if not Path(path).is_file():
        return config
    recorded = TrialTable(path).metadata["configuration"]
    return merge(config, {key: value for key, value in recorded.items() if key not in PLACES})


def _with_files(only: Only, files: Mapping[str, str]) -> Only:
    """Return ``only``, with each algorithm in ``files`` replaced by its file's canonical name."""

    def label(text: str) -> str:
        name = Label.name_of(text)
        return canonical_name(files[name]) + text[len(name) :] if name in files else text

    return {**only, "algorithms": [label(text) for text in only["algorithms"]]}
