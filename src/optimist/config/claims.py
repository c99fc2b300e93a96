"""Readings of claims: each lists the checks for one way of filling in what a paper leaves open.

A claim names choices, such as the radius or a rival's variant, and each choice has alternatives. A
reading takes one alternative from each choice. An alternative may change settings, options of
settings, and labels of algorithms. This module applies these changes to the checks of the claim, so
that `optimist.claims` needs only the names and descriptions of the choices.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from optimist.claims.checks import ALGORITHMS, SETTINGS, STATUSES
from optimist.config.labels import Names, parts
from optimist.core.errors import ConfigError, nearest, unknown_name
from optimist.core.label import Label

# An alternative as written in the file, plus its own id and the id of its choice.
Alternative = Mapping[str, Any]


class Writer:
    """Expansion of one paper's claims into readings.

    Parameters
    ----------
    document : mapping
        The content of a claims file.
    names : Names
        The paper's settings and lists.
    words : mapping
        The project's table of vague words, with each word's relation and bound.
    """

    def __init__(self, document: Mapping[str, Any], names: Names, words: Mapping[str, Any]) -> None:
        self._names = names
        self._words = words
        self._about = document.get("choices", {})
        self._choices = {choice: self._alternatives(choice) for choice in self._about}

    def _alternatives(self, choice: str) -> list[Alternative]:
        place = f"choices.{choice}"
        label = self._names.label
        alternatives: list[Alternative] = []
        for key, entry in self._about[choice]["alternatives"].items():
            maps = {
                kind: {label(place, k): label(place, v) for k, v in entry.get(kind, {}).items()}
                for kind in ("settings", "algorithms")
            }
            alternatives.append({**entry, **maps, "id": str(key), "choice": choice})
        _check_names(place, [one["name"] for one in alternatives])
        return alternatives

    def claim(self, claim: Mapping[str, Any]) -> dict[str, Any]:
        """Return a claim with its ``choices`` as written and all its ``readings``.

        Raises
        ------
        ConfigError
            If a choice, an alternative or a word is unknown; if no reading counts; if a counted
            reading has no check that counts; if the readings have different parts; if a band does
            not say which side is better; or if a claim that is not a guarantee has a control.
        """
        for name in claim.get("choices", ()):
            if name not in self._choices:
                raise unknown_name(f"choice of claim {claim['id']!r}", name, self._choices)
        choices = {name: self._choices[name] for name in claim.get("choices", ())}
        if "suffices" in claim and claim["suffices"] not in choices:
            raise unknown_name(f"suffices of claim {claim['id']!r}", claim["suffices"], choices)
        _check_conditions(claim, {n: [one["id"] for one in some] for n, some in choices.items()})
        readings = [
            self._reading(claim, alternatives)
            for alternatives in product(*choices.values())
            if not any(_matches(left_out, alternatives) for left_out in claim.get("without", ()))
        ]
        _check_counted(claim["id"], [r for r in readings if r["status"] != "ours"])
        about = {choice: self._about[choice] for choice in choices}
        _check_names(f"choices of claim {claim['id']!r}", [one["name"] for one in about.values()])
        written = ("part", "without", "reading", "checks")
        kept = {key: value for key, value in claim.items() if key not in written}
        return {**kept, "choices": about, "readings": readings}

    def _reading(
        self, claim: Mapping[str, Any], alternatives: Sequence[Alternative]
    ) -> dict[str, Any]:
        statuses = [one["status"] for one in alternatives] or [claim.get("reading", "stated")]
        return {
            "name": "; ".join(one["name"] for one in alternatives),
            "status": max(statuses, key=STATUSES.index),
            "alternatives": {one["choice"]: one["id"] for one in alternatives},
            "checks": [
                check
                for entry in claim["checks"]
                if _matches(entry.get("when", {}), alternatives)
                for check in self._checks(claim, entry, alternatives)
            ],
        }

    def _checks(
        self,
        claim: Mapping[str, Any],
        entry: Mapping[str, Any],
        alternatives: Sequence[Alternative],
    ) -> Iterator[dict[str, Any]]:
        """Yield the checks that an entry describes under the given alternatives."""
        place = claim["id"]
        each = {k: self._each(place, k, v) for k, v in entry.get("each", {}).items()}
        fixed = {k: self._argument(place, k, v) for k, v in entry.get("arguments", {}).items()}
        for values in product(*each.values()):
            arguments = {**fixed, **dict(zip(each, values, strict=True))}
            made = self._made(place, entry, arguments, alternatives)
            _check_kind(claim, entry, made)
            yield {
                **made,
                "word": entry.get("word", ""),
                "better": entry.get("better", ""),
                "part": _part(claim, entry, arguments),
                "status": entry.get("status", "stated"),
                "any_of": entry.get("any_of", ""),
                "controls": self._controls(place, entry, arguments, alternatives),
            }

    def _made(
        self,
        place: str,
        entry: Mapping[str, Any],
        arguments: Mapping[str, Any],
        alternatives: Sequence[Alternative],
    ) -> dict[str, Any]:
        word = entry.get("word")
        if word is not None and word not in self._words:
            raise unknown_name(f"word of claim {place!r}", word, self._words)
        meant = {"why": "", **(self._words[word] if word else {}), **entry}
        wanted = {key: meant.get(key) for key in ("relation", "bound", "tolerance", "why")}
        changed = {k: self._changed(place, k, v, alternatives) for k, v in arguments.items()}
        about = {key: entry[key] for key in ("quantity", "statistic")}
        return {**about, "arguments": changed, **wanted}

    def _controls(
        self,
        place: str,
        entry: Mapping[str, Any],
        arguments: Mapping[str, Any],
        alternatives: Sequence[Alternative],
    ) -> list[dict[str, Any]]:
        if "control" not in entry:
            return []
        changed = entry["control"]["arguments"].items()
        arguments = {**arguments, **{k: self._argument(place, k, v) for k, v in changed}}
        return [self._made(place, entry, arguments, alternatives)]

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

    def _each(self, place: str, key: str, values: Any) -> list[Any]:
        if key == "settings":
            return [self._names.labels(f"{place}.{key}", value) for value in values]
        is_plain = isinstance(values, list) and not any(isinstance(v, str | dict) for v in values)
        return values if is_plain else self._names.labels(f"{place}.{key}", values)

    def _changed(
        self, place: str, key: str, value: Any, alternatives: Sequence[Alternative]
    ) -> Any:
        """Return an argument with the alternatives' changes applied to its labels."""
        if isinstance(value, list):
            return [self._changed(place, key, one, alternatives) for one in value]
        if not isinstance(value, str) or key not in (*SETTINGS, *ALGORITHMS):
            return value
        return self._label(place, value, alternatives)

    def _label(self, place: str, value: str, alternatives: Sequence[Alternative]) -> str:
        """Apply the alternatives to a label, which may name a setting, an algorithm, or both."""
        setting, *algorithm = parts(value)
        algorithms, settings = (
            [one[k] for one in alternatives] for k in ("algorithms", "settings")
        )
        if not self._names.is_setting(setting):
            return self._names.label(place, _replaced(value, algorithms))
        label = Label.parse(_replaced(setting, settings), "setting")
        options: dict[str, Any] = {}
        for alternative in alternatives:
            options |= alternative.get("options", {})
        setting = str(Label.make(label.name, {**options, **dict(label.options)}))
        return self._names.label(
            place, "/".join([setting, *(_replaced(text, algorithms) for text in algorithm)])
        )


def _check_conditions(claim: Mapping[str, Any], choices: Mapping[str, Sequence[str]]) -> None:
    """Raise ConfigError if a condition names a choice or alternative that the claim lacks."""
    conditions = [check["when"] for check in claim["checks"] if "when" in check]
    for condition in [*conditions, *claim.get("without", ())]:
        for choice, names in condition.items():
            if choice not in choices:
                raise unknown_name(f"choice in claim {claim['id']!r}", choice, choices)
            for name in map(str, names):
                if name not in choices[choice]:
                    place = f"alternative of {choice} in claim {claim['id']!r}"
                    raise unknown_name(place, name, choices[choice])


def _check_names(place: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{place} has {name!r} twice; allowed: distinct names")


def _check_counted(claim: str, readings: Sequence[Mapping[str, Any]]) -> None:
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
        parts = [*dict.fromkeys(c["part"] for c in reading["checks"] if c["status"] != "ours")]
        where = f"claim {claim!r}: the reading {reading['name']!r}"
        if not parts:
            raise ConfigError(f"{where} has no check that counts; allowed: at least one")
        first = first or parts
        for one, other, verb in ((parts, first, "has"), (first, parts, "lacks")):
            for part in one:
                if part not in other:
                    raise ConfigError(
                        f"{where} {verb} the part {part!r}{nearest(part, other)}; allowed: "
                        f"{', '.join(map(repr, first))}, the parts of "
                        f"{readings[0]['name']!r} (key 'part')"
                    )


def _check_kind(
    claim: Mapping[str, Any], entry: Mapping[str, Any], made: Mapping[str, Any]
) -> None:
    """Raise ConfigError if a check lacks a required key or has a forbidden one."""
    kind = claim.get("kind", "empirical")
    where = f"claim {claim['id']!r}: a check of {entry['statistic']} of {entry['quantity']}"
    is_band = kind == "empirical" and made["relation"] == "between"
    if is_band and "better" not in entry:
        raise ConfigError(
            f"{where} has the band {made['bound']} but lacks the key 'better'; allowed: below or "
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


def _part(claim: Mapping[str, Any], entry: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """Return the name of the part of the claim to which a check belongs."""
    part = entry.get("part", claim.get("part", [key for key in SETTINGS if key in arguments]))
    if isinstance(part, str):
        return part
    for key in part:
        if key not in arguments:
            raise unknown_name(f"argument in part of claim {claim['id']!r}", key, arguments)
    values = [arguments[key] for key in part]
    return ", ".join(" and ".join(map(str, v)) if isinstance(v, list) else str(v) for v in values)


def _matches(condition: Mapping[str, Any], alternatives: Sequence[Alternative]) -> bool:
    """Return whether a condition allows the given alternative of every choice it mentions."""
    taken = {one["choice"]: one["id"] for one in alternatives}
    return all(taken[choice] in map(str, names) for choice, names in condition.items())


def _replaced(text: str, maps: Sequence[Mapping[str, str]]) -> str:
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
    return str(label)
