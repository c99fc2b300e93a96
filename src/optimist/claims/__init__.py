"""Claims of a paper: what must be measured, and a computed verdict on each.

A claim has readings: what the paper states, ways to fill what it leaves open, and ours, which are
shown and not counted. A reading has parts, by default settings, and a part has checks, each of
which compares a measured value with a bound. All checks of a reading must hold. docs/verdicts.md
says how words follow from numbers.

`checks` are claims as data, `metrics` measure, `inference` tests (with `tails` and `units`),
`logic` and `guarantees` decide, `verdicts` puts these together, `deciding` says what would decide
what is open, `table` and `pages` show what was decided.
"""

from optimist.claims.checks import (
    Check,
    Claim,
    Reading,
    check_claims,
    check_names,
    check_trials,
    claims_of,
)
from optimist.claims.context import Context
from optimist.claims.metrics import METRICS
from optimist.claims.pages import (
    joined,
    summary_block,
    tally,
    to_markdown,
    to_text,
    undecided,
    undecided_claims,
    with_summary,
)
from optimist.claims.table import COLUMNS, compacted, read_frame, to_frame
from optimist.claims.verdicts import OUTCOMES, VERDICTS, Result, Verdict, evaluate, judge

__all__ = [
    "COLUMNS",
    "METRICS",
    "OUTCOMES",
    "VERDICTS",
    "Check",
    "Claim",
    "Context",
    "Reading",
    "Result",
    "Verdict",
    "check_claims",
    "check_names",
    "check_trials",
    "claims_of",
    "compacted",
    "evaluate",
    "joined",
    "judge",
    "read_frame",
    "summary_block",
    "tally",
    "to_frame",
    "to_markdown",
    "to_text",
    "undecided",
    "undecided_claims",
    "with_summary",
]
