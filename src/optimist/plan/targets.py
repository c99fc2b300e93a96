"""Targets: claims, manifests, and what can be asked for by name."""

import os
from contextlib import suppress
from itertools import product
from pathlib import Path

from optimist.plan.code import sources
from optimist.runs import trials as experiment

# Target suffix and manifest name of each group of cells.
GROUPS = {"paper": ("", "manifest"), "variants": ("_variants", "manifest_variants")}
TABLES = ("finals", "regrets", "times")


def group_of_manifest(wildcards):
    """Return the group of cells that a manifest is of."""
    return next(group for group, (_, name) in GROUPS.items() if name == wildcards.manifest)


class PlannedTargets:
    """Claims, manifests and named targets of one configuration.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan):
        self._plan = plan

    def claims_tables(self, paper):
        """Return the tables that claims are decided on, by name."""
        folder = f"{self._plan.results}/tables/{paper}/paper"
        aggregated = {name: f"{folder}/{name}.parquet" for name in TABLES}
        return aggregated | self._plan.studies.tables(paper)

    def claims_sources(self, wildcards):
        """Return the claims of a paper and the source files of the verdicts."""
        claimed = f"config/claims/{wildcards.paper}.yaml"
        return [claimed, *sources("optimist.claims", "optimist.runs.aggregate")]

    def claims_inputs(self, wildcards):
        """Return the claims of a paper, its tables and the sources of the verdicts."""
        claimed, *source = self.claims_sources(wildcards)
        tables = self.claims_tables(wildcards.paper)
        return {"claims": claimed, "source": source, **tables}

    def claims_files(self, paper):
        """Return the files of a paper's verdicts."""
        return [f"{self._plan.figures}/{paper}/claims.{suffix}" for suffix in ("csv", "md")]

    def files(self, paper, group):
        """Return all files of a paper's figures, tables and claims of one group, by target."""
        claims = {"claims": self.claims_files(paper)} if group == "paper" else {}
        return self._plan.items.files(paper, group) | claims

    def manifest_inputs(self, wildcards):
        """Return all files that a manifest describes, and the data sets behind them."""
        described = self.manifest_sources(wildcards).values()
        behind = {path for item in described for path in item["inputs"]}
        data = sorted(filter(self._plan.data.is_part, behind))
        return [*(path for item in described for path in item["files"]), *data]

    def manifest_sources(self, wildcards):
        """Return for each figure, table and the claims: its files and what they were made from."""
        paper, group = wildcards.paper, group_of_manifest(wildcards)
        return {
            name: {"files": files, "inputs": self._made_from(paper, group, name)}
            for name, files in self.files(paper, group).items()
        }

    def _made_from(self, paper, group, name):
        """Return the result files, tables and data sets behind a figure, table or the claims."""
        plan = self._plan
        if name == "claims":
            found = [*plan.paths(paper, group=group), *plan.studies.tables(paper).values()]
        else:
            kind = "figures" if name in plan.items.names(paper, "figures") else "tables"
            found = plan.items.made_from(paper, kind, name)
        used = {f"{plan.results}/{path}": job.cell.spec for path, job in plan.jobs.items()}
        datasets = {used[path]["dataset"] for path in found if "dataset" in used.get(path, {})}
        return [*found, *plan.data.behind(datasets)]

    def _part_files(self, paper, settings):
        """Return all results of some settings of a paper, and the figures of nothing else."""
        plan = self._plan
        cells = set(product(settings, {job.cell.algorithm for job in plan.jobs.values()}))
        files = plan.paths(paper, group="paper", cells=cells)
        drawn = plan.items.files(paper, "paper")
        for name in plan.items.names(paper, "figures", "paper"):
            shown = set(plan.items.drawn_from(paper, "figures", name).get("regret", []))
            if shown and shown <= set(files):
                files += drawn[name]
        return files

    def named(self, paper):
        """Return the files behind each named target of a paper."""
        parts = self._plan.papers[paper].get("parts", {})
        targets = {
            f"{paper}_{name}": self._part_files(paper, settings) for name, settings in parts.items()
        }
        for group, (suffix, manifest) in GROUPS.items():
            if self._plan.paths(paper, group=group):
                targets[paper + suffix] = [f"{self._plan.figures}/{paper}/{manifest}.json"]
            for name, files in self.files(paper, group).items():
                targets[f"{paper}_{name}"] = files
        return targets

    @property
    def all(self):
        """The files behind the target ``all``: every paper, and the page of claims."""
        folder = self._plan.figures
        manifests = [f"{folder}/{paper}/manifest.json" for paper in self._plan.papers]
        return [*manifests, f"{folder}/claims.csv", f"{folder}/claims.md"]

    def outdate_foreign_figures(self):
        """Make the figures of papers without any result here look old, so that they are made.

        They came with the checkout. Snakemake goes by the time of files alone where it has no
        record, and does not miss the results behind a figure that looks newer than our sources.
        """
        for paper in self._plan.papers:
            kinds = (*experiment.LANES, "studies")  # one of them is behind every figure
            folders = (Path(self._plan.results, kind, paper) for kind in kinds)
            if not any(folder.exists() for folder in folders):
                for path in Path(self._plan.figures, paper).rglob("*.*"):
                    with suppress(OSError):  # a folder that is read-only
                        os.utime(path, (1.0, 1.0))
