"""Bounds of a vague word at which a claim would be *reproduced* or *not reproduced*.

These two verdicts are called the outer words.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from optimist.claims.claim import Check, Claim
from optimist.claims.results import Result, concluded

# The search for a vague word's bound covers NARROWEST to WIDEST, or their inverses, and stops when
# the logarithms of its two ends differ by at most WIDTH.
WIDEST, NARROWEST, WIDTH = 100.0, 1.0 + 1e-6, 5e-3


def own_intervals(claim: Claim, results: Sequence[Result]) -> list[str]:
    """Return a text for each vague word, with the bounds at which the verdict is an outer word.

    A band [1/c, c] has the bound c. The gate keeps the factor from the word's actual bound, and
    other words keep their bounds.
    """
    words = dict.fromkeys(r.check.word for r in results if r.check.word)
    return [text for word in words if (text := _own_interval(claim, results, word))]


def _own_interval(claim: Claim, results: Sequence[Result], word: str) -> str:
    checks = [r.check for r in results if r.check.word == word]
    shapes = {(c.relation, max(c.bound) if c.relation == "between" else c.bound) for c in checks}
    if len(shapes) > 1 or not all(_is_scaled(c) for c in checks):
        return ""
    ((relation, bound),) = shapes

    def verdict(c: float) -> str:
        bound = [1.0 / c, c] if relation == "between" else c
        moved = [
            r.compared(replace(r.check, bound=bound)) if r.check.word == word else r
            for r in results
        ]
        return concluded(claim, moved).word

    hard, easy = (NARROWEST, WIDEST) if bound > 1.0 else (1.0 / WIDEST, 1.0 / NARROWEST)
    if relation == "above":  # a larger bound is harder to meet
        hard, easy = easy, hard
    texts = []
    for name, start, other in (("reproduced", easy, hard), ("not reproduced", hard, easy)):
        if verdict(start) == verdict(other) == name:
            texts.append(f"{name} at any bound")
        elif verdict(start) == name:
            edge = _edge(verdict, name, start, other)
            texts.append(
                f"{name} up to {edge:.3g}" if start < edge else f"{name} from {edge:.3g} up"
            )
    return f"{word.replace('_', ' ')}: {', '.join(texts)}" if texts else ""


def _is_scaled(check: Check) -> bool:
    if check.relation == "between":
        low, high = check.bound
        return math.isclose(low * high, 1.0, rel_tol=1e-3)
    return check.relation in ("below", "above") and check.bound > 0.0 and check.bound != 1.0


def _edge(verdict: Callable[[float], str], name: str, inside: float, outside: float) -> float:
    """Find, by bisection, the bound closest to ``outside`` at which the verdict is ``name``."""
    while abs(math.log(outside / inside)) > WIDTH:
        middle = math.sqrt(inside * outside)
        inside, outside = (middle, outside) if verdict(middle) == name else (inside, middle)
    return inside
