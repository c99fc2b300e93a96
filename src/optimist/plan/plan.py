"""What the workflow runs and makes, computed from a checked configuration.

The rules hold paths and names of the methods here. At parse time nothing is read but YAML, the
table of costs and the imports of our own modules, and nothing is written. Methods that take
``wildcards`` are input or params functions.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from optimist.config.load import changes_of, check_config, load_config, load_paper
from optimist.core import provenance
from optimist.core.files import fingerprint, sha256
from optimist.core.label import name_of
from optimist.core.layout import Layout, digest_in_name
from optimist.core.registry import canonical_name
from optimist.core.root import PACKAGE, project_root
from optimist.experiments import cell_records
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.experiments.code_digest import of_modules
from optimist.experiments.trials import CellKey
from optimist.plan import costs
from optimist.plan.claims import PlannedClaims
from optimist.plan.data import PlannedData
from optimist.plan.figures import PlannedShown, shown_by
from optimist.plan.jobs import PlannedJobs
from optimist.plan.studies import PlannedStudies
from optimist.plan.targets import PlannedTargets
from optimist.plan.trials import PlannedTrials


class Plan:
    """Jobs, files and targets of one configuration.

    Parameters
    ----------
    config : dict
        config/config.yaml with overlays, as Snakemake merged them.

    Attributes
    ----------
    config, papers : dict
        The checked configuration, and those of its papers by name.
    layout : Layout
    costs : Costs
    claims : PlannedClaims
    trials : PlannedTrials
    jobs : PlannedJobs
    data : PlannedData
    studies : PlannedStudies
    shown : PlannedShown
    targets : PlannedTargets
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
        decide = self.config["decide"].items()
        own = {claim: n for claim, n in decide if claim.partition(".")[0] in self.papers}
        self.claims = PlannedClaims(self.papers, own)
        self.data = PlannedData(self.config["datasets"], self.costs, self.layout)
        kept = shown_by(self.papers, self.config["only"]["figures"]) or (None, None)
        self.trials = PlannedTrials(self, kept[0])
        self.claims.check(self)
        self.jobs = PlannedJobs(self)
        self.studies = PlannedStudies(self, kept[1])
        self.shown = PlannedShown(self)
        self.targets = PlannedTargets(self)

    @property
    def reuses(self) -> bool:
        """Whether cells and studies that the tables have of today's code are not made."""
        return bool(self.config["committed"] == "use")

    def in_name(self, decisive: str) -> str:
        """Return the digest in the name of a result, which depends on versions of packages too."""
        return digest_in_name(decisive, self._versions)

    def committed(self, paper: str) -> Mapping[CellKey, CellRecord]:
        """Return the records of what the tables of a paper have, by cell; of a lost table none."""
        if paper not in self._records:
            has_trials = Path(self.layout.trials(paper)).is_file()
            has_studies = Path(self.layout.studies(paper)).is_file()
            self._records[paper] = {
                key: record
                for key, record in cell_records.read(self.layout.cells(paper)).items()
                if (has_studies if key[0] == STUDY else has_trials)
            }
        return self._records[paper]

    def forget(self, paper: str) -> None:
        """Read the records of a paper's tables again: they were written."""
        self._records.pop(paper, None)

    @property
    def configuration(self) -> dict[str, Any]:
        """What the configuration says otherwise than config/config.yaml."""
        usual = load_config()
        return {key: value for key, value in self.config.items() if value != usual.get(key)}

    def report_category(self, wildcards: Any) -> str:
        """Return what the report calls a paper: its method."""
        paper = self.papers[wildcards.paper]
        return str(paper["names"].get(paper.get("method"), wildcards.paper))

    def report_labels(self, kind: str) -> Callable[[Any], dict[str, str]]:
        """Return a function of wildcards: what the report calls a figure or table, its title."""

        def labels(wildcards: Any) -> dict[str, str]:
            title = self.papers[wildcards.paper][kind][wildcards.name]["title"]
            warning = "shortened run, no result: " if self.shortened else ""
            return {"what": warning + title}

        return labels

    @property
    def shortened(self) -> str:
        """By what the run is made shorter than the papers': ``at most 2 trials``, or empty."""
        words = {"rounds": "round", "trials": "trial", "timing_trials": "timed trial"}
        known = {word: self.config["caps"][key] for key, word in words.items()}
        limits = [f"{n} {word}{'s' * (n != 1)}" for word, n in known.items() if n is not None]
        return f"at most {', '.join(limits)}" if limits else ""

    @property
    def page_code(self) -> str:
        """Digest of what the page of results is made from beside tables.

        That is its code, its programs and styles, sentences, and the docstrings of algorithms.
        """
        own = (path for path in (PACKAGE / "page").rglob("*") if path.suffix not in (".py", ".pyc"))
        named = (project_root() / name for name in ("config/findings.yaml", "docs/deviations.md"))
        described = (PACKAGE / "algorithms").rglob("*.py")
        texts = sorted(path for path in (*own, *named, *described) if path.is_file())
        return fingerprint(
            {"code": of_modules("optimist.page.build"), "texts": [*map(sha256, texts)]}
        )


def _with_files(only: Mapping[str, list[str]], files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return a restriction with classes in files by their labels instead of by their own names."""

    def label(text: str) -> str:
        name = name_of(text)
        return canonical_name(files[name]) + text[len(name) :] if name in files else text

    return {**only, "algorithms": [label(text) for text in only["algorithms"]]}
