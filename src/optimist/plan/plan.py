"""What the workflow runs and makes, computed from a checked configuration.

The rules hold paths and names of the methods here. At parse time nothing is read but YAML, the
table of costs and the imports of our own modules, and nothing is written. Methods that take
``wildcards`` are input or params functions.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from optimist.files import fingerprint, sha256
from optimist.label import name_of
from optimist.layout import Layout
from optimist.plan import costs
from optimist.plan.claims import PlannedClaims
from optimist.plan.config import changes_of, check_config, load_config, load_paper
from optimist.plan.data import PlannedData
from optimist.plan.jobs import PlannedJobs
from optimist.plan.shown import PlannedShown, shown_by
from optimist.plan.sources import code_of
from optimist.plan.studies import PlannedStudies
from optimist.plan.targets import PlannedTargets
from optimist.plan.trials import PlannedTrials
from optimist.records import cells, provenance
from optimist.records.cells import CellRecord
from optimist.registry import canonical_name
from optimist.root import PACKAGE, project_root
from optimist.runs.trials import CellKey

logger = logging.getLogger("optimist")


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
        self._records: dict[str, dict[CellKey, CellRecord]] = {}
        how = {
            "versions": provenance.packages(),
            "committed": self.committed,
            "reuse": self.config["committed"] == "use",
        }
        own_decide = {
            claim: n
            for claim, n in self.config["decide"].items()
            if claim.partition(".")[0] in self.papers
        }
        self.claims = PlannedClaims(self.papers, own_decide)
        self.data = PlannedData(self.config["datasets"], self.costs, self.layout)
        kept = shown_by(self.papers, self.config["only"]["figures"])
        self.trials = PlannedTrials(
            self.papers,
            self.layout,
            self.config["caps"],
            self.config["only"],
            least=self.claims.least,
            kept=kept and kept[0],
            data=self.data.digest,
            seconds=self.costs.seconds,
            **how,
        )
        self.claims.check(self.papers, self.trials)
        self.jobs = PlannedJobs(self.config, self.trials, self.costs, self.layout)
        self.studies = PlannedStudies(
            self.papers,
            self.trials,
            self.config["caps"],
            self.data,
            self.costs,
            self.layout,
            kept=kept and kept[1],
            **how,
        )
        self.shown = PlannedShown(
            self.papers, self.layout, self.trials, self.studies, self.config["only"]["figures"]
        )
        self.targets = PlannedTargets(
            self.papers,
            self.layout,
            self.trials,
            self.studies,
            self.shown,
            self.claims,
            self.costs,
            self.shortened,
            self.committed,
        )

    def committed(self, paper: str) -> Mapping[CellKey, CellRecord]:
        """Return the records of what the tables of a paper have, by cell."""
        if paper not in self._records:
            self._records[paper] = cells.read(self.layout.cells(paper))
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
        return fingerprint({"code": code_of("optimist.page.build"), "texts": [*map(sha256, texts)]})


def _with_files(only: Mapping[str, list[str]], files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return a restriction with classes in files by their labels instead of by their own names."""

    def label(text: str) -> str:
        name = name_of(text)
        return canonical_name(files[name]) + text[len(name) :] if name in files else text

    return {**only, "algorithms": [label(text) for text in only["algorithms"]]}
