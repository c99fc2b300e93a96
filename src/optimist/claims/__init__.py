"""Claims of a paper: what must be measured, and a computed verdict on each.

A claim has readings: the paper states one, or leaves several unstated; readings of ours are shown
and not counted. A reading has parts, by default settings, and a part has checks, each of which
compares a measured value with a bound. All checks of a reading must hold. docs/verdicts.md says how
words follow from numbers.

`checks` are claims as data, `metrics` measure, `evidence` and `inference` test (with `tails` and
`units`), `first` and `gates` correct the p-values of a check (`results`), `rule` and `guarantees`
turn them into words, `verdicts` puts these together, `vague` and `deciding` say which bounds and
how many trials would change a word, `table` and `pages` show the verdicts.
"""

from optimist.claims.checks import check_claims
from optimist.claims.context import Context
from optimist.claims.pages import (
    joined,
    open_claims,
    open_text,
    tally,
    to_markdown,
    to_text,
    with_summary,
)
from optimist.claims.table import compacted, read_frame, to_frame
from optimist.claims.verdicts import evaluate

__all__ = [
    "Context",
    "check_claims",
    "compacted",
    "evaluate",
    "joined",
    "open_claims",
    "open_text",
    "read_frame",
    "tally",
    "to_frame",
    "to_markdown",
    "to_text",
    "with_summary",
]
