"""Conversion of claims from the table in `optimist.claims.table` to the data of the page."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypedDict, cast

from optimist.claims.claim import Claim
from optimist.claims.table import WHOLE

if TYPE_CHECKING:
    import pandas as pd

# Columns of a check on the page, in order. The first contains the index of the check's reading.
CHECK_COLUMNS = (
    *("reading", "part", "check", "settings", "algorithms", "value", "low", "high"),
    *("interval", "method", "n", "units", "relation", "bound", "support", "refute", "outcome"),
    *("gate", "turns_at", "slack", "why", "remark", "figures"),
)
COLUMN = {name: place for place, name in enumerate(CHECK_COLUMNS)}
TEXTS = (
    *("headline", "place", "statement", "quote", "paper_value", "kind", "verdict", "words"),
    *("effect", "explanation", "typical", "flags", "stated", "if_counted", "parts"),
    *("own_interval", "cause", "likely", "deciding", "command"),
)
NUMBERS = ("level", "alpha", "turns", "hours", "chance", "line")
CHECK_DIGITS = 4


class Shown(TypedDict):
    """The keys of a claim on the page that Python reads; `page.schema.json` describes all keys."""

    paper: str
    kind: str
    verdict: str
    words: str
    readings: list[list[str]]
    checks: list[list[Any]]


def claims(frame: "pd.DataFrame", stated: Mapping[str, Claim]) -> dict[str, Shown]:
    """Return the claims in a table by ID, each with its readings and checks.

    Parameters
    ----------
    frame : DataFrame
        Table of claims, as returned by `optimist.claims.table.read_frame`.
    stated : mapping
        Claims in the configuration by ID.
    """
    by_claim = frame.astype(dict.fromkeys(WHOLE, float)).groupby("claim", sort=False)
    return {id: _claim(id, rows.to_dict("records"), stated.get(id)) for id, rows in by_claim}


def _claim(id: str, rows: list[dict[str, Any]], stated: Claim | None) -> Shown:
    head = rows[0]
    readings = {(row["reading"], row["status"]): row["reading_outcome"] for row in reversed(rows)}
    places = [*dict.fromkeys((row["reading"], row["status"]) for row in rows)]
    shown = {
        "paper": id.partition(".")[0],
        **{name: head[name] for name in TEXTS},
        **{name: number(head[name], 6) for name in NUMBERS},
        "note": " ".join(stated.note.split()) if stated else "",
        "choices": _choices(stated) if stated else {},
        "readings": [[*place, readings[place]] for place in places],
        "checks": [[places.index((row["reading"], row["status"])), *_check(row)] for row in rows],
    }
    return cast(Shown, shown)


def _choices(claim: Claim) -> dict[str, object]:
    """Return the choices of a claim, with the changes that their alternatives make."""

    def given(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {key: value for key, value in pairs if value}

    return {key: asdict(choice, dict_factory=given) for key, choice in claim.choices.items()}


def _check(row: Mapping[str, Any]) -> list[Any]:
    values = (row[name] for name in CHECK_COLUMNS[1:])
    return [v if isinstance(v, str) else number(v, CHECK_DIGITS) for v in values]


def number(value: float, digits: int) -> float | int | None:
    """Round a number to ``digits`` significant digits; return None if it is not finite."""
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
