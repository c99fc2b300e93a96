"""Claims of a paper: what must be measured, and a computed verdict on each.

A claim is a list of checks. A check names a metric from the table `METRICS`, its arguments, a
relation and a bound; ``each`` repeats it over lists of arguments. With the interval of the measured
value a check

``holds``      if the whole interval is on the right side of the bound,
``fails``      if the whole interval is on the wrong side,
``undecided``  if the interval straddles the bound or cannot be had (regret of a single trial),
``missing``    if a cell it needs has not been run,
``reported``   if it states no bound.

Regret is compared on the trials that both algorithms completed, in which they meet common random
numbers, by ratios of means with Student t intervals; all such comparisons of one claim are one
family, over its configurations too as any of them may hold it up, and Holm's method keeps the
chance of a single false decision in it below one minus the level. Medians and exponents of regret
have intervals of a bootstrap over trials, each at the level by itself. Wall times are medians over
trials with the range that the single trials allow; a lone trial is decided by its value, and remark
and explanation say so. Unconverged trials are included and remarked on. Shares have Clopper-Pearson
intervals, slopes those of least squares. State sizes, facts, largest values over trials and gaps
between intervals are decided by value: they have no sampling error, or are the worst over some
trials, or are made of intervals.

A check may belong to a configuration, an alternative reading of the claim; checks without one
count under all. A claim without configurations is grouped by setting instead. Informative checks
are shown and do not count. The claim is

``missing``         if a counted check is,
``reproduced``      if all counted checks hold,
``partly``          if all checks of at least one group hold,
``not reproduced``  if none of these and a check fails,
``undecided``       otherwise.

`metrics` measures, `verdicts` decides on what was measured, `pages` shows what was decided.
"""

from optimist.claims.cells import Measurement
from optimist.claims.metrics import METRICS
from optimist.claims.pages import (
    COLUMNS,
    read_frame,
    readme_is_current,
    summary_block,
    tally,
    to_frame,
    to_html,
    to_markdown,
    to_text,
    with_summary,
)
from optimist.claims.verdicts import (
    VERDICTS,
    Check,
    Result,
    Verdict,
    check_claims,
    check_names,
    evaluate,
    expand,
    judge,
)

__all__ = [
    "COLUMNS",
    "METRICS",
    "VERDICTS",
    "Check",
    "Measurement",
    "Result",
    "Verdict",
    "check_claims",
    "check_names",
    "evaluate",
    "expand",
    "judge",
    "read_frame",
    "readme_is_current",
    "summary_block",
    "tally",
    "to_frame",
    "to_html",
    "to_markdown",
    "to_text",
    "with_summary",
]
