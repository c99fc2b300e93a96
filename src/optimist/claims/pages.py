"""Functions that format verdicts as plain text for a terminal and as Markdown.

The input is the table from `optimist.claims.table`, perhaps read from its CSV file; a paper's page
also needs the notes on its claims.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.claims.claim import KINDS, VERDICTS
from optimist.claims.rule import DECIDED, UNDECIDED, grouped
from optimist.claims.table import claims_in
from optimist.claims.wording import number
from optimist.core.errors import ConfigError
from optimist.core.files import read_text
from optimist.core.terminal import folded

if TYPE_CHECKING:
    import pandas as pd

MARKERS = ("<!-- claims -->", "<!-- /claims -->")
ALL_WORDS = tuple(dict.fromkeys(itertools.chain.from_iterable(VERDICTS.values())))
NAMES_OF_KINDS = {"empirical": "claim", "guarantee": "guarantee", "fact": "fact"}


# Texts about one check.


def _value(check: Any) -> str:
    """Format a measured value: ``1.52 (1.41 to 1.63, n = 10)``."""
    if check.outcome == "missing":
        return ""
    parts = ", ".join(filter(None, [check.interval, f"n = {check.n:.0f}" if check.n > 0 else ""]))
    return number(check.value) + (f" ({parts})" if parts else "")


def _wanted(check: Any) -> str:
    if check.relation == "between":
        return f"between {check.bound.replace(' to ', ' and ')}"
    return f"{check.relation} {check.bound}" if check.relation else ""


def _remark(check: Any) -> str:
    slack = "" if math.isnan(check.slack) else f"slack {number(check.slack)}"
    return "; ".join(filter(None, [slack, check.why, check.remark]))


# Summaries.


def tally(frame: "pd.DataFrame") -> str:
    """Return one line that counts the claims by kind and verdict."""
    heads = frame.drop_duplicates("claim")
    kinds = [heads[heads["kind"] == kind] for kind in KINDS]
    return " ".join(_tally(of_kind) for of_kind in kinds if not of_kind.empty)


def _tally(heads: "pd.DataFrame") -> str:
    number, noun = len(heads), NAMES_OF_KINDS[heads["kind"].iloc[0]]
    counts = Counter(heads["verdict"])
    text = f"{number} {noun}{'s' * (number > 1)}: "
    text += ", ".join(f"{counts[word]} {word}" for word in ALL_WORDS if counts[word]) + "."
    holding = heads[heads["verdict"] == "reproduced"]
    if vacuous := int(holding["flags"].str.startswith("vacuous").sum()):
        text += f" {vacuous} of the {len(holding)} reproduced claims could not fail."
    decided = heads[heads["verdict"].isin(DECIDED)]
    if number > 1 and not decided.empty:
        firm = int((decided["turns"] * number < decided["alpha"]).sum())
        text += f" {firm} of the {len(decided)} decided claims keep their verdicts at an error "
        text += f"{number} times smaller."
    return text


def wrong_words(frame: "pd.DataFrame") -> str:
    """Return a sentence on the number of wrong verdicts expected by chance."""
    heads = frame[frame["kind"] == "empirical"].drop_duplicates("claim")
    expected = float(((1.0 - heads["level"]) / 2.0).sum())
    return (
        "In each empirical claim, a wrong word of one kind has a probability of at most "
        f"(1 - level) / 2: at most {expected:.2g} of these {len(heads)} claims are expected to "
        "have a wrong word of each kind."
    )


def to_text(frame: "pd.DataFrame", *, details: bool = False, columns: int | None = None) -> str:
    """Return the claims as plain text, wrapped at ``columns``; with ``details``, add the checks."""
    width = max(map(len, frame["claim"]), default=0)
    lines = []
    for checks in claims_in(frame):
        about = checks[0]
        lines.append(f"{about.claim:<{width}}  {about.verdict:<14}  {about.statement}")
        indent = f"{'':<{width}}  {'':<14}  -> "
        if about.words != about.verdict:
            lines.append(indent + about.words)
        if about.verdict not in ("reproduced", "held", "matches") or details:
            lines.append(indent + about.explanation)
        lines += [indent + text for text in (about.flags, about.deciding) if text]
        if details:
            lines += [f"    {_line(check)}" for check in checks]
    return "\n".join(folded(line, columns) for line in (*lines, "", tally(frame)))


def _line(check: Any) -> str:
    reading = f" [{check.reading}]" if check.reading else ""
    value = f": {_value(check)}" if _value(check) else ""
    wanted = f", wanted {_wanted(check)}" if _wanted(check) else ""
    remark = f" ({_remark(check)})" if _remark(check) else ""
    return f"{check.outcome:<9} {check.check}{reading}{value}{wanted}{remark}"


def open_claims(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return the first row of each open or doubted claim, by the price of an answer.

    The price of an answer is the price of the next look divided by its chance of an answer; an
    unknown chance counts as a half. Claims that no command can decide come last.
    """
    heads = frame[frame["verdict"].isin(UNDECIDED)].drop_duplicates("claim")
    chance = heads["chance"].astype(float).fillna(0.5)
    price = heads["hours"].astype(float) / chance.where(chance > 0.0)
    heads = heads.assign(price=price, decidable=heads["command"] != "")
    ordered = heads.sort_values(
        ["decidable", "price", "claim"], ascending=[False, True, True], na_position="last"
    )
    return ordered.drop(columns=["decidable", "price"])


def open_text(frame: "pd.DataFrame", columns: int | None = None) -> str:
    """Return the open and doubted claims with their causes and commands, as plain text.

    Lines other than commands are wrapped at ``columns``.
    """
    lines = []
    for head, *_ in claims_in(open_claims(frame)):
        about = f"{head.claim} ({head.words})  {head.statement}"
        texts = (about, f"    {head.cause}: {head.deciding}")
        lines += [folded(line, columns) for line in texts]
        lines += [f"    {head.command}"] if head.command else []
    return "\n".join(lines) or "no claim is open or doubted"


# The README.


def by_verdict(frame: "pd.DataFrame") -> str:
    """Return the tally and the claims' headlines listed by verdict, as Markdown."""
    headlines: dict[str, list[str]] = {}
    for about, *_ in claims_in(frame):
        number = about.claim.rpartition(".")[2]
        text = f"{about.headline or about.statement} ({number})"
        headlines.setdefault(f"{about.kind}, **{about.words}**", []).append(text)
    lines = [f"- {word}: {'; '.join(texts)}." for word, texts in sorted(headlines.items())]
    return "\n".join([tally(frame), "", *lines])


def with_summary(document: str, text: str, source: str = "README.md") -> str:
    """Return the document with ``text`` between the two `MARKERS`.

    Raises
    ------
    ConfigError
        If a marker is missing; the message refers to the document as ``source``.
    """
    opening, closing = MARKERS
    before, _, rest = document.partition(opening)
    _, mark, after = rest.partition(closing)
    if not mark:
        raise ConfigError(
            f"{source} lacks the lines {opening} and {closing}, in this order; "
            "the verdicts are written between them"
        )
    return f"{before}{opening}\n\n{text.rstrip()}\n\n{closing}{after}"


# The page.

# The template of a paper's page.
PAGE = Path(__file__).with_name("claims.md.jinja")


def to_markdown(frame: "pd.DataFrame", notes: Mapping[str, str]) -> str:
    """Return a paper's page: a summary table, and each claim with its readings and checks.

    All claims in ``frame`` must belong to one paper, whose id is the prefix of their ids. ``notes``
    maps claim ids to notes.
    """
    import jinja2

    claims = claims_in(frame)
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    functions = (_row, _digits, _is_tested, _value, _wanted, _remark)
    return environment.from_string(read_text(PAGE)).render(
        {function.__name__[1:]: function for function in functions},
        paper=claims[0][0].claim.split(".")[0],
        claims=[(some[0], grouped(some, lambda c: (c.reading, c.status))) for some in claims],
        notes=notes,
        tally=tally(frame),
        wrong_words=wrong_words(frame),
    )


def _row(*cells: Any) -> str:
    """Return a row of a table in Markdown."""
    texts = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(texts)} |"


def _digits(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2g}"


def _is_tested(check: Any) -> bool:
    return check.relation and check.outcome not in ("missing", "reported") and check.n > 0


def joined(pages: Mapping[str, str]) -> str:
    """Return one page that joins the papers' pages, each cut before its first claim.

    ``pages`` maps paper ids to the texts of their pages. Relative links are rewritten for the
    parent folder, where the joined page belongs.
    """
    sections = []
    for paper, text in pages.items():
        head = re.sub(r"\]\((?=trials\.|studies\.)", f"]({paper}/", text.partition("\n## ")[0])
        title, rest = head.replace("](../../", "](../").split("\n", 1)
        sections.append(f"{title}\n\n[All checks]({paper}/claims.md).\n{rest}")
    return "\n\n".join(sections)
