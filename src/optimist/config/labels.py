"""Lists, sweeps and labels in a paper's configuration, and the canonical form of labels.

Where the configuration lists settings or algorithms, each entry is one of the following:

``label``                       a name, or ``name[option=value,...]``
``$name``                       all entries of the list ``name`` in the section ``lists``
``[...]``                       a nested list
``{sweep: label, key: values}`` the label with each value of a key; with several keys, the label
                                with each combination of values, where the first key changes
                                slowest. ``label`` may also be a list of labels.
                                ``algorithms`` is a key too: ``{sweep: setting, algorithms: ...}``
                                gives names of the form ``setting/algorithm``, as some facts have

An entry of settings, panels or checks with ``each`` gives several entries, one for each combination
of the values under that key.
"""

import math
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

import yaml

from optimist.algorithms import REGISTRIES, canonical
from optimist.core.errors import ConfigError, known_name
from optimist.core.keys import Entries
from optimist.core.label import Label
from optimist.experiments.cell import Setting


class Names:
    """The settings, algorithms and lists of one paper.

    Parameters
    ----------
    paper : str
        Id of the paper.
    bases : mapping of str to Setting
        The paper's base settings, by name.
    files : mapping or None
        Classes of users' algorithms, as ``path.py:Class``, by the algorithms' names in the
        configuration.

    Attributes
    ----------
    settings : dict of str to Setting
        Each base setting, and each variant looked up so far, by canonical label.
    """

    def __init__(
        self, paper: str, bases: Mapping[str, Setting], files: Mapping[str, str] | None = None
    ) -> None:
        self._name, self._bases = paper, bases
        self.settings: dict[str, Setting] = dict(bases)
        self._files = files or {}
        self._lists: dict[str, list[str]] = {}
        self._canonicals: dict[str, str] = {}

    def add_lists(self, lists: Mapping[str, Entries]) -> None:
        """Add named lists; their entries may refer to lists added earlier."""
        for name, entries in lists.items():
            if name in self._lists:
                raise ConfigError(f"lists.{name} is already defined elsewhere; allowed: a new name")
            self._lists[name] = self._expand(f"lists.{name}", entries)

    def labels(self, place: str, entries: object) -> list[str]:
        """Return the canonical labels of a list's entries, without duplicates.

        Error messages refer to the list by its key, ``place``.
        """
        canonical_labels = (self.label(place, text) for text in self._expand(place, entries))
        return list(dict.fromkeys(canonical_labels))

    def label(self, place: str, text: str) -> str:
        """Return the canonical form of a label or ``label/label``; return other text unchanged.

        The result for a single label of a setting or an algorithm is a `Label`.
        """
        if not isinstance(text, str):
            raise ConfigError(f"{place} is {text!r}; allowed: a label")
        if text not in self._canonicals:
            try:
                first, *more = map(self._canonical, parts(text))
                self._canonicals[text] = "/".join((first, *more)) if more else first
            except ConfigError as error:
                raise ConfigError(f"{place}: {error}") from None
        return self._canonicals[text]

    def setting(self, place: str, text: str) -> Setting:
        """Return the setting with a label.

        Raises
        ------
        ConfigError
            If the name or an option is unknown; the message names ``place``.
        """
        try:
            label = Label.parse(text, "setting")
            known_name(f"setting of {self._name}", label.name, self._bases)
            return self._variant(label)
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None

    def algorithm(self, place: str, text: str) -> Label:
        """Return an algorithm's label in canonical form, even if no registry has its name."""
        try:
            return Label.parse(self.label(place, text))
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None

    def is_setting(self, text: str) -> bool:
        """Return whether a label names a setting, regardless of its options."""
        return Label.name_of(text) in self._bases

    def _variant(self, label: Label) -> Setting:
        found = self._bases[label.name].with_options(label)
        return self.settings.setdefault(found.label, found)

    def _canonical(self, text: str) -> str:
        if self.is_setting(text):
            return self._variant(Label.parse(text, "setting")).label
        if not self._bases:
            return text
        name, domain = Label.name_of(text), next(iter(self._bases.values())).domain
        if name in self._files:
            return canonical(self._files[name] + text[len(name) :], domain)
        return canonical(text, domain) if name in REGISTRIES[domain] else text

    def _expand(self, place: str, entry: object) -> list[str]:
        if isinstance(entry, str) and entry.startswith("$"):
            return self._lists[known_name(f"list in {place}", entry[1:], self._lists)]
        if isinstance(entry, str):
            return [entry]
        if isinstance(entry, Mapping):
            return self._swept(place, entry)
        if isinstance(entry, Iterable):
            return [text for item in entry for text in self._expand(place, item)]
        raise ConfigError(f"{place} has {entry!r}; allowed: a label, $list, a sweep or a list")

    def _swept(self, place: str, sweep: Mapping[str, object]) -> list[str]:
        if set(sweep) == {"settings", "algorithms"}:
            new = flow({"sweep": sweep["settings"], "algorithms": sweep["algorithms"]})
            raise ConfigError(f"{place} has settings and algorithms; write {new}")
        keys = {k: v if isinstance(v, list) else [v] for k, v in sweep.items() if k != "sweep"}
        if "sweep" not in sweep or not keys:
            raise ConfigError(
                f"{place} has {dict(sweep)!r}; allowed: the key 'sweep', and at least one key "
                "with values"
            )
        ends = [""]
        if "algorithms" in keys:
            ends = [f"/{one}" for one in self._expand(place, keys.pop("algorithms"))]
        return [
            Label.parse(text, "label of a sweep").having(dict(zip(keys, values, strict=True))) + end
            for text in self._expand(place, sweep["sweep"])
            for values in product(*keys.values())
            for end in ends
        ]


def combinations(
    place: str, entry: Mapping[str, Any], beside: Container[str], names: Names | None = None
) -> Iterator[dict[str, Any]]:
    """Yield each combination of the values under an entry's ``each``.

    The value of the first key changes slowest. Without ``each``, there is one empty combination.

    Parameters
    ----------
    place : str
        Key of the entry, for messages.
    entry : mapping
    beside : container of str
        Keys to which the entry itself gives a single value.
    names : Names or None
        If given, lists and sweeps of labels are expanded. Then a value of ``settings`` or
        ``algorithms`` is itself a list of labels.

    Raises
    ------
    ConfigError
        If ``each`` is not a mapping, or a label is invalid, or a key lacks values or is in
        ``beside``.
    """
    each = entry.get("each", {})
    if not isinstance(each, Mapping):
        raise ConfigError(f"{place}.each is {each!r}; allowed: keys with lists of values")
    choices: dict[str, list[Any]] = {}
    for key, values in each.items():
        where = f"{place}.each.{key}"
        if key in beside:
            raise ConfigError(f"{where} is given twice, under 'each' and beside it; allowed: once")
        entries = names.labels(where, values) if names and not isinstance(values, list) else values
        if names and key in ("settings", "algorithms"):
            entries = [names.labels(where, one) for one in entries]
        elif names and any(isinstance(one, str | dict) for one in entries):
            entries = names.labels(where, entries)
        if not entries:
            raise ConfigError(f"{where} is {values!r}; allowed: a list with at least one value")
        choices[key] = [*entries]
    for chosen in product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))


def flow(value: Mapping[str, object]) -> str:
    """Return a mapping as one line of YAML."""
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=math.inf)
    return text.rstrip()


def parts(text: str) -> list[str]:
    """Split a text at its slashes, except for slashes inside brackets."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "/" and not depth:
            pieces.append("")
        else:
            pieces[-1] += letter
    return pieces
