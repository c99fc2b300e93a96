r"""Verdicts on guarantees: theorems stated with all their constants.

A bound that must always hold is violated by a single trial beyond it. A bound that may be broken
with probability $\delta$ is violated if $k$ of $n$ trials break it and
$P(\mathrm{Bin}(n, \delta) \ge k)$ is at most $\alpha$ divided by the number of such checks.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from optimist.claims.claim import Check, Claim
from optimist.claims.evidence import Share
from optimist.claims.first import doubled
from optimist.claims.results import ROUNDING, Result
from optimist.claims.tails import at_least, detectable_rate

# A bound at least this many times the observed value could hardly have been exceeded.
VACUOUS = 10.0


def decided(results: Sequence[Result], claim: Claim) -> list[Result]:
    """Return a guarantee's results with their outcomes, slacks and detectable rates.

    A check that holds is vacuous in three cases: the claim states that no run could have broken it,
    the bound is at least ten times the observed value, or play outside the theorem also keeps the
    bound.
    """
    shares = sum(r.counts and isinstance(r.evidence, Share) for r in results)
    return [_vacuous(_tested(r, claim.alpha / max(1, shares)), claim) for r in results]


def _tested(result: Result, alpha: float) -> Result:
    evidence, check = result.evidence, result.check
    if result.outcome or evidence is None:
        return result
    if not isinstance(evidence, Share):
        outcome = "held" if is_kept(check, evidence.value) else "violated"
        return replace(result, outcome=outcome, slack=slack_of(check, evidence.value))
    n, broken, delta = evidence.n, evidence.n - evidence.successes, 1.0 - check.bound
    if check.relation == "below":  # the check bounds the share of trials that break it
        broken, delta = evidence.successes, check.bound
    is_violated = doubled(at_least(broken, n, delta), result.k) <= alpha
    rate = detectable_rate(n, delta, alpha / 2.0 ** (result.k + 1))
    shown = "no rate is" if math.isnan(rate) else f"a rate of {rate:.2g} is"
    remark = f"{broken} of {n} trials break it; {shown} detectable with 80 % power"
    return result.remarked(remark, outcome="violated" if is_violated else "held")


def _vacuous(result: Result, claim: Claim) -> Result:
    if result.outcome != "held":
        return result
    controls = [_tested(control, claim.alpha).outcome for control in result.controls]
    if controls and set(controls) == {"held"}:
        return result.remarked("play outside the theorem keeps it", outcome="vacuous")
    is_vacuous = claim.could_not_fail or result.slack >= VACUOUS
    return replace(result, outcome="vacuous") if is_vacuous else result


def is_kept(check: Check, value: float) -> bool:
    """Return whether a value keeps a bound, up to rounding.

    A share above its bound does not keep it, even if only by chance. The tolerance for rounding is
    relative to the bound, or absolute if the bound is zero.
    """
    low, high = check.allowed
    below, above = (ROUNDING * (abs(end) or 1.0) for end in (low, high))
    return low - below <= value <= high + above


def slack_of(check: Check, value: float) -> float:
    """Return the slack: the factor by which a value lies inside its bound.

    The slack is the smaller of two quotients: the upper bound divided by the value, and the value
    divided by the lower bound. Infinite bounds are ignored. The slack is at least 1 if the bound is
    kept. A quotient is inf if only its numerator is positive, and nan if its numerator is not
    positive. For the relation "equals", the slack is nan.
    """
    low, high = check.allowed
    if check.relation == "equals":
        return math.nan
    slacks = [_ratio(high, value)] if high < math.inf else []
    slacks += [_ratio(value, low)] if low > -math.inf else []
    return min(slacks, default=math.nan)


def _ratio(larger: float, smaller: float) -> float:
    if larger > 0.0:
        return larger / smaller if smaller > 0.0 else math.inf
    return math.nan
