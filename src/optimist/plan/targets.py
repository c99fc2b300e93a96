"""Targets: claims, manifests, and what can be asked for by name."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from optimist.layout import GROUPS, Layout, parse_manifest
from optimist.plan.data import PlannedData
from optimist.plan.shown import PlannedShown
from optimist.plan.studies import PlannedStudies
from optimist.plan.trials import Paper, PlannedTrials
from optimist.root import project_file


class PlannedTargets:
    """Claims, manifests and named targets of one configuration.

    A target asks for what it shows, and for the results behind it: those that came with a checkout
    are made again where their results are not there, as Snakemake makes what is asked for and is
    missing, and then what is made from it.

    Parameters
    ----------
    papers : mapping of str to Paper
    layout : Layout
    trials : PlannedTrials
    data : PlannedData
    studies : PlannedStudies
    shown : PlannedShown
    """

    def __init__(
        self,
        papers: Mapping[str, Paper],
        layout: Layout,
        trials: PlannedTrials,
        data: PlannedData,
        studies: PlannedStudies,
        shown: PlannedShown,
    ) -> None:
        self._papers = papers
        self._layout = layout
        self._trials = trials
        self._data = data
        self._studies = studies
        self._shown = shown

    # Claims.

    def claims_tables(self, paper: str) -> dict[str, str]:
        """Return the tables that claims are decided on, by name."""
        return self._layout.aggregated(paper, "paper") | self._studies.tables(paper)

    @staticmethod
    def claims_path(wildcards: Any) -> str:
        """Return the path of the claims of a paper."""
        return project_file(f"config/papers/{wildcards.paper}/claims.yaml")

    def claims_inputs(self, wildcards: Any) -> dict[str, str]:
        """Return the claims of a paper and its tables."""
        tables = self.claims_tables(wildcards.paper)
        return {"claims": self.claims_path(wildcards), **tables}

    # The page.

    def page_inputs(self, wildcards: Any) -> list[str]:
        """Return what the page is made from: claims, trials, thumbnails and manifests."""
        found = [*self._layout.claims().values()]
        for paper in self._papers:
            files = self._files(paper, "paper")
            thumbnails = (p for item in files.values() for p in item if p.endswith(".webp"))
            found += [*files["claims"], *files.get("trials", []), *thumbnails]
            found.append(self._layout.manifest(paper, "paper"))
        return found

    # Manifests.

    def _files(self, paper: str, group: str) -> dict[str, list[str]]:
        """Return all files of a paper's figures, tables, claims and trials, by target."""
        found = self._shown.files(paper, group)
        if group == "paper":
            found["claims"] = [*self._layout.claims(paper).values()]
        if self._trials.paths(paper, group=group):
            found[f"trials{GROUPS[group]}"] = [*self._layout.trials(paper, group).values()]
        return found

    def manifest_inputs(self, wildcards: Any) -> list[str]:
        """Return all files that a manifest describes, and the data sets behind them."""
        described = self.manifest_sources(wildcards).values()
        behind = {path for item in described for path in item["inputs"]}
        data = sorted(filter(self._data.is_part, behind))
        return [*(path for item in described for path in item["files"]), *data]

    def manifest_sources(self, wildcards: Any) -> dict[str, dict[str, list[str]]]:
        """Return for each figure, table, the claims and trials: files, and what they are made from.

        Of one alone, if the manifest is that.
        """
        paper = wildcards.paper
        one_group, alone = parse_manifest(wildcards.manifest)
        return {
            name: {"files": files, "inputs": self._made_from(paper, group, name)}
            for group in GROUPS
            if one_group in (None, group)
            for name, files in self._files(paper, group).items()
            if alone in (None, name)
        }

    def _made_from(self, paper: str, group: str, name: str) -> list[str]:
        """Return result files, tables and data sets behind a figure, a table, claims or trials."""
        if name == "claims":
            found = self._trials.paths(paper, group=group)
            found += self._studies.tables(paper).values()
        elif name == f"trials{GROUPS[group]}":
            found = self._trials.paths(paper, group=group)
        else:
            kind = "figures" if name in self._shown.names(paper, "figures") else "tables"
            found = self._shown.made_from(paper, kind, name)
        return [*found, *self._data.behind(self._trials.datasets(found))]

    def made_with(self, paths: Collection[str]) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the files that are made together with any of some result files, and what from."""
        for paper, group in product(self._papers, GROUPS):
            own = self._trials.paths(paper, group=group)
            if not set(paths).isdisjoint(own):
                tables = [*self._layout.aggregated(paper, group).values()]
                yield [*tables, self._layout.best_known(paper, group)], own
            for name, files in self._files(paper, group).items():
                made_from = self._made_from(paper, group, name)
                if not set(paths).isdisjoint(made_from):
                    yield files, made_from

    # Targets.

    def named(self, paper: str) -> dict[str, Callable[[Any], list[str]]]:
        """Return for each named target of a paper an input function: the files behind it."""
        found: dict[str, Callable[[], list[str]]] = {}
        for name, settings in self._papers[paper].get("parts", {}).items():
            found[f"{paper}_{name}"] = partial(self._part, paper, settings)
        for group, ending in GROUPS.items():
            if self._trials.paths(paper, group=group):
                found[paper + ending] = partial(self._everything, paper, group)
            for name in self._files(paper, group):
                found[f"{paper}_{name}"] = partial(self._one, paper, group, name)
        return {name: _input_function(files) for name, files in found.items()}

    def _one(self, paper: str, group: str, name: str) -> list[str]:
        """Return the manifest of a figure, a table or the claims, and what is behind them."""
        return [self._layout.manifest_of(paper, name), *self._made_from(paper, group, name)]

    def _everything(self, paper: str, group: str) -> list[str]:
        """Return the manifest of a group, which needs all its figures, and what is behind them."""
        tables = self.claims_tables(paper).values() if group == "paper" else ()
        results = self._trials.paths(paper, group=group)
        return [self._layout.manifest(paper, group), *results, *tables]

    def _part(self, paper: str, settings: list[str]) -> list[str]:
        """Return all results of some settings of a paper, and the figures of nothing else."""
        algorithms = {algorithm for _, algorithm in self._trials.cells[paper]}
        cells = set(product(settings, algorithms))
        results = self._trials.paths(paper, group="paper", cells=cells)
        drawn, own = self._shown.files(paper, "paper"), set(results)
        figures = [
            path
            for name in self._shown.names(paper, "figures", "paper")
            if (shown := self._shown.results_of(paper, "figures", name)) and own.issuperset(shown)
            for path in drawn[name]
        ]
        return [*results, *figures]

    @property
    def all(self) -> list[str]:
        """The files behind the target ``all``: every paper, its claims, and the page of results."""
        files = [*self._layout.claims().values(), self._layout.page, self._layout.index]
        for paper in self._papers:
            files += self._everything(paper, "paper")
        return files


def _input_function(files: Callable[[], list[str]]) -> Callable[[Any], list[str]]:
    """Return a function of wildcards, so that files are listed only where a target is asked for."""
    return lambda wildcards: files()
