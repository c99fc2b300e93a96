"""What `optimist decide`, `optimist draw` and `optimist publish` do: products from tables alone."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from optimist import products
from optimist.errors import ConfigError, ResultError, unknown_name
from optimist.plan.config import load_config, paper_names
from optimist.plan.documents import merge
from optimist.plan.plan import Plan
from optimist.products import Product, Sources
from optimist.runs.trial_table import TrialTable
from optimist.runs.trials import CellKey

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
    """Return the cells behind some products whose rows in the table are of other code."""
    keys: dict[tuple[str, CellKey], None] = {}
    for product in found:
        keys |= dict.fromkeys((product.paper, key) for key in product.keys)
    stale = []
    for paper, key in keys:
        trials, record = plan.trials.of_paper(paper)[key], plan.committed(paper).get(key)
        fresh = plan.trials.fresh_files(paper, [key])
        if record is not None and not fresh and record.digest != plan.trials.digest(trials):
            stale.append("/".join((paper, *key)))
    return stale


def warn(plan: Plan, found: Sequence[Product], strict: bool, say: Say) -> None:
    """Say which cells are of other code; raise ResultError of them if ``strict``."""
    stale = of_other_code(plan, found)
    if not stale:
        return
    number = len({(p.paper, key) for p in found for key in p.keys})
    names = ", ".join(stale[:NAMED]) + (", ..." if len(stale) > NAMED else "")
    words = f"{len(stale)} of {number} cells are of other code: {names}"
    if strict:
        raise ResultError(f"{words}; play them: snakemake --cores all --config committed=use")
    say(words)


def decide(plan: Plan, strict: bool, say: Say) -> list[str]:
    """Write the verdicts on the claims of a plan's papers; return the paths."""
    written: list[str] = []
    for paper in plan.papers:
        product = plan.targets.product(paper, "claims", "claims")
        _check_table(plan, paper)
        warn(plan, [product], strict, say)
        products.make(product, plan.targets.sources(product))
        written += product.files.values()
    return written


def decide_one(plan: Plan, claim: str, strict: bool, say: Say) -> Any:
    """Return the frame of the verdict on one claim, which is written nowhere.

    Raises
    ------
    ConfigError
        If the paper has no such claim.
    """
    (paper,) = plan.papers
    product = plan.targets.claim(paper, claim)
    _check_table(plan, paper)
    warn(plan, [product], strict, say)
    return products.verdicts(product, plan.targets.sources(product))


def shown(plan: Plan, name: str = "") -> list[Product]:
    """Return the figures and tables of a plan's paper, or the one of a name."""
    (paper,) = plan.papers
    known = {
        other: plan.targets.product(paper, kind, other)
        for group in ("paper", "variants")
        for kind, other in plan.targets.names(paper, group)
        if kind != "claims" and name in ("", other)
    }
    if not known:
        every = [n for group in ("paper", "variants") for _, n in plan.targets.names(paper, group)]
        raise unknown_name(f"figure or table of {paper}", name, every)
    return [*known.values()]


def draw(found: Sequence[tuple[Product, Sources]], cores: int) -> list[str]:
    """Make figures and tables by so many processes; return the paths."""
    if len(found) == 1 or cores == 1:
        for product, sources in found:
            products.make(product, sources)
    else:
        with ProcessPoolExecutor(min(cores, len(found)), get_context("spawn")) as pool:
            list(pool.map(products.make, *zip(*found, strict=True)))
    return [path for product, _ in found for path in product.files.values()]


def cores_of(text: str) -> int:
    """Return a number of cores, ``all`` for those of the machine; ConfigError for none."""
    if text == "all":
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    if not (text.isdecimal() and int(text)):
        raise ConfigError(f"--cores is {text!r}; allowed: a whole number above 0, or all")
    return int(text)


def _check_table(plan: Plan, paper: str) -> None:
    if not Path(plan.layout.trials(paper)).is_file() and not plan.trials.fresh_files(
        paper, plan.trials.keys(paper)
    ):
        raise ResultError(
            f"{plan.layout.trials(paper)} does not exist, nor do results; make them: snakemake "
            f"--cores all {paper}"
        )
