"""Verdicts as a table with one row for each check of each reading.

Each row also contains the texts about the claim.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from optimist.claims.claim import KINDS, OUTCOMES, READINGS, STATUSES, VERDICTS
from optimist.claims.effects import sentence
from optimist.claims.evidence import Exact
from optimist.claims.results import NextLook, Result, Verdict, error_of
from optimist.claims.tails import NEITHER
from optimist.claims.wording import number
from optimist.core.errors import ResultError
from optimist.experiments.trials import CellKey

if TYPE_CHECKING:
    import pandas as pd

# Columns that describe a claim (up to "line"), and columns that describe a check.
COLUMNS = (
    *("claim", "kind", "headline", "place", "statement", "quote", "paper_value", "verdict"),
    *("words", "effect", "explanation", "typical", "flags", "stated", "if_counted", "parts"),
    *("own_interval", "level", "alpha", "turns"),
    *("cause", "needs", "needs_kind", "hours", "chance", "likely", "forecast", "deciding"),
    *("command", "line"),
    *("reading", "status", "reading_outcome", "part", "check", "metric", "settings", "algorithms"),
    *("value", "low", "high", "interval", "method", "n", "units", "first_unit", "n0", "doublings"),
    *("rounds", "relation", "bound", "better", "support", "refute", "gate", "idle", "outcome"),
    *("counts", "turns_at", "slack", "why", "remark", "figures"),
)
WHOLE = ("needs", "line", "n", "first_unit", "n0", "doublings", "rounds")
NUMBERS = (
    *("level", "alpha", "turns", "hours", "chance", "value", "low", "high", "support", "refute"),
    *("gate", "idle", "slack"),
)
FLOATS = dict.fromkeys((*NUMBERS, *WHOLE), float)
TEXTS = tuple(name for name in COLUMNS if name not in FLOATS and name != "counts")
# Significant digits of `NUMBERS`.
DIGITS = 6
# Texts about a claim, which the CSV file contains only in the claim's first row.
OF_CLAIMS = (
    *("headline", "place", "statement", "quote", "paper_value", "effect", "explanation", "parts"),
    *("own_interval", "deciding"),
)
# Columns named after attributes of `Claim`, and those named after attributes of `Verdict`.
OF_CLAIM = ("kind", "headline", "place", "statement", "quote", "paper_value", "level")
OF_VERDICT = ("explanation", "typical", "flags", "stated", "if_counted", "own_interval", "turns")


def to_frame(
    verdicts: Sequence[Verdict],
    looks: Mapping[str, NextLook] = MappingProxyType({}),
    figures: Mapping[CellKey, Sequence[str]] = MappingProxyType({}),
    lines: Mapping[str, int] = MappingProxyType({}),
    titles: Mapping[str, str] = MappingProxyType({}),
) -> "pd.DataFrame":
    """Return a pandas frame with one row per check and the columns `COLUMNS`.

    Some columns need explaining:

    - ``effect`` is the measured answer in plain units.
    - ``typical`` is the word for the typical trial, for claims on heavy-tailed regrets.
    - ``verdict`` is the word, and ``words`` is the word with its qualifiers or the choice on which
      it depends.
    - ``turns`` is the largest error on each side, at most ``alpha``, below which the word changes.
    - ``deciding`` describes the next look of an open claim, ``chance`` is the share of replicates
      that answer it, and ``forecast`` their commonest word.
    - ``support`` and ``refute`` are one-sided p-values, corrected for doubling and gated.
    - ``gate`` and ``idle`` are p-values from the comparison with uniform play.
    - ``first_unit``, ``n0`` and ``doublings``: the first judgement used ``n0`` units from
      ``first_unit`` on, and this number has been doubled ``doublings`` times since then.
    - ``turns_at`` is the bound at which the outcome would change.
    - ``rounds`` is the smallest number of rounds in the cells of the check.

    Parameters
    ----------
    verdicts : sequence of Verdict
    looks : mapping
        The next look of each open claim (`optimist.claims.next_look`), by claim.
    figures : mapping
        Names of the panels that show each cell, such as ``fig1 (a)``.
    lines : mapping
        For each claim: the line of its file on which it begins.
    titles : mapping
        Titles of settings, by name.
    """
    import pandas as pd

    rows = []
    for verdict in verdicts:
        look = looks.get(verdict.claim.id, NextLook())
        about, alpha = _about(verdict, look), error_of(verdict.results, verdict.claim.alpha)
        about["line"] = lines.get(verdict.claim.id)
        about["effect"] = sentence(verdict, titles)
        rows += [about | _row(result, verdict, alpha, figures) for result in verdict.results]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(FLOATS)
    for name in NUMBERS:
        frame[name] = [float(f"{value:.{DIGITS}g}") for value in frame[name]]
    return frame.astype(dict.fromkeys(WHOLE, "Int64"))


def _about(verdict: Verdict, look: NextLook) -> dict[str, object]:
    claim = verdict.claim
    return {
        "claim": claim.id,
        **{name: getattr(claim, name) for name in OF_CLAIM},
        "verdict": verdict.word,
        "words": verdict.text,
        **{name: getattr(verdict, name) for name in OF_VERDICT},
        "parts": "; ".join(f"{name}: {word}" for name, word in verdict.parts.items()),
        "alpha": claim.alpha,
        **vars(look),
    }


def _row(
    result: Result, verdict: Verdict, alpha: float, figures: Mapping[CellKey, Sequence[str]]
) -> dict[str, object]:
    check, first, gate = result.check, result.first, result.gate
    alpha /= 2.0 ** (max(result.k, 0) + 1)
    return {
        "reading": result.reading.name,
        "status": "ours" if check.status == "ours" else result.reading.status,
        "reading_outcome": verdict.outcomes.get(result.reading.name, ""),
        "part": check.part,
        "check": check.label,
        "metric": check.metric.name,
        "settings": ", ".join(check.settings),
        "algorithms": ", ".join(check.algorithms),
        **_measured(result, 1.0 - 2.0 * alpha),
        **({"first_unit": first.start, "n0": first.n0} if first else {}),
        "doublings": result.k if first and result.k >= 0 else None,
        "rounds": result.rounds,
        "relation": check.relation or "",
        "bound": check.bound_text,
        "better": check.better,
        "support": result.support,
        "refute": result.refute,
        **({"gate": gate.support, "idle": gate.idle} if gate else {}),
        "outcome": result.outcome,
        "counts": result.counts,
        "turns_at": _turning(result, alpha),
        "slack": result.slack,
        "why": check.why,
        "remark": result.remark,
        "figures": ", ".join(_figures(result, figures)),
    }


def _measured(result: Result, level: float) -> dict[str, object]:
    evidence = result.evidence
    if evidence is None:
        return {"interval": "", "method": "", "units": ""}
    pieces = evidence.pieces(level)
    return {
        "value": evidence.value,
        "low": pieces[0][0] if pieces else None,
        "high": pieces[-1][1] if pieces else None,
        "interval": " or ".join(f"{number(low)} to {number(high)}" for low, high in pieces),
        "method": evidence.method,
        "n": evidence.n,
        "units": result.check.metric.units if evidence.n else "",
    }


def _turning(result: Result, alpha: float) -> str:
    """Return, as text, the bounds at which the outcome of a one-sided check would change.

    The check is considered by itself. The bounds are the ends of its interval that are nearest to
    its own bound.
    """
    evidence, check = result.evidence, result.check
    if evidence is None or check.relation not in ("below", "above"):
        return ""
    if isinstance(evidence, Exact):
        return number(evidence.value)
    if evidence.p_values(check.bound) == NEITHER:
        return ""
    pieces = evidence.pieces(1.0 - 2.0 * alpha)
    around = [piece for piece in pieces if piece[0] <= check.bound <= piece[1]]
    left = max((high for _, high in pieces if high < check.bound), default=math.inf)
    right = min((low for low, _ in pieces if low > check.bound), default=math.inf)
    ends = around[0] if around else (left, right)
    return " or ".join(number(end) for end in ends if 0.0 < abs(end) < math.inf)


def _figures(result: Result, figures: Mapping[CellKey, Sequence[str]]) -> list[str]:
    """Return the figures that show all cells of a result, or else those that show any of them."""
    if result.evidence is None:
        return []
    shown = [figures.get(cell, ()) for cell in result.check.cells]
    together = [name for name in (shown or [()])[0] if all(name in names for names in shown)]
    return together or list(dict.fromkeys(itertools.chain.from_iterable(shown)))


def compacted(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a copy of a frame from `to_frame` with a claim's texts only in its first row."""
    repeated = frame["claim"].duplicated()
    return frame.assign(**{name: frame[name].mask(repeated, "") for name in OF_CLAIMS})


def read_frame(path: str | Path) -> "pd.DataFrame":
    """Read a frame made by `to_frame`, and perhaps `compacted`, from its CSV file.

    Raises
    ------
    ResultError
        If the file is not a table of claims, or contains words that are not allowed.
    """
    import pandas as pd

    kinds: dict[str, object] = {**FLOATS, **dict.fromkeys(WHOLE, "Int64"), "counts": bool}
    kinds |= dict.fromkeys(TEXTS, str)
    try:
        frame = pd.read_csv(path, dtype=kinds)
    except ValueError as error:
        raise ResultError(f"{path} is not a table of claims: {error}") from None
    absent = [name for name in COLUMNS if name not in frame]
    if absent:
        raise ResultError(
            f"{path} is not a table of claims: it lacks the columns {', '.join(absent)}; "
            "make the table again"
        )
    frame = frame.fillna(dict.fromkeys(TEXTS, ""))
    firsts = frame.drop_duplicates("claim").set_index("claim")
    frame = frame.assign(**{name: frame["claim"].map(firsts[name]) for name in OF_CLAIMS})
    _check_words(path, frame)
    return frame


def _check_words(path: str | Path, frame: "pd.DataFrame") -> None:
    """Raise ResultError if a row contains a word that is not allowed for its kind of claim."""
    for line, row in enumerate(frame.to_dict("records"), 2):
        kind = row["kind"]
        words = {
            "kind": KINDS,
            "verdict": VERDICTS.get(kind, ()),
            "outcome": OUTCOMES.get(kind, ()),
            "status": STATUSES,
            "reading_outcome": READINGS.get(kind, ()) if row["reading_outcome"] else ("",),
        }
        for name, allowed in words.items():
            if row[name] not in allowed:
                raise ResultError(
                    f"{path}, line {line}: {name} is {row[name]!r}; allowed: {', '.join(allowed)}; "
                    "make the table again"
                )


def claims_in(frame: "pd.DataFrame") -> list[list[Any]]:
    """Return one list of checks for each claim.

    A check is a named tuple with the table's columns as attributes.
    """
    rows = frame.astype(FLOATS).itertuples(index=False)
    return [list(checks) for _, checks in itertools.groupby(rows, attrgetter("claim"))]
