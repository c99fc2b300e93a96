"""Sentences that state a claim's measured answer, with numbers and settings from its checks.

The text of an effect has fields in braces and no typed number. A field names a selection of the
claim's checks, such as ``{ratio}`` for the range of their values, from the smallest to the largest,
or one of its properties, such as ``{ratio.settings}``.
"""

import math
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from optimist.claims.claim import Check, Claim, Reading
from optimist.core.errors import ConfigError, known_name, unknown_name
from optimist.core.label import Label

if TYPE_CHECKING:
    from optimist.claims.results import Result, Verdict

# Properties of a selection, besides the range of its values.
FIELDS = ("low", "high", "inverse", "percent", "settings", "n")
# A number that does not belong to a name such as f1 or SLSQP2.
_TYPED = re.compile(r"(?<![A-Za-z0-9_])[0-9][0-9.,]*")


def check_effect(claim: Claim) -> None:
    """Raise ConfigError if the text or a selection of a claim's effect does not fit the claim."""
    effect = claim.effect
    if effect is None:
        return
    try:
        parsed = [*string.Formatter().parse(effect.text)]
    except ValueError as error:
        raise ConfigError(
            f"effect.text is {effect.text!r} ({error}); allowed: fields in pairs of braces"
        ) from None
    if typed := _TYPED.search("".join(text for text, *_ in parsed)):
        raise ConfigError(
            f"effect has the number {typed[0]!r}; allowed: fields such as "
            f"{{{next(iter(effect.numbers), 'ratio')}}}, whose numbers come from checks"
        )
    for name, _, field in (name.partition(".") for _, name, *_ in parsed if name is not None):
        known_name("field of effect", name, effect.numbers)
        if field and field not in FIELDS:
            raise unknown_name(f"property of the field {name!r} of effect", field, FIELDS)
    for name, selection in effect.numbers.items():
        if not isinstance(when := selection.get("when", {}), Mapping):
            raise ConfigError(
                f"effect.numbers.{name}.when is {when!r}; allowed: choices, each with a list "
                "of alternatives"
            )
        places = [(r, check) for r in claim.readings for check in r.checks]
        if not any(selects(claim, selection, *place) for place in places):
            raise ConfigError(
                f"effect.numbers.{name} is {dict(selection)!r} and selects no check; allowed: "
                "quantity, statistic, when, ours and arguments of the claim's checks"
            )
    try:
        effect.text.format(**dict.fromkeys(effect.numbers, Range((1.0, 2.0))))
    except (ValueError, AttributeError) as error:
        raise ConfigError(
            f"effect.text is {effect.text!r} ({error}); allowed after a colon: a format of a "
            "number, such as .1f"
        ) from None


def sentence(verdict: "Verdict", titles: Mapping[str, str]) -> str:
    """Return the effect of a claim with measured numbers and titles of settings.

    Return an empty text if the claim has no effect, or the run was shortened.
    """
    claim, effect = verdict.claim, verdict.claim.effect
    if effect is None or verdict.word == "shortened":
        return ""
    ranges = {
        name: _range(
            [r for r in verdict.results if selects(claim, selection, r.reading, r.check)], titles
        )
        for name, selection in effect.numbers.items()
    }
    return effect.text.format(**ranges)


def selects(claim: Claim, selection: Mapping[str, Any], reading: Reading, check: Check) -> bool:
    """Return whether a selection of a claim's effect contains a check of a reading."""
    if not (selection.get("ours") or (reading.counts and check.status != "ours")):
        return False
    for choice, wanted in selection.get("when", {}).items():
        known_name("choice in effect", choice, claim.choices)
        taken = reading.alternatives.get(claim.choices[choice].name)
        if taken not in [str(one) for one in _listed(wanted)]:
            return False
    about = {"quantity": check.quantity, "statistic": check.statistic, **check.arguments}
    return all(
        key in about and all(any(map(_is_of(one), _listed(wanted))) for one in _listed(about[key]))
        for key, wanted in selection.items()
        if key not in ("when", "ours")
    )


@dataclass(frozen=True)
class Range:
    """The smallest and the largest of some numbers, as text: ``1.6 to 2.0``, or ``14``.

    Attributes
    ----------
    ends : (float, float)
    settings : str
        Titles of the settings in which the numbers were measured.
    units : (int, int)
        Smallest and largest number of units.
    """

    ends: tuple[float, float]
    settings: str = ""
    units: tuple[int, int] = (0, 0)

    @property
    def low(self) -> "Range":
        """The smallest number."""
        return replace(self, ends=(self.ends[0],) * 2)

    @property
    def high(self) -> "Range":
        """The largest number."""
        return replace(self, ends=(self.ends[1],) * 2)

    @property
    def inverse(self) -> "Range":
        """The range of 1 / x."""
        low, high = (1.0 / end if end else math.inf for end in self.ends)
        return replace(self, ends=(high, low))

    @property
    def percent(self) -> "Range":
        """The range in percent."""
        return replace(self, ends=(100.0 * self.ends[0], 100.0 * self.ends[1]))

    @property
    def n(self) -> str:
        """The number of units."""
        low, high = self.units
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"

    def __format__(self, spec: str) -> str:
        if any(map(math.isnan, self.ends)):
            return "unmeasured"
        low, high = (f"{end:{spec}}" if spec else short(end) for end in self.ends)
        return low if low == high else f"{low} to {high}"


def short(value: float) -> str:
    """Format a number with two significant digits, and with all digits before the point.

    >>> short(13.96), short(0.0512), short(1234.0), short(2.0)
    ('14', '0.051', '1,200', '2.0')
    """
    if not math.isfinite(value):
        return str(value)
    if value == 0.0:
        return "0"
    if abs(value) < 1e-3:
        return f"{value:.1e}"
    size = math.floor(math.log10(abs(value)))
    rounded = round(value, 1 - size)
    digits = max(0, 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{digits}f}"


def _range(results: Sequence["Result"], titles: Mapping[str, str]) -> Range:
    known = [r for r in results if r.evidence is not None and not math.isnan(r.evidence.value)]
    values = [r.evidence.value for r in known if r.evidence is not None]
    settings = {Label.name_of(s.partition("/")[0]) for r in results for s in r.check.settings}
    order = [*titles]
    ordered = sorted(settings, key=lambda s: (order.index(s) if s in titles else -1, s))
    named = dict.fromkeys(titles.get(setting, setting) for setting in ordered)
    units = [r.n for r in known]
    if not values or any(r.outcome == "missing" for r in results):
        return Range((math.nan, math.nan), joined([*named]))
    return Range((min(values), max(values)), joined([*named]), (min(units), max(units)))


def joined(titles: Iterable[str]) -> str:
    """Join titles; those that differ in their last word only share the words before it.

    >>> joined(["logistic, S = 3", "logistic, S = 5", "f1"])
    'logistic, S = 3 and 5; f1'
    """
    split = [title.rpartition(" ") for title in titles]
    groups = []
    for head, some in groupby(split, lambda one: one[0]):
        last = [word for _, _, word in some]
        words = last[0] if len(last) == 1 else f"{', '.join(last[:-1])} and {last[-1]}"
        groups.append(f"{head} {words}".strip())
    return "; ".join(groups)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_of(value: Any) -> Any:
    """Return a function that says whether ``value`` is a given label, or a variant of it."""

    def is_of(wanted: Any) -> bool:
        if isinstance(value, str) and isinstance(wanted, str) and "[" not in wanted:
            return Label.name_of(value) == wanted
        return bool(value == wanted)

    return is_of
