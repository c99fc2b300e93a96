"""Verdicts, figures and tables of a paper, made from its tables of trials and studies.

The rules of the workflow, `optimist decide` and `optimist draw` all call `make`, so they write
identical files. Each product has a record with one digest of all its inputs and the digests of its
files.
"""

import json
import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from optimist.core.errors import ResultError
from optimist.core.files import (
    fingerprint,
    locked,
    read_text,
    sha256,
    write_atomically,
    write_frame,
    write_text,
)
from optimist.core.layout import Layout
from optimist.experiments.cell_trials import read_results
from optimist.experiments.paper import Paper
from optimist.experiments.trial_table import TrialTable
from optimist.experiments.trials import CellKey

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Product:
    """A figure, a table or the claims of a paper, described by plain data.

    Attributes
    ----------
    paper, name : str
    kind : {"figures", "tables", "claims"}
    spec : dict
        The configuration of a figure or table; for claims, a `PaperClaims`
        (`optimist.claims.claim`).
    about : dict
        Further inputs, such as the parts of the paper's configuration that a figure uses.
    cells : list of (str, str, str, int)
        Lane, setting, algorithm and number of trials of each cell shown.
    studies : list of str
        Names of the studies whose tables are shown.
    declared : dict of str to list of int
        Rounds used by the paper's claims and panels, by ``lane/setting``.
    code : str
        Digest of the code that makes the product.
    files : dict of str to str
        Paths of the product's files, by extension.
    record : str
        Path of the product's record.
    """

    paper: str
    kind: str
    name: str
    spec: dict[str, Any]
    about: dict[str, Any]
    cells: list[Any]
    studies: list[str]
    declared: dict[str, list[int]]
    code: str
    files: dict[str, str]
    record: str

    @property
    def keys(self) -> list[CellKey]:
        """Lane, setting and algorithm of each cell."""
        return [(cell[0], cell[1], cell[2]) for cell in self.cells]

    def digest(
        self,
        contents: Mapping[CellKey, str],
        studies: Mapping[str, str],
        best_known: Mapping[str, float],
    ) -> str:
        """Return the digest of all inputs of the product.

        Parameters
        ----------
        contents : mapping
            Digest of the rows of each cell that has rows.
        studies : mapping
            Digest of the tables of each study that has tables.
        best_known : mapping
            Best known value of each instance in the settings shown.
        """
        left_out = ("files", "record", "declared")
        decisive = {name: v for name, v in asdict(self).items() if name not in left_out}
        decisive["contents"] = ["/".join(key) + " " + contents.get(key, "") for key in self.keys]
        decisive["studies"] = [f"{name} {studies.get(name, '')}" for name in self.studies]
        decisive["best_known"] = dict(best_known)
        return fingerprint(decisive)


def is_stale(product: Product, digest: str) -> bool:
    """Return whether the files of a product exist but were made from other inputs."""
    if not all(Path(path).is_file() for path in product.files.values()):
        return False  # Snakemake makes missing files anyway
    try:
        record = json.loads(Path(product.record).read_text(encoding="utf-8"))
        return bool(record["digest"] != digest)
    except (OSError, ValueError, KeyError, TypeError):
        return True


@dataclass(frozen=True)
class Sources:
    """Locations of the trials and studies used by products: a paper's tables and new results.

    Attributes
    ----------
    layout : Layout
    paper : str
    results : dict of str to str
        Result files of the current code: the group of each file's cell, by path. These files take
        precedence over the table.
    studies : list of str
        Files with study tables produced by the current code.
    """

    layout: Layout
    paper: str
    results: dict[str, str] = field(default_factory=dict)
    studies: list[str] = field(default_factory=list)

    def trials(self, product: Product) -> TrialTable:
        """Return a product's trials."""
        path = self.layout.trials(self.paper)
        return TrialTable(
            path if Path(path).is_file() else None,
            read_results(self.results, product.declared),
            dict(zip(product.keys, (cell[3] for cell in product.cells), strict=True)),
        )

    @cached_property
    def _studies(self) -> "dict[str, dict[str, pd.DataFrame]]":
        from optimist.figures.studies import table_names
        from optimist.figures.studies.tables import read

        committed = self.layout.studies(self.paper)
        tables: dict[str, pd.DataFrame] = {}
        for path in (committed, *self.studies):
            if Path(path).is_file():
                tables |= read(path)[0]
        return {
            study: {name: tables[name] for name in names if name in tables}
            for study, names in table_names().items()
        }

    def tables(self, studies: Iterable[str]) -> "dict[str, pd.DataFrame]":
        """Return the tables of the given studies, by table name."""
        return {name: table for study in studies for name, table in self._studies[study].items()}

    def study_contents(self, studies: Iterable[str]) -> dict[str, str]:
        """Return the digest of each given study's tables; studies without tables are omitted."""
        from optimist.figures.studies.tables import content

        return {study: content(self._studies[study]) for study in studies if self._studies[study]}


def digest_of(product: Product, sources: Sources, trials: TrialTable) -> str:
    """Return the digest of all inputs of a product, including rows that other code produced."""
    cells = filter(None, (trials.recorded(*key) for key in product.keys))
    contents, studies = {c.key: c.content for c in cells}, sources.study_contents(product.studies)
    return product.digest(contents, studies, trials.best_known_of(product.keys))


def make(product: Product, sources: Sources) -> None:
    """Write a product and its record.

    Files are written to a temporary folder and then copied into place; the record is copied last.
    A lock ensures that all files come from one process, even if two processes make the product at
    the same time.

    Raises
    ------
    ResultError
        If a table is damaged or no longer contains a round that a claim needs.
    """
    trials, record = sources.trials(product), Path(product.record)
    with TemporaryDirectory() as folder:
        drafts = {
            path: Path(folder, Path(path).relative_to(record.parents[1]))
            for path in (*product.files.values(), product.record)
        }
        files = {ending: str(drafts[path]) for ending, path in product.files.items()}
        {"figures": _draw, "tables": _tabulate, "claims": _decide}[product.kind](
            replace(product, files=files), trials, sources.tables(product.studies)
        )
        digests = {str(Path(path).relative_to(folder)): sha256(path) for path in files.values()}
        about = {"digest": digest_of(product, sources, trials), "files": digests}
        write_text(f"{json.dumps(about, indent=1, sort_keys=True)}\n", drafts[product.record])
        record.parent.mkdir(parents=True, exist_ok=True)
        with locked(record.parent):
            record.unlink(missing_ok=True)  # so that a killed process leaves no stale record
            for path, draft in drafts.items():
                write_atomically(path, partial(shutil.copyfile, draft))


def _frames(product: Product, trials: TrialTable, studies: "Mapping[str, pd.DataFrame]") -> Any:
    from optimist.figures.studies.tables import with_facts

    level, interval = product.about.get("band", 0.95), product.about.get("interval", "t")
    return {**with_facts(studies), **trials.frames(level, interval, product.spec.get("trials"))}


def _draw(product: Product, trials: TrialTable, studies: "Mapping[str, pd.DataFrame]") -> None:
    import pandas as pd

    from optimist.figures import figure
    from optimist.figures.models import Figure

    places, shown = product.files, Figure(**product.spec)
    paper, pictures = Paper.restore(product.about), (places["png"], places["pdf"], places["webp"])
    table = figure.tabulate(shown, _frames(product, trials, studies), paper)
    write_frame(table, places["csv"])
    drawn = pd.read_csv(places["csv"])
    figure.draw(shown, drawn, paper, *pictures, product.about["shortened"])


def _tabulate(product: Product, trials: TrialTable, studies: "Mapping[str, pd.DataFrame]") -> None:
    from optimist.figures import make_table
    from optimist.figures.rows import Tables

    table = make_table(product.spec)
    paper, frames = Paper.restore(product.about), _frames(product, trials, studies)
    frame = table.frame(Tables(frames, paper, product.keys))
    write_frame(frame, product.files["csv"])
    write_text(table.document(frame, product.about["shortened"]), product.files["md"])


def _decide(product: Product, trials: TrialTable, studies: "Mapping[str, pd.DataFrame]") -> None:
    from optimist.claims import pages, table

    frame = _decided(product, trials, studies)
    notes = {claim["id"]: claim["note"] for claim in product.spec["claims"]}
    write_frame(table.compacted(frame), product.files["csv"])
    write_text(pages.to_markdown(frame, notes), product.files["md"])


def _decided(
    product: Product, trials: TrialTable, studies: "Mapping[str, pd.DataFrame]"
) -> "pd.DataFrame":
    from optimist.claims.claim import PaperClaims
    from optimist.claims.next_look import next_look
    from optimist.claims.table import to_frame
    from optimist.claims.verdicts import gates_of, judge

    about, tables = product.about, _frames(product, trials, studies)
    seconds = {tuple(row[:3]): row[3] for row in about["cells"]}
    figures = {tuple(row[:3]): row[4] for row in about["cells"]}
    paper = PaperClaims.restore(product.spec)
    gates = gates_of(paper, tables)
    verdicts = [judge(claim, gates, about["shortened"]) for claim in paper.claims]
    looks = {verdict.claim.id: next_look(verdict, gates, seconds) for verdict in verdicts}
    return to_frame(verdicts, looks, figures, about["lines"], paper.titles)


def verdicts(product: Product, sources: Sources) -> "pd.DataFrame":
    """Return the verdicts on a product's claims as a table, without writing it."""
    return _decided(product, sources.trials(product), sources.tables(product.studies))


def join_claims(layout: Layout, papers: Collection[str], to: Layout | None = None) -> None:
    """Write one table and one page with the verdicts of all papers.

    They are written to the layout ``to``, or to ``layout`` if ``to`` is None.
    """
    import pandas as pd

    from optimist.claims import pages, table

    places = {paper: layout.claims(paper) for paper in papers}
    for paper, place in places.items():
        if not Path(place["csv"]).is_file():
            raise ResultError(f"{place['csv']} does not exist; make it: optimist decide {paper}")
    frames = [table.read_frame(place["csv"]) for place in places.values()]
    joined = (to or layout).claims()
    write_frame(table.compacted(pd.concat(frames, ignore_index=True)), joined["csv"])
    texts = {paper: read_text(place["md"]) for paper, place in places.items()}
    write_text(pages.joined(texts), joined["md"])
