"""Verdicts as a table: one row for each check of each reading, with what its claim says."""

import itertools
import math
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.claims.checks import KINDS, STATUSES
from optimist.claims.context import Context
from optimist.claims.deciding import command, in_words, needs, ratio_decided, units_needed
from optimist.claims.inference import NEITHER, Exact
from optimist.claims.metrics import metric
from optimist.claims.names import number
from optimist.claims.verdicts import OUTCOMES, READINGS, VERDICTS, Result, Verdict, kept
from optimist.errors import ResultError

if TYPE_CHECKING:
    import pandas as pd

# Columns, and whether they are about the claim or the check.
CLAIM_COLUMNS = (
    *("claim", "kind", "headline", "place", "statement", "verdict", "explanation", "flags"),
    *("level", "alpha", "decides", "needs", "needs_kind", "hours", "deciding", "command", "line"),
)
CHECK_COLUMNS = (
    *("reading", "status", "reading_outcome", "part", "tuning", "check", "metric"),
    *(
        "settings",
        "algorithms",
        "value",
        "low",
        "high",
        "interval",
        "method",
        "n",
        "units",
        "first_trial",
        "last_trial",
        "rounds",
    ),
    *("relation", "bound", "support", "refute", "outcome", "counts", "turns_at", "ratio_decided"),
    *("units_needed", "slack", "why", "remark", "figures"),
)
COLUMNS = (*CLAIM_COLUMNS, *CHECK_COLUMNS)
WHOLE = ("needs", "line", "n", "first_trial", "last_trial", "rounds", "units_needed")
NUMBERS = (
    *(
        "level",
        "alpha",
        "decides",
        "hours",
        "value",
        "low",
        "high",
        "support",
        "refute",
        "ratio_decided",
        "slack",
    ),
    *WHOLE,
)
TRUTHS = ("counts",)
TEXTS = tuple(name for name in COLUMNS if name not in (*NUMBERS, *TRUTHS))
DIGITS = 6
# Texts about a claim, which stand in a file once.
OF_CLAIMS = ("headline", "place", "statement", "explanation", "deciding")


def to_frame(verdicts: Sequence[Verdict], context: Context | None = None) -> "pd.DataFrame":
    """Return one row per check, with the columns `COLUMNS`, as a pandas frame.

    ``support`` and ``refute`` are the one-sided p-values, ``turns_at`` the bound at which the
    outcome would turn, ``ratio_decided`` the ratio from its bound that the check's ``n`` decides
    with a power of 80 %, ``units_needed`` how many decide the ratio that its claim asks for.
    ``alpha`` is the error allowed on each side. Trials, or turns, from ``first_trial`` to
    ``last_trial`` count, if they are not all. ``rounds`` is the number of rounds of the shortest
    cell behind the check. ``deciding`` says what would decide an undecided claim.
    """
    import pandas as pd

    context = context or Context()
    rows = []
    for verdict in verdicts:
        about = _about(verdict, context)
        rows += [about | _row(result, verdict, context) for result in verdict.results]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    for name in NUMBERS:
        frame[name] = frame[name].astype(float)
    return frame.astype(dict.fromkeys(WHOLE, "Int64"))


def _about(verdict: Verdict, context: Context) -> dict[str, Any]:
    claim = verdict.claim
    is_enlarged = claim.id in context.enlarged
    wanted = None if is_enlarged else needs(verdict, context.seconds)
    lacking = wanted if wanted is not None and not wanted.is_enough else None
    paper = context.paper or claim.id.partition(".")[0]
    return {
        "claim": claim.id,
        "kind": claim.kind,
        "headline": claim.headline,
        "place": claim.place,
        "statement": claim.statement,
        "verdict": verdict.word,
        "explanation": verdict.explanation,
        "flags": "; ".join(verdict.flags),
        "level": claim.level,
        "alpha": _digits(claim.alpha),
        "decides": claim.decides,
        "needs": lacking.units if lacking else None,
        "needs_kind": lacking.kind if lacking else "",
        "hours": _digits(lacking.hours) if lacking else math.nan,
        "deciding": in_words(verdict, wanted, is_enlarged),
        "command": command(paper, claim.id, lacking.total) if lacking else "",
        "line": context.lines.get(claim.id),
    }


def _row(result: Result, verdict: Verdict, context: Context) -> dict[str, Any]:
    check, alpha = result.check, verdict.claim.alpha
    ratio = ratio_decided(result, alpha) if verdict.claim.kind == "empirical" else math.nan
    return {
        "reading": result.reading.name,
        "status": "ours" if check.status == "ours" else result.reading.status,
        "reading_outcome": verdict.outcomes.get(result.reading.name, ""),
        "part": check.part,
        "tuning": check.tuning,
        "check": check.label,
        "metric": check.metric,
        "settings": ", ".join(check.settings),
        "algorithms": ", ".join(check.algorithms),
        **_measured(result, 1.0 - 2.0 * alpha),
        **_trials(result, verdict, context),
        "rounds": result.rounds,
        "relation": check.relation or "",
        "bound": check.bound_text,
        "support": _digits(result.support),
        "refute": _digits(result.refute),
        "outcome": result.outcome,
        "counts": result.counts,
        "turns_at": _turning(result, alpha),
        "ratio_decided": _digits(ratio),
        "units_needed": units_needed(result, verdict.claim.decides, alpha),
        "slack": _digits(result.slack),
        "why": check.why,
        "remark": result.remark,
        "figures": ", ".join(_figures(result, context)),
    }


def _measured(result: Result, level: float) -> dict[str, Any]:
    found = result.measurement
    if found is None:
        return {"value": math.nan, "interval": "", "method": "", "units": ""}
    evidence = found.evidence
    pieces = evidence.pieces(level)
    return {
        "value": _digits(evidence.value),
        "low": _digits(pieces[0][0]) if pieces else math.nan,
        "high": _digits(pieces[-1][1]) if pieces else math.nan,
        "interval": " or ".join(f"{number(low)} to {number(high)}" for low, high in pieces),
        "method": evidence.method,
        "n": evidence.n,
        "units": metric(result.check.metric).units if evidence.n else "",
    }


def _trials(result: Result, verdict: Verdict, context: Context) -> dict[str, Any]:
    """Return the first and the last trial that count in all cells of a result, None for any."""
    limits = kept(verdict.claim, context)
    cells = result.measurement.cells if result.measurement else ()
    ends = [limits[cell] for cell in cells if cell in limits]
    first = max((first for first, _ in ends), default=0)
    stop = min((stop for _, stop in ends), default=math.inf)
    return {"first_trial": first or None, "last_trial": stop - 1 if stop < math.inf else None}


def _turning(result: Result, alpha: float) -> str:
    """Return the bounds at which a one-sided check by itself would come out otherwise, as text.

    They are the ends of the pieces of its interval that are nearest to its bound.
    """
    found, check = result.measurement, result.check
    if found is None or check.relation not in ("below", "above"):
        return ""
    if isinstance(found.evidence, Exact):
        return number(found.evidence.value)
    if found.evidence.p_values(check.bound) == NEITHER:
        return ""
    pieces = found.evidence.pieces(1.0 - 2.0 * alpha)
    around = [piece for piece in pieces if piece[0] <= check.bound <= piece[1]]
    left = max((high for _, high in pieces if high < check.bound), default=math.inf)
    right = min((low for low, _ in pieces if low > check.bound), default=math.inf)
    ends = around[0] if around else (left, right)
    return " or ".join(number(end) for end in ends if 0.0 < abs(end) < math.inf)


def _figures(result: Result, context: Context) -> list[str]:
    """Return the figures that show all cells behind a result, or else some of them."""
    if result.measurement is None:
        return []
    shown = [context.figures.get(cell, ()) for cell in result.measurement.cells]
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
