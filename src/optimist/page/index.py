"""Markdown texts with results: the index of figures, and parts of README.md and docs."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from optimist.claims.claim import KINDS
from optimist.claims.pages import by_verdict, tally
from optimist.config.models import Said
from optimist.page import findings
from optimist.page.verdicts import COLUMN, Shown, claims

if TYPE_CHECKING:
    import pandas as pd


def figures(data: Mapping[str, Any]) -> str:
    """Return an index of all figures, with thumbnails, captions and related verdicts.

    Parameters
    ----------
    data : mapping
        Content of the page; see `optimist.page.content.collect`.
    """
    lines = ["Open [the page of results](index.html) in a browser: it needs no network.", ""]
    if data["quick"]:
        lines += ["**Shortened run: nothing here is a result.**", ""]
    for name, paper in data["papers"].items():
        method = paper["names"].get(paper["method"], name)
        lines += [f"## {method}: {paper['title']}", "", f"{paper['reference']}.", ""]
        lines += [f"{_counts(data, name)} [All claims]({name}/claims.md).", ""]
        lines += ["| figure | what it shows | claims | numbers |", "| --- | --- | --- | --- |"]
        lines += [*_rows(data, name), ""]
    return "\n".join(lines)


def _counts(data: Mapping[str, Any], paper: str) -> str:
    stated = [claim for claim in data["claims"].values() if claim["paper"] == paper]
    counts = []
    for kind in KINDS:
        words = [claim["verdict"] for claim in stated if claim["kind"] == kind]
        if words:
            counted = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
            counts.append(f"{kind}: {counted}")
    return "; ".join(counts) + "."


def _rows(data: Mapping[str, Any], paper: str) -> Iterator[str]:
    for key, figure in data["figures"].items():
        of, _, name = key.partition("/")
        if of != paper:
            continue
        picture = f"[![{_cell(figure['title'])}]({of}/thumbnails/{name}.webp)]({figure['png']})"
        text = f"**{_cell(figure['title'])}.** {_cell(figure['caption'])}"
        related = [
            f"{id.partition('.')[2]} {claim['words']}"
            for id, claim in data["claims"].items()
            if claim["paper"] == paper and _shows(claim, name)
        ]
        yield f"| {picture} | {text} | {'<br>'.join(related)} | [CSV]({figure['csv']}) |"


def _shows(claim: Shown, figure: str) -> bool:
    places = (place for check in claim["checks"] for place in check[COLUMN["figures"]].split(", "))
    return any(place.split(" (")[0] == figure for place in places)


def _cell(text: str) -> str:
    """Escape text for a table cell, so that it cannot start a column, a tag or a link."""
    return text.replace("|", "\\|").replace("](", "]\\(").replace("<", "&lt;")


def documents(frame: "pd.DataFrame") -> dict[str, str]:
    """Return, for each path of a document with verdicts, the text between its markers.

    Parameters
    ----------
    frame : DataFrame
        The table of all claims.
    """
    by_paper = frame["claim"].str.partition(".")[0]
    shown = {
        f"docs/findings/{paper}.md": by_verdict(rows) for paper, rows in frame.groupby(by_paper)
    }
    return {"README.md": front(frame, [*dict.fromkeys(by_paper)]), **shown}


def front(frame: "pd.DataFrame", papers: list[str]) -> str:
    """Return results for the README: headlines, a table of claims and results, and a tally."""
    sentences, verdicts = findings.load(), claims(frame, {})
    about = {name: findings.overview(sentences, verdicts, name) for name in papers}
    return "\n".join(
        [
            *(f"- **{one['headline']}**" for one in about.values()),
            *("", "## What the papers say, and what we measure", ""),
            *("| Paper | It says | We measure |", "| --- | --- | --- |"),
            *(_beside(sentences["papers"][name], one, verdicts) for name, one in about.items()),
            *("", tally(frame)),
        ]
    )


def _beside(said: Said, texts: Mapping[str, str], known: Mapping[str, Shown]) -> str:
    ids = dict.fromkeys(entry["claim"] for entry in said["numbers"].values())
    links = "; ".join(_link(known[id], id) for id in ids)
    return f"| {said['paper']} | {texts['says']} | {texts['measured']} ({links}) |"


def _link(claim: Shown, id: str) -> str:
    anchor = f"{id.replace('.', '')}-{claim['verdict'].replace(' ', '-')}"
    return f"[{id}](figures/{claim['paper']}/claims.md#{anchor}): {claim['words']}"
