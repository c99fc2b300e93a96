"""Products and named targets of the workflow, with their inputs."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.claims import pages, wording
from optimist.claims.metrics import table as metrics
from optimist.config.documents import copied
from optimist.core.errors import ResultError, UnreadableError, known_name
from optimist.core.files import fingerprint, read_text, sha256
from optimist.core.layout import GROUPS
from optimist.core.root import PACKAGE
from optimist.experiments.cell_records import STUDY
from optimist.experiments.code_digest import of_modules
from optimist.experiments.trials import CellKey
from optimist.plan import products
from optimist.plan.claims import lines_of
from optimist.plan.products import Product, Sources

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

STYLE = PACKAGE / "figures" / "optimist.mplstyle"
# Stands in for the digest of rows or tables that have yet to be made.
TO_BE_MADE = "to be made"


class PlannedTargets:
    """Figures, tables, claims and named targets of a plan.

    Attributes
    ----------
    product : callable
        Returns the product for one of a paper's figures or tables, or for its claims, given a
        paper, a kind (``figures``, ``tables`` or ``claims``) and a name. An unknown name raises
        `ConfigError`.
    is_published : callable
        Returns whether a group's mark file says that its fresh results are in the tables, given a
        paper and a group.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan
        self._contents: dict[tuple[str, CellKey], str] = {}
        self.product = cache(self._product)
        self.is_published = cache(self._is_published)

    # Products.

    def claim(self, paper: str, claim: str) -> Product:
        """Return a product with one claim of a paper; raise ConfigError if the claim is unknown."""
        whole = self.product(paper, "claims", "claims")
        documents = {written["id"]: written for written in whole.spec["claims"]}
        known_name(f"claim of {paper}", claim, documents)
        return replace(whole, spec={**whole.spec, "claims": [documents[claim]]})

    def _product(self, paper: str, kind: str, name: str) -> Product:
        plan, shown = self._plan, self._plan.shown
        planned = plan.trials.of_paper(paper)
        if kind == "claims":
            spec = copied(asdict(plan.claims.document(paper)))
            cells = plan.trials.keys(paper, group="paper")
            studies = plan.studies.names(paper)
            about = self._context(paper)
            files = (wording.TABLE, metrics.TABLE, pages.PAGE)
            code = "".join([of_modules("optimist.plan.products"), *map(sha256, files)])
        else:
            spec = copied(shown.spec(paper, kind, name))
            cells = shown.cells_of(paper, kind, name)
            studies = shown.studies_of(paper, kind, name)
            settings = {key[1] for key in cells}
            about = plan.papers[paper].describe(settings, bool(studies))
            code = of_modules("optimist.plan.products", *shown.modules(paper, kind, name))
            code += sha256(STYLE) if kind == "figures" else ""
        return Product(
            *(paper, kind, name),
            spec=spec,
            about={**about, "shortened": plan.shortened},
            cells=[[*key, planned[key].stop] for key in cells if key in planned],
            studies=studies,
            declared={key: sorted(rounds) for key, rounds in self.declared(paper).items()},
            code=code,
            files=plan.layout.product(paper, kind, name),
            record=plan.layout.record(paper, name),
        )

    def _context(self, paper: str) -> dict[str, object]:
        """Return the inputs that claims need in addition to tables, as plain data.

        For each cell, ``cells`` lists the lane, setting, algorithm, CPU seconds per trial, and the
        panels that show the cell. ``lines`` contains the line number of each claim in the claims
        file.
        """
        figures = self._plan.shown.figures_of_cells(paper)
        seconds = self._plan.costs.seconds_of_cell
        cells = sorted(self._plan.trials.asked[paper])
        return {
            "cells": [[*cell, seconds(paper, *cell), figures.get(cell, [])] for cell in cells],
            "lines": lines_of(paper),
        }

    def declared(self, paper: str) -> dict[str, set[int]]:
        """Return the rounds used by a paper's claims and panels, by ``lane/setting``."""
        declared = self._plan.shown.rounds(paper)
        for key, rounds in self._plan.claims.rounds(paper).items():
            declared.setdefault(key, set()).update(rounds)
        return {key: rounds for key, rounds in declared.items() if rounds}

    def sources(self, product: Product) -> Sources:
        """Return the locations of the trials and studies for a product."""
        files = (self._plan.studies.file(product.paper, name) for name in product.studies)
        return Sources(
            self._plan.layout,
            product.paper,
            self._plan.trials.fresh_files(product.paper, self._read_for(product)),
            [path for path in files if Path(path).is_file()],
        )

    def planned_sources(self, product: Product) -> dict[str, object]:
        """Return the content that a product's `Sources` will have once its inputs exist."""
        planned, files = self._plan.trials.of_paper(product.paper), dict[str, str]()
        cells = self._read_for(product)
        needed = set(self._plan.trials.needed(product.paper, cells))
        for trials in (planned[key] for key in cells):
            if needed.issuperset(self._plan.trials.outputs(trials)):
                files |= dict.fromkeys(self._plan.trials.new_files(trials), trials.group)
        studies = self._plan.studies.needed(product.paper, product.studies)
        return {"paper": product.paper, "results": files, "studies": studies}

    def is_stale(self, product: Product) -> bool:
        """Return whether a product was made from inputs other than the current ones.

        A product with damaged inputs counts as stale, so that its job reports the damage.
        """
        try:
            contents = {key: self._content(product, key) for key in product.keys}
            studies = {name: self._study_content(product, name) for name in product.studies}
            digest = product.digest(contents, studies, self._best_known(product))
        except (ResultError, UnreadableError):
            return True
        return products.is_stale(product, digest)

    def _content(self, product: Product, key: CellKey) -> str:
        """Return the digest of a cell's rows, or `TO_BE_MADE` if a job must make them first."""
        record = self._plan.committed(product.paper).get(key)
        trials = self._plan.trials.of_paper(product.paper)[key]
        is_today = self._plan.trials.is_committed(trials)
        kept = record if record and is_today and record.trials == trials.stop else None
        is_read = not (kept and self.is_published(product.paper, trials.group))
        files = self._plan.trials.fresh_files(product.paper, [key]) if is_read else {}
        if kept and not files:
            return kept.content
        if not (is_today or files):
            return TO_BE_MADE
        if (product.paper, key) not in self._contents:
            # The table may have more trials than the run uses, or the first ones of the cell.
            sources = Sources(self._plan.layout, product.paper, files)
            rows = sources.trials(product).recorded(*key)
            self._contents[product.paper, key] = "" if rows is None else rows.content
        return self._contents[product.paper, key]

    def _study_content(self, product: Product, name: str) -> str:
        record = self._plan.committed(product.paper).get((STUDY, name, ""))
        path = self._plan.studies.file(product.paper, name)
        is_there = Path(path).is_file()
        is_read = is_there and not self.is_published(product.paper, "paper")
        if record and not is_read and self._plan.studies.is_committed(product.paper, name):
            return record.content
        if not is_there:
            return TO_BE_MADE
        return Sources(self._plan.layout, product.paper, studies=[path]).study_contents([name])[
            name
        ]

    def _best_known(self, product: Product) -> dict[str, float]:
        unknown = self._plan.trials.of_unknown_maximum(product.paper)
        if unknown.isdisjoint(key[1] for key in product.keys):
            return {}
        return self.sources(product).trials(product).best_known_of(product.keys)

    # Inputs of rules.

    def inputs(self, product: Product) -> list[str]:
        """Return the results that must exist before a product is made."""
        needed = self._plan.trials.needed(product.paper, self._read_for(product))
        return [*needed, *self._plan.studies.needed(product.paper, product.studies)]

    def _read_for(self, product: Product) -> list[CellKey]:
        """Return a product's cells, and the cells on which its regret depends.

        If a function's maximum is unknown, regret depends on the results of all methods in the same
        group. Committed cells produced by the current code need not be read for this, because the
        table also contains the best known values.
        """
        planned = self._plan.trials.of_paper(product.paper)
        unknown = self._plan.trials.of_unknown_maximum(product.paper)
        names = {key: trials.cell.setting.label.name for key, trials in planned.items()}
        bases = {(planned[key].group, names[key]) for key in product.keys if key[1] in unknown}
        rivals = (
            key
            for key, trials in planned.items()
            if key[0] == "regret"
            and (trials.group, names[key]) in bases
            and not self._plan.trials.is_committed(trials)
        )
        return [*dict.fromkeys((*product.keys, *rivals))]

    def committed(self, paper: str) -> list[str]:
        """Return the paths of the existing tables of a paper."""
        layout = self._plan.layout
        tables = layout.trials(paper), layout.studies(paper)
        return [path for path in tables if Path(path).is_file()]

    def results(self, paper: str, group: str | None = None) -> list[str]:
        """Return the results needed by a paper or one of its groups; see `PlannedTrials.needed`."""
        missing = self._plan.trials.needed(paper, self._plan.trials.keys(paper, group=group))
        if group == "variants":
            return missing
        return [*missing, *self._plan.studies.needed(paper, self._plan.studies.names(paper))]

    def publication(self, paper: str, group: str) -> str:
        """Return a digest of a group's fresh results, or an empty string if there are none.

        The digest also covers the declared rounds, and the records of the same cells in the tables.
        Once the results are in the tables, this digest is stored in the group's mark file.
        """
        keys = self._plan.trials.keys(paper, group=group)
        fresh = {key: [*self._plan.trials.fresh_files(paper, [key])] for key in keys}
        for name in self._plan.studies.names(paper) if group == "paper" else ():
            fresh[STUDY, name, ""] = [*filter(None, [self._plan.studies.fresh_file(paper, name)])]
        made = {key: [one.digest, one.content] for key, one in self._plan.committed(paper).items()}
        declared = self.declared(paper)
        fresh_by_cell = {
            "/".join(key): [files, sorted(declared.get("/".join(key[:2]), ())), made.get(key)]
            for key, files in fresh.items()
            if files
        }
        return fingerprint(fresh_by_cell) if fresh_by_cell else ""

    def _is_published(self, paper: str, group: str) -> bool:
        mark, asked = self._plan.layout.published(paper, group), self.publication(paper, group)
        return not asked or (Path(mark).is_file() and read_text(mark) == asked)

    def forget(self) -> None:
        """Drop the cached results and marks, so that they are read again."""
        self._contents.clear()
        self.is_published.cache_clear()

    # Targets.

    def names(self, paper: str, group: str) -> list[tuple[str, str]]:
        """Return the kind and name of each requested product in a group of a paper."""
        shown = [
            (kind, name)
            for kind in ("figures", "tables")
            for name in self._plan.shown.names(paper, kind, group)
        ]
        is_decided = self._plan.shown.is_made(f"{paper}/claims")
        return [*shown, ("claims", "claims")] if group == "paper" and is_decided else shown

    def files(self, paper: str, group: str) -> list[str]:
        """Return the files of the products in a group of a paper."""
        places = (self._plan.layout.product(paper, *one) for one in self.names(paper, group))
        return [path for place in places for path in place.values()]

    def group(self, paper: str, group: str) -> list[str]:
        """Return the files of a group's products, and the mark file of its published results."""
        return [*self.files(paper, group), self._plan.layout.published(paper, group)]

    def named(self, paper: str) -> dict[str, tuple[str, Callable[[Any], list[str]]]]:
        """Return a description and an input function for each named target of a paper."""
        # Snakemake calls input functions only for requested targets, so other files are not listed.
        targets: dict[str, tuple[str, Callable[[], list[str]]]] = {}
        whole = self._plan.papers[paper]
        for name, settings in whole.parts.items():
            words = f"Results, figures and tables of {', '.join(settings)}."
            targets[f"{paper}_{name}"] = words, partial(self._part, paper, settings)
        for group, ending in GROUPS.items():
            if self._plan.trials.keys(paper, group=group):
                of = "All of" if group == "paper" else "Variants of"
                words = f"{of} {whole.title}."
                targets[paper + ending] = words, partial(self.group, paper, group)
            for kind, name in self.names(paper, group):
                words = "The verdicts on all claims."
                if kind != "claims":
                    words = f"{self._plan.shown.find(paper, kind, name).title.rstrip('.')}."
                targets[f"{paper}_{name}"] = words, partial(self._own, paper, kind, name)
        return {name: (words, _of_wildcards(files)) for name, (words, files) in targets.items()}

    def _own(self, paper: str, kind: str, name: str) -> list[str]:
        """Return a product's files, and the results that it is made from."""
        product = self.product(paper, kind, name)
        return [*self.inputs(product), *product.files.values()]

    def _part(self, paper: str, settings: Sequence[str]) -> list[str]:
        """Return all results in the given settings, and the products that need no other results."""
        keys = [key for key in self._plan.trials.keys(paper, group="paper") if key[1] in settings]
        cells, paths = set(keys), self._plan.trials.needed(paper, keys)
        for kind, name in self.names(paper, "paper"):
            if kind != "claims":
                shown = self._plan.shown.cells_of(paper, kind, name)
                if shown and cells.issuperset(shown):
                    paths += self._plan.layout.product(paper, kind, name).values()
        return paths

    @property
    def all(self) -> list[str]:
        """Files of the target ``all``: the page, the joined claims, and the files of all papers."""
        layout = self._plan.layout
        joined = [*layout.claims().values(), layout.page, layout.index]
        return [*joined, *self.page_inputs(None)]

    def page_inputs(self, wildcards: Any) -> list[str]:
        """Return the inputs of the page of results: products, and marks of published tables."""
        return [path for paper in self._plan.papers for path in self.group(paper, "paper")]


def _of_wildcards(files: Callable[[], list[str]]) -> Callable[[Any], list[str]]:
    return lambda wildcards: files()
