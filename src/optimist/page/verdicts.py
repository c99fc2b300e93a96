"""Claims as the page has them, from the table of `optimist.claims.table`."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Columns of a check on the page, in order; the first is the number of its reading.
CHECK_COLUMNS = (
    *("reading", "part", "tuning", "check", "settings", "algorithms", "value", "low", "high"),
    *("interval", "method", "n", "units", "relation", "bound", "support", "refute", "outcome"),
    *("turns_at", "ratio_decided", "slack", "why", "remark", "figures"),
)
COLUMN = {name: place for place, name in enumerate(CHECK_COLUMNS)}
TEXTS = ("headline", "place", "statement", "kind", "verdict", "explanation", "flags")
NUMBERS = ("level", "alpha", "decides", "hours", "line")
CHECK_DIGITS = 4


def claims(frame: "pd.DataFrame", notes: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the claims of a table by id, each with its readings and checks.

    Parameters
    ----------
    frame : DataFrame
        Of `optimist.claims.read_frame`.
    notes : mapping
        What the configuration adds to claims, by id.
    """
    groups = frame.groupby("claim", sort=False)
    return {str(id): _claim(str(id), rows, notes.get(str(id), "")) for id, rows in groups}


def _claim(id: str, rows: "pd.DataFrame", note: str) -> dict[str, Any]:
    head = rows.iloc[0]
    readings = rows.drop_duplicates(["reading", "status"])
    places = [*zip(readings["reading"], readings["status"], strict=True)]
    return {
        "paper": id.partition(".")[0],
        **{name: head[name] for name in TEXTS},
        **{name: number(head[name], 6) for name in NUMBERS},
        "deciding": head["deciding"],
        "command": head["command"],
        "note": " ".join(note.split()),
        "readings": readings[["reading", "status", "reading_outcome"]].to_numpy().tolist(),
        "checks": [
            [places.index((row.reading, row.status)), *_check(row)]
            for row in rows.itertuples(index=False)
        ],
    }


def _check(row: Any) -> list[Any]:
    values = (getattr(row, name) for name in CHECK_COLUMNS[1:])
    return [v if isinstance(v, str) else number(v, CHECK_DIGITS) for v in values]


def number(value: Any, digits: int) -> float | int | None:
    """Return a number with so many digits, None for what is none."""
    import pandas as pd

    if pd.isna(value) or not math.isfinite(value):
        return None
    rounded = float(f"{float(value):.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
