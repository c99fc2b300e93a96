"""What the workflow runs and makes, computed from a checked configuration.

The rules hold paths and names of the methods here. At parse time nothing is read but YAML, the
table of costs and the imports of our own modules, and nothing is written. Methods that take
``wildcards`` are input or params functions.
"""

import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from optimist.errors import ConfigError
from optimist.label import name_of
from optimist.layout import Layout
from optimist.plan import costs
from optimist.plan.claims import PlannedClaims
from optimist.plan.config import changes_of, check_config, load_paper
from optimist.plan.data import PlannedData
from optimist.plan.jobs import PlannedJobs
from optimist.plan.shown import PlannedShown
from optimist.plan.sources import code
from optimist.plan.studies import PlannedStudies
from optimist.plan.targets import PlannedTargets
from optimist.plan.trials import PlannedTrials
from optimist.registry import canonical_name
from optimist.root import PACKAGE, project_root
from optimist.runs.trials import count

# Result files beyond which planning takes a minute, and beyond which it takes the machine's memory.
MANY_FILES, MOST_FILES = 50_000, 2_000_000

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
        self._announce()
        self.claims = PlannedClaims(self.papers, self.config["decide"])
        self.trials = PlannedTrials(
            self.papers, self.layout, self.config["caps"], self.config["only"], self.claims.least
        )
        self.claims.check(self.papers, self.trials)
        self.jobs = PlannedJobs(self.config, self.trials, self.costs, self.layout)
        self.data = PlannedData(self.config["datasets"], self.costs, self.layout)
        self.studies = PlannedStudies(
            self.papers, self.trials, self.config["caps"], self.costs, self.layout
        )
        self.shown = PlannedShown(self.papers, self.layout, self.trials, self.studies)
        self.targets = PlannedTargets(
            self.papers, self.layout, self.trials, self.data, self.studies, self.shown
        )

    def _announce(self) -> None:
        """Say how much is asked for before planning it takes minutes; refuse what cannot be."""
        trials = files = 0
        seconds = 0.0
        for paper in self.papers.values():
            for one, number, its_files in count(paper, self.config["caps"], self.config["only"]):
                trials, files = trials + number, files + its_files
                seconds += number * self.costs.seconds(one)
        most = self.config["job_files"], self.config["job_seconds"] or math.inf
        jobs = math.ceil(max(files / most[0], min(files, seconds / most[1])))
        size = (
            f"{trials} trials in {files} result files, at least {jobs} jobs, some "
            f"{seconds / 3600:.3g} core-hours by config/costs.csv"
        )
        if files > MOST_FILES:
            raise ConfigError(
                f"the configuration asks for {size}; allowed: at most {MOST_FILES} files; fewer "
                "trials, or larger changes.trials_per_file, make fewer"
            )
        if files > MANY_FILES:
            logger.warning("planning %s", size)

    def claims_context(self, wildcards: Any) -> dict[str, Any]:
        """Return what the claims of a paper are decided with beside tables."""
        known = self.claims.context(wildcards.paper, self.trials, self.costs, self.shown)
        return {**known, "shortened": self.shortened}

    def paper_summary(self, wildcards: Any) -> dict[str, Any]:
        """Return what drawing needs to know of a paper, and whether the run is shortened."""
        return {**self.shown.paper_summary(wildcards), "shortened": self.shortened}

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
    def page_sources(self) -> list[str]:
        """The files behind the page of results that are neither results nor Python."""
        own = (PACKAGE / "page").rglob("*")
        named = (project_root() / name for name in ("config/findings.yaml", "docs/deviations.md"))
        found = (path for path in (*own, *named) if path.is_file())
        return sorted(str(path) for path in found if path.suffix not in (".py", ".pyc"))

    def node_alone(self, lane: str, words: str) -> str:
        """Return the words that ask a scheduler for a node of one's own, if a lane needs one."""
        return words if self.jobs.keeps_cores(lane) else ""

    def aggregate_request(self, group: str | None = None) -> dict[str, Any]:
        """Return what aggregating a group, by default that of the wildcards, asks a scheduler for.

        What is made from the aggregated tables takes as much.
        """
        return self.costs.request(
            lambda w: self.costs.aggregation(self.trials.rows(w.paper, group or w.group))
        )

    def group_paths(self, lane: str) -> Callable[[Any], list[str]]:
        """Return an input function: all result files of a paper's group in one lane."""
        return lambda w: self.trials.paths(w.paper, lanes=[lane], group=w.group)

    def group_fingerprints(self, wildcards: Any) -> dict[str, str]:
        """Return the fingerprints of all result files of a paper's group, for its tables."""
        return self.trials.fingerprints(self.trials.paths(wildcards.paper, group=wildcards.group))

    def best_known_fingerprints(self, wildcards: Any) -> dict[str, str]:
        """Return the fingerprints of the results that best known values are found in."""
        paths = self.trials.best_known_paths(wildcards.paper, wildcards.group)
        return self.trials.fingerprints(paths)

    # What Snakemake compares to learn of edits.
    code = staticmethod(code)


def _with_files(only: Mapping[str, list[str]], files: Mapping[str, str]) -> dict[str, list[str]]:
    """Return a restriction with classes in files by their labels instead of by their own names."""

    def label(text: str) -> str:
        name = name_of(text)
        return canonical_name(files[name]) + text[len(name) :] if name in files else text

    return {**only, "algorithms": [label(text) for text in only["algorithms"]]}
