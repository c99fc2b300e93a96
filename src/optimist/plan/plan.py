"""Jobs, files and targets of the workflow, computed from a checked configuration.

The workflow's rules contain only paths and the names of methods of `Plan` and its attributes.
Building a plan reads the configuration, the table of costs, the committed tables and source code,
but makes no results. Methods that take ``wildcards`` serve as input or params functions of rules.
"""

from collections.abc import Callable
from typing import Any

from optimist.config.load import changes_of, load_paper
from optimist.core.files import fingerprint, sha256
from optimist.core.root import PACKAGE, project_root
from optimist.experiments.code_digest import of_modules
from optimist.plan.basis import Basis
from optimist.plan.claims import PlannedClaims
from optimist.plan.data import PlannedData
from optimist.plan.figures import PlannedShown, shown_by
from optimist.plan.jobs import PlannedJobs
from optimist.plan.studies import PlannedStudies
from optimist.plan.targets import PlannedTargets
from optimist.plan.trials import PlannedTrials


class Plan(Basis):
    """Jobs, files and targets of one configuration.

    Parameters
    ----------
    config : dict
        The contents of config/config.yaml with overlays, as merged by Snakemake.

    Attributes
    ----------
    claims : PlannedClaims
    trials : PlannedTrials
    jobs : PlannedJobs
    data : PlannedData
    studies : PlannedStudies
    shown : PlannedShown
    targets : PlannedTargets
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config)
        decide = self.config["decide"].items()
        wanted = {claim: n for claim, n in decide if claim.partition(".")[0] in self.papers}
        is_changed = any(changes_of(self.config).values())
        own = {name: load_paper(name, {}) for name in self.papers} if is_changed else self.papers
        self.claims = PlannedClaims(self.papers, own, wanted)
        self.data = PlannedData(self.config["datasets"], self.costs, self.layout)
        kept = shown_by(self.papers, self.config["only"]["figures"]) or (None, None)
        self.trials = PlannedTrials(self, self.data, self.claims.least, kept[0])
        self.claims.check(self.trials)
        self.jobs = PlannedJobs(self, self.trials)
        self.studies = PlannedStudies(self, self.trials, self.data, kept[1])
        self.shown = PlannedShown(self, self.trials, self.studies)
        self.targets = PlannedTargets(self, self.claims, self.trials, self.studies, self.shown)

    def forget(self, paper: str) -> None:
        """Drop all cached data about a paper; call this after its tables have been written."""
        super().forget(paper)
        self.trials.forget(paper)
        self.targets.forget(paper)

    def report_category(self, wildcards: Any) -> str:
        """Return the category of a paper in Snakemake's report: the name of its method."""
        paper = self.papers[wildcards.paper]
        return paper.names.get(paper.method, wildcards.paper)

    def report_labels(self, kind: str) -> Callable[[Any], dict[str, str]]:
        """Return a function that gives the label of a figure or table in Snakemake's report."""

        def labels(wildcards: Any) -> dict[str, str]:
            title = self.shown.spec(wildcards.paper, kind, wildcards.name)["title"]
            warning = "shortened run, no result: " if self.shortened else ""
            return {"what": warning + title}

        return labels

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
