"""Products and named targets: what each asks for."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.core.errors import ResultError, UnreadableError, unknown_name
from optimist.core.files import sha256
from optimist.core.label import name_of
from optimist.core.layout import GROUPS
from optimist.core.root import PACKAGE
from optimist.experiments.cell_records import STUDY
from optimist.experiments.cell_trials import CellTrials, read_results
from optimist.experiments.code_digest import of_modules
from optimist.experiments.trials import CellKey
from optimist.plan import products
from optimist.plan.products import Product, Sources

if TYPE_CHECKING:
    from optimist.plan.plan import Plan

Named = Callable[[Any], list[str]]
STYLE = PACKAGE / "panels" / "optimist.mplstyle"
# In place of a digest, of what is to be played or computed.
TO_BE_MADE = "to be made"
# Keys of a paper that say what is run and shown, not how it looks.
ASKED = ("runs", "timings", "studies", "settings", "figures", "tables", "parts")


def _listed(files: Callable[[], Iterable[str]], wildcards: Any) -> list[str]:
    return [*files()]


class PlannedTargets:
    """Figures, tables, claims, and what can be asked for by name.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan
        self._products: dict[tuple[str, str, str], Product] = {}
        self._contents: dict[tuple[str, CellKey], str] = {}

    # Products.

    def product(self, paper: str, kind: str, name: str) -> Product:
        """Return a figure, a table or the claims of a paper.

        Parameters
        ----------
        paper : str
        kind : {"figures", "tables", "claims"}
        name : str

        Raises
        ------
        ConfigError
            If there is none of that name.
        """
        if (paper, kind, name) not in self._products:
            self._products[paper, kind, name] = self._product(paper, kind, name)
        return self._products[paper, kind, name]

    def claim(self, paper: str, claim: str) -> Product:
        """Return the claims of a paper cut to one; ConfigError if there is none of that name."""
        whole = self.product(paper, "claims", "claims")
        known = {written["id"]: written for written in whole.spec["claims"]}
        if claim not in known:
            raise unknown_name(f"claim of {paper}", claim, known)
        return replace(whole, spec={**whole.spec, "claims": [known[claim]]})

    def _product(self, paper: str, kind: str, name: str) -> Product:
        if kind == "claims":
            spec = self._plan.claims.document(paper)
            cells = self._plan.trials.keys(paper, group="paper")
            about = self._plan.claims.context(self._plan, paper)
            studies = self._plan.studies.names(paper)
            code = of_modules("optimist.plan.products", "optimist.claims")
        else:
            spec = dict(self._plan.shown.spec(paper, kind, name))
            cells = self._plan.shown.cells_of(paper, kind, name)
            studies = self._plan.shown.studies_of(paper, kind, name)
            about = self._look(paper, {key[1] for key in cells}, bool(studies))
            modules = self._plan.shown.modules(paper, kind, name)
            code = of_modules("optimist.plan.products", *modules)
            code += sha256(STYLE) if kind == "figures" else ""
        known = self._plan.trials.of_paper(paper)
        numbers = [[*key, known[key].stop] for key in cells if key in known]
        declared = {key: sorted(found) for key, found in self.declared(paper).items()}
        return Product(
            paper,
            kind,
            name,
            dict(spec),
            {**about, "shortened": self._plan.shortened},
            numbers,
            studies,
            declared,
            code,
            self._plan.layout.product(paper, kind, name),
            self._plan.layout.record(paper, name),
        )

    def _look(self, paper: str, settings: Iterable[str], with_studies: bool) -> dict[str, Any]:
        """Return what drawing needs of a paper: variants in their order, and the settings shown."""
        found = self._plan.papers[paper]
        about = {key: value for key, value in found.items() if key not in ASKED}
        blocks = [*found["runs"], *found["timings"]]
        labels = dict.fromkeys(label for block in blocks for label in block["algorithms"])
        about["runs"] = [{"algorithms": [*labels]}]
        shown = set(settings)
        about["settings"] = {k: v for k, v in found["settings"].items() if k in shown}
        return {**about, "studies": found.get("studies", {})} if with_studies else about

    def declared(self, paper: str) -> dict[str, set[int]]:
        """Return the rounds that claims and panels of a paper read, by ``lane/setting``."""
        found = self._plan.shown.rounds(paper)
        for key, rounds in self._plan.claims.rounds(paper).items():
            found.setdefault(key, set()).update(rounds)
        return {key: rounds for key, rounds in found.items() if rounds}

    def sources(self, product: Product) -> Sources:
        """Return where the trials and studies of a product are."""
        files = (self._plan.studies.file(product.paper, name) for name in product.studies)
        return Sources(
            self._plan.layout,
            product.paper,
            self._plan.trials.fresh_files(product.paper, self._read_for(product)),
            [path for path in files if Path(path).is_file()],
        )

    def planned_sources(self, product: Product) -> dict[str, Any]:
        """Return `Sources` as plain data, as they are once all that is needed was made."""
        known, found = self._plan.trials.of_paper(product.paper), dict[str, str]()
        cells = self._read_for(product)
        needed = set(self._plan.trials.needed(product.paper, cells))
        for trials in (known[key] for key in cells):
            if needed.issuperset(self._plan.trials.outputs(trials)):
                found |= dict.fromkeys(self._plan.trials.files(trials), trials.group)
        studies = self._plan.studies.needed(product.paper, product.studies)
        return {"paper": product.paper, "results": found, "studies": studies}

    def is_stale(self, product: Product) -> bool:
        """Return whether a product was made from something else than is there now.

        So is one of damaged files, which its job names.
        """
        try:
            contents = {key: self._content(product, key) for key in product.keys}
            studies = {name: self._study_content(product, name) for name in product.studies}
            digest = product.digest(contents, studies, self._best_known(product))
        except (ResultError, UnreadableError):
            return True
        return products.is_stale(product, digest)

    def _content(self, product: Product, key: CellKey) -> str:
        """Return the digest of the rows that a product shows of a cell, as far as it is known."""
        record = self._plan.committed(product.paper).get(key)
        trials = self._plan.trials.of_paper(product.paper)[key]
        is_today = record is not None and self._plan.trials.is_committed(trials)
        if record is not None and is_today and record.trials == trials.stop:
            return record.content
        files = self._plan.trials.fresh_files(product.paper, [key])
        if not (is_today or files):
            return TO_BE_MADE
        if (product.paper, key) not in self._contents:
            found: CellTrials | None
            if files:
                (found,) = read_results(files, product.declared)
            else:  # the table has more trials than count
                found = Sources(self._plan.layout, product.paper).trials(product).recorded(*key)
            self._contents[product.paper, key] = "" if found is None else found.content
        return self._contents[product.paper, key]

    def _study_content(self, product: Product, name: str) -> str:
        record = self._plan.committed(product.paper).get((STUDY, name, ""))
        path = self._plan.studies.file(product.paper, name)
        if record and self._plan.studies.is_committed(product.paper, name):
            return record.content
        if not Path(path).is_file():
            return TO_BE_MADE
        return Sources(self._plan.layout, product.paper, studies=[path]).study_contents([name])[
            name
        ]

    def _best_known(self, product: Product) -> dict[str, float]:
        if self._plan.trials.of_unknown_maximum(product.paper).isdisjoint(
            k[1] for k in product.keys
        ):
            return {}
        return self.sources(product).trials(product).best_known_of(product.keys)

    # Inputs of rules.

    def inputs(self, product: Product) -> list[str]:
        """Return the results that a product waits for."""
        needed = self._plan.trials.needed(product.paper, self._read_for(product))
        return [*needed, *self._plan.studies.needed(product.paper, product.studies)]

    def _read_for(self, product: Product) -> list[CellKey]:
        """Return the cells of a product, and those that its regret is counted from.

        On its functions whose maximum is unknown these are all methods of its groups, unless the
        table has trials of them, which give the best known values as well.
        """
        known = self._plan.trials.of_paper(product.paper)
        unknown = self._plan.trials.of_unknown_maximum(product.paper)
        committed = self._plan.committed(product.paper)
        own = {(known[k].group, name_of(k[1])) for k in product.keys if k[1] in unknown}
        rivals = (
            key
            for key, trials in known.items()
            if key[0] == "regret"
            and key not in committed
            and (trials.group, name_of(key[1])) in own
        )
        return [*dict.fromkeys((*product.keys, *rivals))]

    def committed(self, paper: str) -> list[str]:
        """Return the tables of a paper that are there."""
        layout = self._plan.layout
        tables = layout.trials(paper), layout.studies(paper)
        return [path for path in tables if Path(path).is_file()]

    def results(self, paper: str, group: str | None = None) -> list[str]:
        """Return the results of a paper, or of a group of it, that are to be made."""
        found = self._plan.trials.needed(paper, self._plan.trials.keys(paper, group=group))
        if group == "variants":
            return found
        return [*found, *self._plan.studies.needed(paper, self._plan.studies.names(paper))]

    # Targets.

    def names(self, paper: str, group: str) -> list[tuple[str, str]]:
        """Return kind and name of the products of a paper's group."""
        found = [
            (kind, name)
            for kind in ("figures", "tables")
            for name in self._plan.shown.names(paper, kind, group)
        ]
        is_decided = self._plan.shown.is_made(f"{paper}/claims")
        return [*found, ("claims", "claims")] if group == "paper" and is_decided else found

    def files(self, paper: str, group: str) -> list[str]:
        """Return the files of the products of a paper's group."""
        places = (self._plan.layout.product(paper, *one) for one in self.names(paper, group))
        return [path for place in places for path in place.values()]

    def group(self, paper: str, group: str) -> list[str]:
        """Return the files of a group's products, and the mark that its results are published."""
        return [*self.files(paper, group), self._plan.layout.published(paper, group)]

    def named(self, paper: str) -> dict[str, tuple[str, Named]]:
        """Return for each named target of a paper a sentence and an input function."""
        found: dict[str, tuple[str, Callable[[], Iterable[str]]]] = {}
        title = self._plan.papers[paper].get("title", paper)
        for name, settings in self._plan.papers[paper].get("parts", {}).items():
            words = f"Results, figures and tables of {', '.join(settings)}."
            found[f"{paper}_{name}"] = words, partial(self._part, paper, settings)
        for group, ending in GROUPS.items():
            if self._plan.trials.keys(paper, group=group):
                words = {"paper": "All of", "variants": "Variants of"}[group]
                found[paper + ending] = f"{words} {title}.", partial(self.group, paper, group)
            for kind, name in self.names(paper, group):
                words = "The verdicts on all claims."
                if kind != "claims":
                    words = f"{self._plan.shown.spec(paper, kind, name)['title'].rstrip('.')}."
                files = self._plan.layout.product(paper, kind, name)
                found[f"{paper}_{name}"] = words, files.values
        # Functions of wildcards, so that files are listed only where a target is asked for.
        return {name: (words, partial(_listed, files)) for name, (words, files) in found.items()}

    def _part(self, paper: str, settings: list[str]) -> list[str]:
        """Return all results of some settings of a paper, and the products of nothing else."""
        keys = [key for key in self._plan.trials.keys(paper, group="paper") if key[1] in settings]
        own, found = set(keys), self._plan.trials.needed(paper, keys)
        for kind, name in self.names(paper, "paper"):
            if kind != "claims":
                shown = self._plan.shown.cells_of(paper, kind, name)
                if shown and own.issuperset(shown):
                    found += self._plan.layout.product(paper, kind, name).values()
        return found

    @property
    def all(self) -> list[str]:
        """The files behind the target ``all``: every paper, its claims, and the page of results."""
        own = [
            *self._plan.layout.claims().values(),
            self._plan.layout.page,
            self._plan.layout.index,
        ]
        return [*own, *self.page_inputs(None)]

    def page_inputs(self, wildcards: Any) -> list[str]:
        """Return what the page is made from: products and published tables."""
        return [path for paper in self._plan.papers for path in self.group(paper, "paper")]
