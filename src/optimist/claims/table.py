"""Verdicts as a table: one row for each check of each reading, with what its claim says."""

import itertools
import math
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.claims.checks import KINDS, STATUSES
from optimist.claims.context import Context
from optimist.claims.inference import NEITHER, Exact
from optimist.claims.results import Result, error_of
from optimist.claims.sample_size import command, needs
from optimist.claims.verdicts import OUTCOMES, READINGS, VERDICTS, Verdict
from optimist.claims.wording import number
from optimist.core.errors import ResultError

if TYPE_CHECKING:
    import pandas as pd

# Columns, and whether they are about the claim or the check.
CLAIM_COLUMNS = (
    *("claim", "kind", "headline", "place", "statement", "verdict", "words", "explanation"),
    *("flags", "stated", "if_counted", "parts", "own_interval", "level", "alpha", "turns"),
    *("cause", "needs", "needs_kind", "hours", "deciding", "command", "line"),
)
CHECK_COLUMNS = (
    *("reading", "status", "reading_outcome", "part", "check", "metric", "settings", "algorithms"),
    *("value", "low", "high", "interval", "method", "n", "units", "first_unit", "n0", "doublings"),
    *("rounds", "relation", "bound", "better", "support", "refute", "gate", "idle", "outcome"),
    *("counts", "turns_at", "slack", "why", "remark", "figures"),
)
COLUMNS = (*CLAIM_COLUMNS, *CHECK_COLUMNS)
WHOLE = ("needs", "line", "n", "first_unit", "n0", "doublings", "rounds")
NUMBERS = (
    *("level", "alpha", "turns", "hours", "value", "low", "high", "support", "refute"),
    *("gate", "idle", "slack"),
    *WHOLE,
)
TRUTHS = ("counts",)
TEXTS = tuple(name for name in COLUMNS if name not in (*NUMBERS, *TRUTHS))
DIGITS = 6
# Texts about a claim, which stand in a file once.
OF_CLAIMS = (
    *("headline", "place", "statement", "explanation", "parts", "own_interval", "deciding"),
)


# Columns that are attributes of a claim, and of a verdict.
OF_CLAIM = ("kind", "headline", "place", "statement", "level")
OF_VERDICT = ("explanation", "stated", "if_counted", "own_interval")


def to_frame(verdicts: Sequence[Verdict], context: Context | None = None) -> "pd.DataFrame":
    """Return one row per check, with the columns `COLUMNS`, as a pandas frame.

    ``verdict`` is the word, ``words`` the word with its qualifiers or the choice that it depends
    on; ``turns`` is the largest error on a side below ``alpha`` at which the word is another.
    ``support`` and ``refute`` are one-sided p-values, corrected for doubling and gated; ``gate``
    and ``idle`` are those of uniform play. ``n0`` units from ``first_unit`` on were the first to
    be judged, and were doubled ``doublings`` times. ``turns_at`` is the bound at which the outcome
    would turn. ``rounds`` is the number of rounds of the shortest cell behind the check.
    ``deciding`` says what would decide an open claim.
    """
    import pandas as pd

    context = context or Context()
    rows = []
    for verdict in verdicts:
        about, alpha = _about(verdict, context), error_of(verdict.results, verdict.claim.alpha)
        rows += [about | _row(result, verdict, alpha, context) for result in verdict.results]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in NUMBERS:
        frame[name] = frame[name].astype(float)
    return frame.astype(dict.fromkeys(WHOLE, "Int64"))


def _about(verdict: Verdict, context: Context) -> dict[str, Any]:
    claim = verdict.claim
    wanted = needs(verdict, context.seconds)
    paper = context.paper or claim.id.partition(".")[0]
    return {
        "claim": claim.id,
        **{name: getattr(claim, name) for name in OF_CLAIM},
        "verdict": verdict.word,
        "words": verdict.text,
        **{name: getattr(verdict, name) for name in OF_VERDICT},
        "flags": "; ".join(verdict.flags),
        "parts": "; ".join(f"{name}: {word}" for name, word in verdict.parts.items()),
        "alpha": _digits(claim.alpha),
        "turns": _digits(verdict.turns),
        "cause": wanted.cause if wanted else "",
        "needs": wanted.units or None if wanted else None,
        "needs_kind": wanted.kind if wanted and wanted.units else "",
        "hours": _digits(wanted.hours) if wanted else math.nan,
        "deciding": wanted.text if wanted else "",
        "command": command(paper, claim.id, wanted.units) if wanted and wanted.units else "",
        "line": context.lines.get(claim.id),
    }


def _row(result: Result, verdict: Verdict, alpha: float, context: Context) -> dict[str, Any]:
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
        "first_unit": first.start if first else None,
        "n0": first.n0 if first else None,
        "doublings": result.k if first and result.k >= 0 else None,
        "rounds": result.rounds,
        "relation": check.relation or "",
        "bound": check.bound_text,
        "better": check.better,
        "support": _digits(result.support),
        "refute": _digits(result.refute),
        "gate": _digits(gate.support) if gate else math.nan,
        "idle": _digits(gate.idle) if gate else math.nan,
        "outcome": result.outcome,
        "counts": result.counts,
        "turns_at": _turning(result, alpha),
        "slack": _digits(result.slack),
        "why": check.why,
        "remark": result.remark,
        "figures": ", ".join(_figures(result, context)),
    }


def _measured(result: Result, level: float) -> dict[str, Any]:
    evidence = result.evidence
    if evidence is None:
        return {"value": math.nan, "interval": "", "method": "", "units": ""}
    pieces = evidence.pieces(level)
    return {
        "value": _digits(evidence.value),
        "low": _digits(pieces[0][0]) if pieces else math.nan,
        "high": _digits(pieces[-1][1]) if pieces else math.nan,
        "interval": " or ".join(f"{number(low)} to {number(high)}" for low, high in pieces),
        "method": evidence.method,
        "n": evidence.n,
        "units": result.check.metric.units if evidence.n else "",
    }


def _turning(result: Result, alpha: float) -> str:
    """Return the bounds at which a one-sided check by itself would come out otherwise, as text.

    They are the ends of the pieces of its interval that are nearest to its bound.
    """
    found, check = result.evidence, result.check
    if found is None or check.relation not in ("below", "above"):
        return ""
    if isinstance(found, Exact):
        return number(found.value)
    if found.p_values(check.bound) == NEITHER:
        return ""
    pieces = found.pieces(1.0 - 2.0 * alpha)
    around = [piece for piece in pieces if piece[0] <= check.bound <= piece[1]]
    left = max((high for _, high in pieces if high < check.bound), default=math.inf)
    right = min((low for low, _ in pieces if low > check.bound), default=math.inf)
    ends = around[0] if around else (left, right)
    return " or ".join(number(end) for end in ends if 0.0 < abs(end) < math.inf)


def _figures(result: Result, context: Context) -> list[str]:
    """Return the figures that show all cells behind a result, or else some of them."""
    if result.evidence is None:
        return []
    shown = [context.figures.get(cell, ()) for cell in result.check.cells]
    together = [name for name in (shown or [()])[0] if all(name in names for names in shown)]
    return together or list(dict.fromkeys(itertools.chain.from_iterable(shown)))


def _digits(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def compacted(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Return a frame of `to_frame` with what is said of a whole claim in its first row alone."""
    repeated = frame["claim"].duplicated()
    return frame.assign(**{name: frame[name].mask(repeated, "") for name in OF_CLAIMS})


def read_frame(path: str | Path) -> "pd.DataFrame":
    """Return a frame of `to_frame` from its CSV file, which may be `compacted`.

    Raises
    ------
    ResultError
        If the file is not such a table.
    """
    import pandas as pd

    kinds: dict[str, Any] = dict.fromkeys(NUMBERS, float) | dict.fromkeys(WHOLE, "Int64")
    kinds |= dict.fromkeys(TEXTS, str) | dict.fromkeys(TRUTHS, bool)
    try:
        frame = pd.read_csv(path, dtype=kinds)
    except ValueError as error:
        raise ResultError(f"{path} is not a table of claims: {error}") from None
    absent = [name for name in COLUMNS if name not in frame]
    if absent:
        raise ResultError(
            f"{path} is not a table of claims: it lacks {', '.join(absent)}; make it anew"
        )
    frame = frame.fillna(dict.fromkeys(TEXTS, ""))
    firsts = frame.drop_duplicates("claim").set_index("claim")
    frame = frame.assign(**{name: frame["claim"].map(firsts[name]) for name in OF_CLAIMS})
    _check_words(path, frame)
    return frame


def _check_words(path: str | Path, frame: "pd.DataFrame") -> None:
    """Refuse words that are none for their kind of claim."""
    columns = ["kind", "verdict", "outcome", "status", "reading_outcome"]
    for line, row in enumerate(frame[columns].itertuples(index=False), 2):
        for name, allowed in (
            ("kind", KINDS),
            ("verdict", VERDICTS.get(row.kind, ())),
            ("outcome", OUTCOMES.get(row.kind, ())),
            ("status", STATUSES),
            ("reading_outcome", READINGS.get(row.kind, ())),
        ):
            word = getattr(row, name)
            if word not in allowed and not (word == "" and name == "reading_outcome"):
                raise ResultError(
                    f"{path}, line {line}: {name} is {word!r}; allowed: {', '.join(allowed)}; "
                    "make the table anew"
                )


def claims_in(frame: "pd.DataFrame") -> list[list[Any]]:
    """Return for each claim the list of its checks, rows with the columns as attributes."""
    plain = {name: frame[name].astype(float) for name in NUMBERS}
    rows = frame.assign(**plain).itertuples(index=False)
    return [list(checks) for _, checks in itertools.groupby(rows, attrgetter("claim"))]
