"""The commands `optimist decide` and `optimist draw`, which use only existing tables."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from optimist.config.load import load_config, paper_names
from optimist.config.models import Config
from optimist.core.errors import ConfigError, ResultError, known_name, unknown_name
from optimist.core.layout import GROUPS
from optimist.experiments.cell_records import STUDY, misfits
from optimist.plan import products
from optimist.plan.plan import Plan, as_recorded
from optimist.plan.products import Product, Sources, make

# Maximum number of cells that a message names.
NAMED = 3

Say = Callable[[str], None]


def plans(
    papers: Sequence[str], overlays: Sequence[str], values: Sequence[str], figures: str | None
) -> Iterator[Plan]:
    """Yield a plan for each paper, based on the configuration recorded in its table of trials.

    Parameters
    ----------
    papers : sequence of str
        Names of papers; if empty, all papers in the configuration.
    overlays, values : sequence of str
        Same as ``--configfile`` and ``--config`` in Snakemake. If given, the configuration in the
        table is not used.
    figures : str or None
        Folder of the figures; if None, the folder in the configuration.
    """
    config = load_config(*overlays, values=values)
    if figures is not None:
        config["figures"] = figures
    for paper in papers or config["papers"]:
        known_name("paper", paper, paper_names())
        of_paper: Config = {**config, "papers": [paper]}
        yield Plan(of_paper if overlays or values else as_recorded(of_paper))


def of_other_code(plan: Plan, shown_products: Sequence[Product]) -> list[str]:
    """Return the names of the shown cells and studies that other code produced.

    Cells whose rows do not match their record are included, with a remark.
    """
    (paper,) = plan.papers
    path, records = plan.layout.trials(paper), plan.committed(paper)
    odd, rows, stale = misfits(records, path), {*plan.table(paper).keys}, []
    for key in dict.fromkeys(key for product in shown_products for key in product.keys):
        digest = plan.trials.digest(plan.trials.of_paper(paper)[key])
        is_other = key in rows and not (key in records and records[key].is_of(digest))
        if (key in odd or is_other) and not plan.trials.fresh_files(paper, [key]):
            remark = " (its rows do not match its record)" * (key in odd)
            stale.append("/".join((paper, *key)) + remark)
    for name in dict.fromkeys(name for product in shown_products for name in product.studies):
        is_there = (STUDY, name, "") in records and not Path(
            plan.studies.file(paper, name)
        ).is_file()
        if is_there and not plan.studies.is_committed(paper, name):
            stale.append(f"{paper}/{STUDY}/{name}")
    return stale


def warn(plan: Plan, shown_products: Sequence[Product], strict: bool, say: Say) -> None:
    """Report the names that `of_other_code` returns, or raise ResultError if ``strict``."""
    stale = of_other_code(plan, shown_products)
    if not stale:
        return
    number = len({key for product in shown_products for key in (*product.keys, *product.studies)})
    names = ", ".join(stale[:NAMED]) + (", ..." if len(stale) > NAMED else "")
    words = f"{len(stale)} of {number} cells are of other code: {names}"
    if strict:
        raise ResultError(f"{words}; play them: snakemake --cores all --config committed=use")
    say(f"{words}; their committed trials are used (docs/tables.md, column digest)")


def decide(plan: Plan, strict: bool, say: Say) -> list[str]:
    """Write the verdicts on the claims of a plan's only paper; return the file paths."""
    (paper,) = plan.papers
    product = plan.targets.product(paper, "claims", "claims")
    make(product, _checked(plan, product, strict, say))
    return [*product.files.values()]


def decide_one(plan: Plan, claim: str, strict: bool, say: Say) -> Any:
    """Return the verdict on one claim as a DataFrame, without writing it.

    Raises
    ------
    ConfigError
        If the paper has no such claim.
    """
    (paper,) = plan.papers
    product = plan.targets.claim(paper, claim)
    return products.verdicts(product, _checked(plan, product, strict, say))


def shown(plan: Plan, name: str = "") -> list[Product]:
    """Return the figures and tables of a plan's only paper, or just the one called ``name``."""
    (paper,) = plan.papers
    every = [o for g in GROUPS for o in plan.targets.names(paper, g) if o[0] != "claims"]
    chosen = [one for one in every if name in ("", one[1])]
    if not chosen:
        raise unknown_name(f"figure or table of {paper}", name, [other for _, other in every])
    return [plan.targets.product(paper, *one) for one in chosen]


def draw(jobs: Sequence[tuple[Product, Sources]], cores: int) -> list[str]:
    """Make figures and tables in up to ``cores`` processes, and return their paths."""
    if len(jobs) == 1 or cores == 1:
        for one in jobs:
            make(*one)
    else:
        with ProcessPoolExecutor(min(cores, len(jobs)), get_context("spawn")) as pool:
            list(pool.map(make, *zip(*jobs, strict=True)))
    return [path for product, _ in jobs for path in product.files.values()]


def cores_of(text: str) -> int:
    """Parse a number of cores, or ``all`` for every core; raise ConfigError for any other text."""
    if text == "all":
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if not (text.isdecimal() and int(text)):
        raise ConfigError(f"--cores is {text!r}; allowed: a whole number above 0, or all")
    return int(text)


def _checked(plan: Plan, product: Product, strict: bool, say: Say) -> Sources:
    """Return the sources of a product with claims; raise ResultError if there are no trials."""
    path, sources = plan.layout.trials(product.paper), plan.targets.sources(product)
    if not (Path(path).is_file() or sources.results):
        raise ResultError(
            f"{path} does not exist, and there are no results; make them: snakemake --cores all "
            f"{product.paper}"
        )
    warn(plan, [product], strict, say)
    return sources
