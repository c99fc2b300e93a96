r"""Guarantees: theorems with all their constants, which are held or violated.

A sure bound is violated by one trial beyond it. A bound that may be broken with probability
$\delta$ is violated if $k$ of $n$ trials break it and $P(\mathrm{Bin}(n, \delta) \ge k)$ is at most
$\alpha$ over the number of such checks.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from optimist.claims.first import doubled
from optimist.claims.inference import Share
from optimist.claims.tails import at_least
from optimist.claims.units import detectable_rate

if TYPE_CHECKING:
    from optimist.claims.checks import Check, Claim
    from optimist.claims.results import Result

# What rounding may take a sure bound beyond itself, relative to it.
ROUNDING = 1e-9
# A bound of so many times what was observed could hardly have been exceeded.
VACUOUS = 10.0


def decide(result: "Result", claim: "Claim", counted: Sequence["Result"]) -> "Result":
    """Return a result of a guarantee with its outcome, its slack and what it could have found."""
    evidence = result.evidence
    if result.outcome or evidence is None:
        return result
    if isinstance(evidence, Share):
        shares = sum(isinstance(r.evidence, Share) for r in counted)
        return _with_failures(result, evidence, claim.alpha / max(1, shares))
    outcome = "held" if is_kept(result.check, evidence.value) else "violated"
    return replace(result, outcome=outcome, slack=slack_of(result.check, evidence.value))


def is_kept(check: "Check", value: float) -> bool:
    """Return whether a value keeps a bound, up to rounding.

    A share keeps its bound if it is inside, whether or not chance could have taken it out.
    """
    low, high = check.allowed
    return low - _rounding(low) <= value <= high + _rounding(high)


def _rounding(end: float) -> float:
    """Return what rounding may take a value beyond a bound; one of zero has nothing relative."""
    return ROUNDING * (abs(end) or 1.0) if math.isfinite(end) else 0.0


def _with_failures(result: "Result", share: Share, alpha: float) -> "Result":
    n, broken, delta = share.n, share.n - share.successes, 1.0 - result.check.bound
    if result.check.relation == "below":  # the share of trials that break it
        broken, delta = share.successes, result.check.bound
    outcome = "violated" if doubled(at_least(broken, n, delta), result.k) <= alpha else "held"
    rate = detectable_rate(n, delta, alpha / 2.0 ** (result.k + 1))
    shown = "no rate" if math.isnan(rate) else f"a rate of {rate:.2g}"
    found = f"{broken} of {n} trials break it; {shown} would show with 80 %"
    remark = "; ".join(filter(None, [result.remark, found]))
    return replace(result, outcome=outcome, remark=remark)


def slack_of(check: "Check", value: float) -> float:
    """Return by how many times a value is inside its bound: at least 1 if the bound is kept.

    Bound over value, or value over bound from below: inf if only the larger is positive, nan if
    that is not, and for what must equal a number.
    """
    low, high = check.allowed
    if check.relation == "equals":
        return math.nan
    slacks = []
    if high < math.inf:
        slacks.append(_ratio(high, value))
    if low > -math.inf:
        slacks.append(_ratio(value, low))
    return min(slacks) if slacks else math.nan


def _ratio(larger: float, smaller: float) -> float:
    if larger > 0.0:
        return larger / smaller if smaller > 0.0 else math.inf
    return math.nan
