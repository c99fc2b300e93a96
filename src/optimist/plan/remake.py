"""What `optimist decide`, `optimist draw` and `optimist publish` do: products from tables alone."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from optimist.config.documents import merge
from optimist.config.load import load_config, paper_names
from optimist.core.errors import ConfigError, ResultError, unknown_name
from optimist.core.layout import GROUPS
from optimist.experiments.cell_records import STUDY
from optimist.experiments.trial_table import TrialTable
from optimist.plan import products
from optimist.plan.plan import Plan
from optimist.plan.products import Product, Sources

# Parts of a configuration that say where files are, not what was run.
PLACES = ("results", "figures", "papers", "committed")
# How many cells a line names.
NAMED = 3

Say = Callable[[str], None]


def plans(
    papers: Sequence[str], overlays: Sequence[str], values: Sequence[str], figures: str | None
) -> Iterator[Plan]:
    """Yield the plan of each paper, of the configuration that its table of trials was made with.

    Parameters
    ----------
    papers : sequence of str
        All of the configuration if there are none.
    overlays, values : sequence of str
        As ``--configfile`` and ``--config`` of Snakemake; with them, theirs is the configuration.
    figures : str or None
        The folder of figures, if it is another one than the configuration says.
    """
    config = load_config(*overlays, values=values)
    if figures is not None:
        config["figures"] = figures
    for paper in papers or config["papers"]:
        if paper not in paper_names():
            raise unknown_name("paper", paper, paper_names())
        found = {**config, "papers": [paper]}
        path = f"{found['figures']}/{paper}/trials.parquet"
        if not (overlays or values) and Path(path).is_file():
            recorded = TrialTable(path).metadata["configuration"]
            found = merge(found, {k: v for k, v in recorded.items() if k not in PLACES})
        yield Plan(found)


def of_other_code(plan: Plan, found: Sequence[Product]) -> list[str]:
    """Return the cells and studies behind products that the tables have of other code."""
    (paper,) = plan.papers
    path, records = plan.layout.trials(paper), plan.committed(paper)
    rows = {*TrialTable(path).keys} if Path(path).is_file() else set()
    stale = []
    for key in dict.fromkeys(key for product in found for key in product.keys):
        digest = plan.trials.digest(plan.trials.of_paper(paper)[key])
        is_today = key in records and records[key].is_of(digest)
        if key in rows and not is_today and not plan.trials.fresh_files(paper, [key]):
            stale.append("/".join((paper, *key)))
    for name in dict.fromkeys(name for product in found for name in product.studies):
        is_there = (STUDY, name, "") in records and not Path(
            plan.studies.file(paper, name)
        ).is_file()
        if is_there and not plan.studies.is_committed(paper, name):
            stale.append(f"{paper}/{STUDY}/{name}")
    return stale


def warn(plan: Plan, found: Sequence[Product], strict: bool, say: Say) -> None:
    """Say which cells are of other code; raise ResultError of them if ``strict``."""
    stale = of_other_code(plan, found)
    if not stale:
        return
    number = len({key for product in found for key in (*product.keys, *product.studies)})
    names = ", ".join(stale[:NAMED]) + (", ..." if len(stale) > NAMED else "")
    words = f"{len(stale)} of {number} cells are of other code: {names}"
    if strict:
        raise ResultError(f"{words}; play them: snakemake --cores all --config committed=use")
    say(words)


def decide(plan: Plan, strict: bool, say: Say) -> list[str]:
    """Write the verdicts on the claims of a plan's paper; return the paths."""
    (paper,) = plan.papers
    product = plan.targets.product(paper, "claims", "claims")
    products.make(product, _checked(plan, product, strict, say))
    return [*product.files.values()]


def decide_one(plan: Plan, claim: str, strict: bool, say: Say) -> Any:
    """Return the frame of the verdict on one claim, which is written nowhere.

    Raises
    ------
    ConfigError
        If the paper has no such claim.
    """
    (paper,) = plan.papers
    product = plan.targets.claim(paper, claim)
    return products.verdicts(product, _checked(plan, product, strict, say))


def shown(plan: Plan, name: str = "") -> list[Product]:
    """Return the figures and tables of a plan's paper, or the one of a name."""
    (paper,) = plan.papers
    every = [one for group in GROUPS for one in plan.targets.names(paper, group)]
    found = [one for one in every if one[0] != "claims" and name in ("", one[1])]
    if not found:
        raise unknown_name(f"figure or table of {paper}", name, [other for _, other in every])
    return [plan.targets.product(paper, *one) for one in found]


def draw(found: Sequence[tuple[Product, Sources]], cores: int) -> list[str]:
    """Make figures and tables by so many processes; return the paths."""
    if len(found) == 1 or cores == 1:
        for one in found:
            products.make(*one)
    else:
        with ProcessPoolExecutor(min(cores, len(found)), get_context("spawn")) as pool:
            list(pool.map(products.make, *zip(*found, strict=True)))
    return [path for product, _ in found for path in product.files.values()]


def cores_of(text: str) -> int:
    """Return a number of cores, ``all`` for those of the machine; ConfigError for none."""
    if text == "all":
        known = getattr(os, "sched_getaffinity", None)
        return len(known(0)) if known else os.cpu_count() or 1
    if not (text.isdecimal() and int(text)):
        raise ConfigError(f"--cores is {text!r}; allowed: a whole number above 0, or all")
    return int(text)


def _checked(plan: Plan, product: Product, strict: bool, say: Say) -> Sources:
    """Return where the trials of claims are; ResultError if they are nowhere."""
    path, sources = plan.layout.trials(product.paper), plan.targets.sources(product)
    if not (Path(path).is_file() or sources.results):
        raise ResultError(
            f"{path} does not exist, nor do results; make them: snakemake --cores all "
            f"{product.paper}"
        )
    warn(plan, [product], strict, say)
    return sources
