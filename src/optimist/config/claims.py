"""Reading of claims: the checks of each claim, for each way to fill in what a paper leaves open.

A claim names choices, such as the radius or a rival's variant, and each choice has alternatives. A
reading takes one alternative from each choice. An alternative may change settings, options of
settings, and labels of algorithms. `Reader` applies these changes to the checks of a claim.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from optimist.claims import models as written
from optimist.claims.claim import (
    ALGORITHMS,
    SETTINGS,
    STATUSES,
    Alternative,
    Check,
    Choice,
    Claim,
    Effect,
    PaperClaims,
    Reading,
)
from optimist.claims.effects import check_effect
from optimist.claims.metrics.table import metric
from optimist.config.labels import Names, combinations, parts
from optimist.core.errors import ConfigError, known_name, nearest, unknown_name
from optimist.core.label import Label, Value

# Bounds that need no reason, because they only specify a sign or a direction.
SIGNS = (0, 1)
# Keys of a claim that the reader replaces.
_READ = ("part", "without", "reading", "checks", "choices", "suffices", "effect")
# For each choice that a reading makes, the id of an alternative.
Taken = Mapping[str, str]


def read_claims(
    document: written.Claims, paper: str, names: Names, words: Mapping[str, written.Word]
) -> PaperClaims:
    """Return the claims in the document of a claims file, with all readings and canonical labels.

    Parameters
    ----------
    document : Claims
    paper : str
        Name of the folder that contains the file.
    names : Names
        The paper's settings and lists.
    words : mapping
        The project's table of vague words.

    Raises
    ------
    ConfigError
        If a claim is invalid. The message gives the claim, the key, its value and what is allowed.
    """
    if document["paper"] != paper:
        raise ConfigError(f"paper is {document['paper']!r}; allowed: {paper!r}")
    entries = document["claims"]
    for entry in entries:
        for i, check in enumerate(entry["checks"]):
            written.check_comparison(f"{entry['id']}.checks.{i}", check)
    names.add_lists(document.get("lists", {}))
    reader = Reader(document.get("choices", {}), names, words)
    claims = [reader.claim(entry, document["level"]) for entry in entries]
    ids = Counter(entry["id"] for entry in entries)
    for claim, entry in zip(claims, entries, strict=True):
        where = f"claim {claim.id!r}"
        if not claim.id.startswith(f"{paper}."):
            raise ConfigError(f"{where}: id is {claim.id!r}; allowed: {paper}.NUMBER")
        if ids[claim.id] > 1:
            raise ConfigError(f"{where} occurs {ids[claim.id]} times; allowed: once")
        try:
            for check in entry["checks"]:
                _check_metric(check, has_note="note" in entry)
            check_effect(claim)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
    return PaperClaims(paper, claims, document.get("least", 1))


class Reader:
    """Reading of one paper's claims.

    Parameters
    ----------
    choices : mapping
        The choices in the claims file.
    names : Names
        The paper's settings and lists.
    words : mapping
        The project's table of vague words, with each word's relation and bound.
    """

    def __init__(
        self,
        choices: Mapping[str, written.Choice],
        names: Names,
        words: Mapping[str, written.Word],
    ) -> None:
        self._names, self._words = names, words
        self._choices = {key: self._choice(f"choices.{key}", choices[key]) for key in choices}

    def _choice(self, place: str, entry: written.Choice) -> Choice:
        def labels(replaced: Mapping[str, str]) -> dict[str, str]:
            label = self._names.label
            return {label(place, old): label(place, new) for old, new in replaced.items()}

        alternatives = {
            str(key): Alternative(
                one["status"],
                one["name"],
                one["about"],
                labels(one.get("settings", {})),
                one.get("options", {}),
                labels(one.get("algorithms", {})),
            )
            for key, one in entry["alternatives"].items()
        }
        _check_names(place, [one.name for one in alternatives.values()])
        return Choice(entry["name"], entry["about"], alternatives)

    def claim(self, entry: written.Claim, level: float) -> Claim:
        """Return a claim with all its readings; ``level`` is the default confidence level.

        Raises
        ------
        ConfigError
            If a choice, an alternative or a word is unknown; if no reading counts; if a counted
            reading has no check that counts; if the readings have different parts; if a band does
            not say which side is better; or if a claim that is not a guarantee has a control.
        """
        where = f"claim {entry['id']!r}"
        for name in entry.get("choices", ()):
            known_name(f"choice of {where}", name, self._choices)
        choices = {name: self._choices[name] for name in entry.get("choices", ())}
        if "suffices" in entry and entry["suffices"] not in choices:
            raise unknown_name(f"suffices of {where}", entry["suffices"], choices)
        _check_conditions(entry, choices)
        ids = product(*(choice.alternatives for choice in choices.values()))
        combinations = [dict(zip(choices, taken, strict=True)) for taken in ids]
        readings = [
            self._reading(entry, taken)
            for taken in combinations
            if not any(_matches(left_out, taken) for left_out in entry.get("without", ()))
        ]
        _check_counted(entry["id"], [reading for reading in readings if reading.counts])
        _check_names(f"choices of {where}", [choice.name for choice in choices.values()])
        about: dict[str, Any] = {key: v for key, v in entry.items() if key not in _READ}
        if "suffices" in entry:
            about["suffices"] = choices[entry["suffices"]].name
        if "effect" in entry:
            about["effect"] = Effect(**entry["effect"])
        return Claim(**{"level": level, **about}, choices=choices, readings=readings)

    def _alternatives(self, taken: Taken) -> list[Alternative]:
        return [self._choices[choice].alternatives[key] for choice, key in taken.items()]

    def _reading(self, claim: written.Claim, taken: Taken) -> Reading:
        alternatives = self._alternatives(taken)
        statuses = [one.status for one in alternatives] or [claim.get("reading", "stated")]
        checks = [
            check
            for entry in claim["checks"]
            if _matches(entry.get("when", {}), taken)
            for check in self._checks(claim, entry, alternatives)
        ]
        return Reading(
            "; ".join(one.name for one in alternatives),
            max(statuses, key=STATUSES.index),
            checks,
            {self._choices[choice].name: key for choice, key in taken.items()},
        )

    def _checks(
        self, claim: written.Claim, entry: written.Check, alternatives: Sequence[Alternative]
    ) -> Iterator[Check]:
        """Yield the checks that an entry describes under the given alternatives."""
        place, word = claim["id"], entry.get("word", "")
        fixed = {k: self._argument(place, k, v) for k, v in entry.get("arguments", {}).items()}
        control = entry["control"]["arguments"].items() if "control" in entry else ()
        other = {k: self._argument(place, k, v) for k, v in control}
        if word and word not in self._words:
            raise unknown_name(f"word of claim {place!r}", word, self._words)
        meaning: Mapping[str, Any] = {**(self._words[word] if word else {}), **entry}
        for chosen in combinations(place, entry, fixed, self._names):
            arguments = {**fixed, **chosen}
            check = Check(
                entry["quantity"],
                entry["statistic"],
                self._changed(place, arguments, alternatives),
                meaning.get("relation"),
                meaning.get("bound"),
                meaning.get("tolerance"),
                meaning.get("why", ""),
            )
            controls = [self._changed(place, {**arguments, **other}, alternatives)] if other else []
            _check_kind(claim, entry, check)
            yield replace(
                check,
                word=word,
                better=entry.get("better", ""),
                part=_part(claim, entry, arguments),
                status=entry.get("status", "stated"),
                any_of=entry.get("any_of", ""),
                controls=[replace(check, arguments=changed) for changed in controls],
            )

    # Labels.

    def _argument(self, place: str, key: str, value: Any) -> Any:
        if key == "settings":
            return self._names.labels(f"{place}.{key}", value)
        if not isinstance(value, str):
            return value
        label = self._names.label(f"{place}.{key}", value)
        # Canonical labels omit default values. Keep those that a check sets, so that no choice
        # changes them.
        is_whole = parts(value) == [value] and self._names.is_setting(value)
        return str(Label.parse(value, "setting")) if is_whole else label

    def _changed(
        self, place: str, arguments: Mapping[str, object], alternatives: Sequence[Alternative]
    ) -> dict[str, object]:
        """Return arguments with the alternatives' changes applied to their labels."""

        def changed(value: Any) -> Any:
            if isinstance(value, list):
                return [changed(one) for one in value]
            return self._label(place, value, alternatives) if isinstance(value, str) else value

        labels = (*SETTINGS, *ALGORITHMS)
        return {key: changed(v) if key in labels else v for key, v in arguments.items()}

    def _label(self, place: str, value: str, alternatives: Sequence[Alternative]) -> str:
        """Apply the alternatives to a label, which may name a setting, an algorithm, or both."""
        setting, *algorithm = parts(value)
        algorithms = [one.algorithms for one in alternatives]
        if not self._names.is_setting(setting):
            return self._names.label(place, _replaced(value, algorithms))
        label = _replaced(setting, [one.settings for one in alternatives])
        options: dict[str, Value] = {}
        for one in alternatives:
            options |= one.options
        setting = str(Label.make(label.name, {**options, **dict(label.options)}))
        return self._names.label(
            place, "/".join([setting, *(_replaced(text, algorithms) for text in algorithm)])
        )


def _check_conditions(claim: written.Claim, choices: Mapping[str, Choice]) -> None:
    """Raise ConfigError if a condition names a choice or alternative that the claim lacks."""
    conditions = [check["when"] for check in claim["checks"] if "when" in check]
    for condition in [*conditions, *claim.get("without", ())]:
        for choice, names in condition.items():
            known_name(f"choice in claim {claim['id']!r}", choice, choices)
            for name in map(str, names):
                if name not in choices[choice].alternatives:
                    place = f"alternative of {choice} in claim {claim['id']!r}"
                    raise unknown_name(place, name, choices[choice].alternatives)


def _check_names(place: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{place} has {name!r} twice; allowed: distinct names")


def _check_counted(claim: str, readings: Sequence[Reading]) -> None:
    """Check the counted readings of a claim, which are those that are stated or unstated.

    There must be at least one such reading. Each of them must have a check that counts, and all
    must have the same parts.
    """
    if not readings:
        raise ConfigError(
            f"claim {claim!r} has no reading that counts; allowed: at least one stated or unstated "
            "alternative for each choice"
        )
    first: list[str] = []
    for reading in readings:
        parts = [*dict.fromkeys(check.part for check in reading.counted)]
        where = f"claim {claim!r}: the reading {reading.name!r}"
        if not parts:
            raise ConfigError(f"{where} has no check that counts; allowed: at least one")
        first = first or parts
        for one, other, verb in ((parts, first, "has"), (first, parts, "lacks")):
            for part in one:
                if part not in other:
                    raise ConfigError(
                        f"{where} {verb} the part {part!r}{nearest(part, other)}; allowed: "
                        f"{', '.join(map(repr, first))}, the parts of "
                        f"{readings[0].name!r} (key 'part')"
                    )


def _check_kind(claim: written.Claim, entry: written.Check, made: Check) -> None:
    """Raise ConfigError if a check lacks a required key or has a forbidden one."""
    kind = claim.get("kind", "empirical")
    where = f"claim {claim['id']!r}: a check of {made.statistic} of {made.quantity}"
    is_band = kind == "empirical" and made.relation == "between"
    if is_band and "better" not in entry:
        raise ConfigError(
            f"{where} has the band {made.bound} but lacks the key 'better'; allowed: below or "
            "above (the side that favours the paper's method), or neither"
        )
    if "better" in entry and not is_band:
        better = entry["better"]
        raise ConfigError(
            f"{where} has better {better!r}; allowed: this key only in bands of empirical claims"
        )
    if "control" in entry and kind != "guarantee":
        raise ConfigError(
            f"{where} has the key 'control' in a claim of kind {kind!r}; allowed: kind guarantee"
        )


def _check_metric(entry: written.Check, *, has_note: bool) -> None:
    """Raise ConfigError if an entry does not fit its metric, or its bound has no reason."""
    arguments, each = entry.get("arguments", {}), entry.get("each", {})
    measured = metric(entry["quantity"], entry["statistic"], [*arguments, *each])
    if "control" in entry:
        names = {**arguments, **each, **entry["control"]["arguments"]}
        metric(entry["quantity"], entry["statistic"], names)
    bound = entry.get("bound")
    ends = bound if isinstance(bound, list) else [bound]
    is_sign = all(end in SIGNS or end is None for end in ends)
    if not (is_sign or has_note or "why" in entry):
        raise ConfigError(
            f"the bound {bound} of {measured.name} has no reason; required: a vague word, "
            "the key 'why', or a note on the claim"
        )


def _part(claim: written.Claim, entry: written.Check, arguments: Mapping[str, object]) -> str:
    """Return the name of the part of the claim to which a check belongs."""
    part = entry.get("part", claim.get("part", [key for key in SETTINGS if key in arguments]))
    if isinstance(part, str):
        return part
    for key in part:
        known_name(f"argument in part of claim {claim['id']!r}", key, arguments)
    values = [arguments[key] for key in part]
    return ", ".join(" and ".join(map(str, v)) if isinstance(v, list) else str(v) for v in values)


def _matches(condition: Mapping[str, Sequence[Any]], taken: Taken) -> bool:
    """Return whether a condition allows the given alternative of every choice it mentions."""
    return all(taken[choice] in map(str, names) for choice, names in condition.items())


def _replaced(text: str, maps: Sequence[Mapping[str, str]]) -> Label:
    """Apply the replacements in each map to a label, in order.

    A replacement with the same name as the label only adds options, so that one choice can set an
    algorithm's solver and another its radius.
    """
    label = Label.parse(text)
    for replacements in maps:
        if text in replacements:
            new = Label.parse(replacements[text])
            kept = dict(label.options) if new.name == label.name else {}
            label = Label.make(new.name, {**kept, **dict(new.options)})
    return label
