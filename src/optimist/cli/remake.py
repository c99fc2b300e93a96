"""Commands that make or update tables and products from existing results."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from optimist.claims import pages, table
from optimist.cli.output import answer, say, say_written, warn
from optimist.config.load import load_config
from optimist.core import terminal
from optimist.core.errors import OptimistError
from optimist.plan import remake
from optimist.plan.plan import Plan
from optimist.plan.products import join_claims
from optimist.plan.publish import publish as published
from optimist.plan.reseal import reseal as resealed


def _plans(paper: str | None, options: Any) -> Iterator[Plan]:
    """Return the plan of a paper, or of each paper if none is given."""
    papers = [paper] if paper else []
    return remake.plans(papers, options.configfile, options.config, options.figures)


def _say_summaries(options: Any, summaries: Sequence[Any]) -> None:
    texts = [summary.in_words() for summary in summaries]
    answer(options, [vars(summary) for summary in summaries], "\n".join(texts))


def decide(options: Any) -> int:
    """Decide claims again from the committed tables."""
    paper, dot, _ = options.what.partition(".")
    plans = _plans(paper, options)
    if dot:
        frame = remake.decide_one(next(plans), options.what, options.strict, warn)
        if options.json:
            print(frame.to_json(orient="records", indent=1))
        else:
            say(pages.to_text(frame, details=True, columns=terminal.width()))
            say(f"nothing was written; `optimist decide {paper}` writes the verdicts of the paper")
        return 0
    written, changed = [], []
    papers = load_config(*options.configfile, values=options.config)["papers"]
    for plan in plans:
        layout, (name,) = plan.layout, plan.papers
        before = _words(layout.claims(name)["csv"])
        written += remake.decide(plan, options.strict, warn)
        after = _words(layout.claims(name)["csv"])
        changed += [
            f"{claim}: {before[claim]} -> {word}"
            for claim, word in after.items()
            if claim in before and before[claim] != word
        ]
    if all(Path(layout.claims(name)["csv"]).is_file() for name in papers):
        join_claims(layout, papers)
        written += layout.claims().values()
    if not options.json:
        say("\n".join(changed) or "no verdict changed")
    say_written(written, options)
    return 0


def _words(path: str) -> dict[str, str]:
    """Return the wording of each claim's verdict; the dict is empty if the file cannot be read."""
    try:
        frame = table.read_frame(path).drop_duplicates("claim")
    except (OptimistError, OSError):
        return {}
    return dict(zip(frame["claim"], frame["words"], strict=True))


def draw(options: Any) -> int:
    """Draw figures and tables again from the committed tables."""
    paper, _, name = options.what.partition("/")
    asked = []
    for plan in _plans(paper, options):
        products = remake.shown(plan, name)
        remake.warn(plan, products, options.strict, warn)
        asked += [(product, plan.targets.sources(product)) for product in products]
    say_written(remake.draw(asked, remake.cores_of(options.cores)), options)
    return 0


def publish(options: Any) -> int:
    """Put results into the committed tables."""
    plan = Plan(load_config(*options.configfile, values=options.config))
    summaries = [published(plan, paper, options.folders) for paper in plan.papers]
    _say_summaries(options, summaries)
    return 1 if any(summary.missing for summary in summaries) else 0


def reseal(options: Any) -> int:
    """Replay one trial of each cell that other code produced, and compare the results."""

    def report(done, number):
        print(f"\r{done} of {number}", end="", file=sys.stderr, flush=True)

    summaries = []
    for plan in _plans(options.paper, options):
        for paper in plan.papers:
            summaries.append(resealed(plan, paper, remake.cores_of(options.cores), report))
            print(file=sys.stderr)
    _say_summaries(options, summaries)
    return 1 if any(summary.other for summary in summaries) else 0
