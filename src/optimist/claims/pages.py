"""Verdicts as a table, as text for a terminal, as Markdown and as HTML.

All texts are made from the table of `to_frame`, which may come from its CSV file: they need no
results.
"""

import itertools
import math
from collections import Counter
from html import escape
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.claims.verdicts import OUTCOMES, VERDICTS
from optimist.errors import ConfigError, ResultError

if TYPE_CHECKING:
    import pandas as pd

    from optimist.claims.verdicts import Verdict

COLUMNS = (
    "claim",
    "place",
    "statement",
    "verdict",
    "explanation",
    "configuration",
    "check",
    "setting",
    "metric",
    "value",
    "low",
    "high",
    "interval",
    "trials",
    "rounds",
    "relation",
    "bound",
    "p_adjusted",
    "outcome",
    "counts",
    "remark",
)
WHOLE = ("trials", "rounds")
# Texts that may be empty, or look like numbers, and come back from CSV as nan, or as numbers.
LOOSE = ("configuration", "interval", "relation", "bound", "remark")
MARKERS = ("<!-- claims -->", "<!-- /claims -->")


# The table.


def to_frame(verdicts: list["Verdict"]) -> "pd.DataFrame":
    """Return one row per check, with the columns `COLUMNS`, as a pandas frame.

    ``rounds`` is the number of rounds that the shortest cell behind the check was run for, which a
    quick run makes smaller than the horizon.
    """
    import pandas as pd

    rows = [_row(verdict, result) for verdict in verdicts for result in verdict.results]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(dict.fromkeys(WHOLE, "Int64"))


def _row(verdict, result):
    check, found = result.check, result.measurement
    about = ("claim", "place", "statement", "verdict", "explanation")
    numbers = ("value", "low", "high", "interval", "trials")
    return {
        **{name: getattr(verdict, name) for name in about},
        **({name: getattr(found, name) for name in numbers} if found else {"interval": ""}),
        "configuration": check.configuration or "",
        "check": check.label,
        "setting": check.setting,
        "metric": check.metric,
        "rounds": result.rounds,
        "relation": check.relation or "",
        "bound": check.bound_text,
        "p_adjusted": result.p_adjusted,
        "outcome": result.outcome,
        "counts": not check.informative,
        "remark": result.remark,
    }


def read_frame(path: str | Path) -> "pd.DataFrame":
    """Return a frame of `to_frame` from its CSV file; written again it gives the same file.

    Raises
    ------
    ResultError
        If the file is not such a table.
    """
    import pandas as pd

    kinds = dict.fromkeys(WHOLE, "Int64") | dict.fromkeys(LOOSE, str)
    try:
        frame = pd.read_csv(path, dtype=kinds)
    except ValueError as error:
        raise ResultError(f"{path} is not a table of claims: {error}") from None
    absent = [name for name in COLUMNS if name not in frame]
    if absent:
        raise ResultError(
            f"{path} is not a table of claims: it lacks {', '.join(absent)}; make it anew"
        )
    for name, allowed in (("verdict", VERDICTS), ("outcome", OUTCOMES)):
        odd = frame.index[~frame[name].isin(allowed)]
        if len(odd):
            raise ResultError(
                f"{path}, line {odd[0] + 2}: {name} is {frame[name][odd[0]]!r}; allowed: "
                f"{', '.join(allowed)}; make the table anew"
            )
    return frame


def _claims(frame):
    """Return for each claim the list of its checks, rows with the columns as attributes."""
    plain = {name: frame[name].map(_text) for name in LOOSE}
    plain |= {name: frame[name].astype(float) for name in WHOLE}
    rows = frame.assign(**plain).itertuples(index=False)
    return [list(checks) for _, checks in itertools.groupby(rows, attrgetter("claim"))]


def _text(value):
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else f"{value:g}"


# Words for one check.


def _value(check):
    """Word a measured value: ``1.52 (1.41 to 1.63, n = 10)``."""
    if check.outcome == "missing":
        return ""
    parts = []
    if check.interval and not math.isnan(check.low):
        parts.append(f"{_number(check.low)} to {_number(check.high)}")
    if check.trials > 0:
        parts.append(f"n = {check.trials:.0f}")
    return _number(check.value) + (f" ({', '.join(parts)})" if parts else "")


def _number(value):
    """Four significant digits, without an exponent where a person would not write one."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"


def _wanted(check):
    return f"{check.relation} {check.bound}" if check.relation else ""


# Summaries.


def tally(frame: "pd.DataFrame") -> str:
    """Return a line or two: how many claims have which verdict, and over how many rounds."""
    verdicts = frame.drop_duplicates("claim")["verdict"]
    counts = Counter(verdicts)
    parts = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name])
    noun = "claim" if len(verdicts) == 1 else "claims"
    return f"{len(verdicts)} {noun}: {parts}. {_rounds(frame)}".rstrip()


def _rounds(frame):
    """Say how long the runs were, so that a truncated one cannot pass for a full one."""
    rounds = frame["rounds"].dropna()
    if rounds.empty:
        return ""
    shortest, longest = int(rounds.min()), int(rounds.max())
    return f"Measured over {shortest}{f' to {longest}' if longest > shortest else ''} rounds."


def to_text(frame: "pd.DataFrame", *, details: bool = False) -> str:
    """Return plain text for a terminal, one line per claim; ``details`` adds its checks."""
    width = max(map(len, frame["claim"]), default=0)
    lines = []
    for checks in _claims(frame):
        about = checks[0]
        lines.append(f"{about.claim:<{width}}  {about.verdict:<14}  {about.statement}")
        if about.verdict != "reproduced" or details:
            lines.append(f"{'':<{width}}  {'':<14}  -> {about.explanation}")
        if details:
            lines += [f"    {_line(check)}" for check in checks]
    return "\n".join([*lines, "", tally(frame)])


def _line(check):
    configuration = f" [{check.configuration}]" if check.configuration else ""
    value, wanted = _value(check), _wanted(check)
    value = f": {value}" if value else ""
    wanted = f", wanted {wanted}" if wanted else ""
    remark = f" ({check.remark})" if check.remark else ""
    return f"{check.outcome:<9} {check.check}{configuration}{value}{wanted}{remark}"


def summary_block(frame: "pd.DataFrame") -> str:
    """Return Markdown: the tally, and a table of claim, place, statement and verdict."""
    rows = []
    for about, *_ in _claims(frame):
        verdict = about.verdict if about.verdict == "missing" else f"**{about.verdict}**"
        rows.append((about.claim, about.place, about.statement, verdict))
    return f"{tally(frame)}\n\n{_table(('claim', 'place', 'statement', 'verdict'), rows)}"


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    cells = ([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in lines)
    return "\n".join("| " + " | ".join(row) + " |" for row in cells) + "\n"


# The README.


def by_paper(frame: "pd.DataFrame") -> str:
    """Return Markdown: the tally, then for each paper its own tally and, folded, its table."""
    papers = frame["claim"].str.partition(".")[0]
    parts = [f"{tally(frame)}\n"]
    for paper, rows in frame.groupby(papers, sort=False):
        counted, table = summary_block(rows).split("\n\n", 1)
        parts.append(
            f"<details>\n<summary><b>{paper}</b>: {counted}</summary>\n\n{table}\n</details>\n"
        )
    return "\n".join(parts)


def with_summary(readme: str, frame: "pd.DataFrame") -> str:
    """Return the text of a README with the verdicts, `by_paper`, between the lines `MARKERS`.

    Raises
    ------
    ConfigError
        If a marker is missing.
    """
    opening, closing = MARKERS
    before, _, rest = readme.partition(opening)
    _, found, after = rest.partition(closing)
    if not found:
        raise ConfigError(
            f"README.md lacks the lines {opening} and, below it, {closing}, "
            "between which the verdicts are written"
        )
    return f"{before}{opening}\n\n{by_paper(frame)}\n{closing}{after}"


def readme_is_current(readme: str, frame: "pd.DataFrame") -> bool:
    """Return whether the text of a README shows the verdicts of a frame between its markers."""
    return with_summary(readme, frame) == readme


# The page.


def to_markdown(verdicts: list["Verdict"]) -> str:
    """Return a page for people: the summary table, then every claim with its checks.

    The verdicts are those on one paper, whose name their ids begin with.
    """
    frame = to_frame(verdicts)
    paper = verdicts[0].claim.split(".")[0]
    head = (
        f"# Claims of {paper}\n\n"
        "Values in brackets are the interval that decides and the number of trials. Regret: ratios "
        "of means over the trials that both sides completed, t intervals, and Holm's correction "
        "within a claim. Time: medians, and the range that single trials allow. A check holds or "
        "fails if the whole interval is on one side of the bound, and is undecided otherwise.\n"
    )
    sections = itertools.starmap(_section, zip(verdicts, _claims(frame), strict=True))
    return "\n".join([head, summary_block(frame), *sections])


def _section(verdict, checks):
    heading = ("outcome", "check", "configuration", "value", "wanted", "remark")
    rows = [
        (c.outcome, c.check, c.configuration, _value(c), _wanted(c), _remark(c)) for c in checks
    ]
    parts = [
        f"## {verdict.claim}: {verdict.verdict}\n",
        f"{verdict.statement} ({verdict.place})\n",
        f"Verdict: **{verdict.verdict}**, {verdict.explanation}.\n",
    ]
    if verdict.note:
        parts.append(f"{verdict.note.strip()}\n")
    if verdict.family > 1:
        parts.append(f"Holm's correction is over {verdict.family} comparisons.\n")
    return "\n".join([*parts, _table(heading, rows)])


def _remark(check):
    return "; ".join(filter(None, ["" if check.counts else "informative", check.remark]))


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Claims</title><style>
body {{ font: 15px/1.45 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }} th, td {{ padding: .3em .6em; text-align: left; }}
tr {{ border-bottom: 1px solid #ddd; vertical-align: top; }}
</style></head><body><h1>Claims</h1><p>{tally}</p>{summary}<h2>Checks</h2>{checks}</body></html>
"""


def to_html(frame: "pd.DataFrame") -> str:
    """Return a page for the browser: the summary table, then a table of all checks."""
    import pandas as pd

    groups = _claims(frame)
    heads = [checks[0] for checks in groups]
    about = ("claim", "place", "statement", "verdict", "explanation")
    summary = pd.DataFrame(
        [[getattr(head, name) for name in about] for head in heads], columns=about
    )
    columns = ("claim", "configuration", "check", "value", "wanted", "outcome", "remark")
    rows = [
        (c.claim, c.configuration, c.check, _value(c), _wanted(c), c.outcome, c.remark)
        for checks in groups
        for c in checks
    ]
    tables = [
        table.fillna("").to_html(index=False, border=0)
        for table in (summary, pd.DataFrame(rows, columns=columns))
    ]
    return PAGE.format(tally=escape(tally(frame)), summary=tables[0], checks=tables[1])
