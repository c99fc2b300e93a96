"""Expansion of the entries for panels in ``figures.yaml`` into single panels.

An entry may hold lists under one or more of the keys in `SPREAD`. It then gives one panel for each
combination of their values, and the value of the first key in `SPREAD` changes slowest.
``settings: {each: ...}`` gives one panel for each setting. A panel with ``over: {key: values}``
shows its single ``setting`` with each of the values of a key.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from optimist.config.documents import Document
from optimist.config.labels import Names
from optimist.core.errors import ConfigError, known_name
from optimist.core.label import Label
from optimist.figures.models import Figures

# Keys of a panel that may hold a list. The value of the first key changes slowest.
SPREAD = ("kind", "method", "column", "settings", "setting", "round")


def expand_figure(
    place: str, figure: Document, room: Figures, names: Names
) -> tuple[Document, set[str]]:
    """Return a figure with its panels expanded, and the keys it uses of the file's ``titles``.

    Parameters
    ----------
    place : str
        Key of the figure, for messages.
    figure : mapping
        An entry of ``figures``.
    room : Figures
        The whole file, whose ``panel_defaults`` and ``titles`` apply to every figure.
    names : Names

    Raises
    ------
    ConfigError
        If none of the figure's panels uses one of its own ``titles``.
    """
    kept = {key: value for key, value in figure.items() if key not in ("defaults", "titles")}
    shared = {**room.get("panel_defaults", {}), **figure.get("defaults", {})}
    of_room, of_figure = (
        _labelled(place, some, names) for some in (room.get("titles", {}), figure.get("titles", {}))
    )
    titles, used = {**of_room, **of_figure}, set[str]()
    panels = [
        _Panel(f"{place}.panels.{i}", {**shared, **panel}, titles, names, used)
        for i, panel in enumerate(figure["panels"])
    ]
    written = {**kept, "panels": [single for panel in panels for single in panel.spread()]}
    for key in of_figure:
        if key not in used:
            raise ConfigError(f"{place}.titles has {key!r}, which no panel title uses")
    return written, used & of_room.keys()


def _labelled(place: str, titles: Mapping[Any, str], names: Names) -> dict[str, str]:
    return {names.label(f"{place}.titles", str(key)): title for key, title in titles.items()}


def expand_shown(place: str, spec: Mapping[str, Any], names: Names) -> Document:
    """Return a panel or table with its lists expanded and its labels in canonical form."""
    written = dict(spec)
    for key, value in spec.items():
        if key in ("settings", "algorithms"):
            written[key] = names.labels(f"{place}.{key}", value)
        elif key in ("base", "setting"):
            written[key] = names.label(f"{place}.{key}", value)
        elif key in ("rows", "series", "slopes"):
            if not isinstance(value, list) or not all(isinstance(e, Mapping) for e in value):
                raise ConfigError(
                    f"{place}.{key} is {value!r}; allowed: a list of keys with values"
                )
            written[key] = [_with_labels(f"{place}.{key}", entry, names) for entry in value]
    return written


def _with_labels(place: str, entry: Mapping[str, str], names: Names) -> dict[str, str]:
    labels = [key for key in entry if key in ("algorithm", "setting", "series")]
    return {**entry, **{key: names.label(place, entry[key]) for key in labels}}


class _Panel:
    """An entry in the file, merged over its figure's defaults; it gives one or more panels."""

    def __init__(
        self, place: str, keys: Document, titles: Mapping[str, str], names: Names, used: set[str]
    ) -> None:
        self._place = place
        self._keys = {key: value for key, value in keys.items() if value is not None}
        self._titles, self._names, self._used = titles, names, used

    def spread(self) -> Iterator[Document]:
        """Yield the single panels, one for each combination of values."""
        lists = {key: self._choices(key) for key in SPREAD if self._is_spread(key)}
        for values in product(*lists.values()):
            chosen = dict(zip(lists, values, strict=True))
            panel = expand_shown(self._place, {**self._keys, **chosen}, self._names)
            yield self._swept(self._titled(panel, chosen))

    def _is_spread(self, key: str) -> bool:
        value = self._keys.get(key)
        is_each = isinstance(value, Mapping) and set(value) == {"each"}
        return value is not None and (key != "settings" or is_each)

    def _choices(self, key: str) -> list[Any]:
        value = self._keys[key]
        if key in ("setting", "settings"):
            entries = value if key == "setting" else value["each"]
            return self._names.labels(f"{self._place}.{key}", entries)
        return value if isinstance(value, list) else [value]

    def _titled(self, panel: Document, chosen: Mapping[str, str | int]) -> Document:
        """Replace each key in braces in a panel's title by the display name of the key's value."""
        if "title" not in panel:
            return panel
        if not isinstance(panel["title"], str):
            raise ConfigError(f"{self._place}.title is {panel['title']!r}; allowed: text")
        words = {key.removesuffix("s"): self._word(key, value) for key, value in chosen.items()}

        def word(braces: re.Match[str]) -> str:
            known_name(f"key in {self._place}.title", braces[1], words)
            return words[braces[1]]

        # Braces that follow a letter, ^ or a backslash belong to a formula.
        return {**panel, "title": re.sub(r"(?<![\w^\\])\{([a-z_.]+)\}", word, panel["title"])}

    def _word(self, key: str, value: Any) -> str:
        """Return a value's display name, from ``titles`` or, for a setting, from its ``title``."""
        is_setting = key in ("setting", "settings")
        for word in [str(value), *([value.name] if isinstance(value, Label) else [])]:
            if word in self._titles:
                self._used.add(word)
                return self._titles[word]
        if not is_setting:
            return str(value)
        known_name(f"setting in {self._place}.{key}", value, self._names.settings)
        return self._names.settings[value].title

    def _swept(self, panel: Document) -> Document:
        over = panel.get("over")
        if not isinstance(over, Mapping):
            return panel
        if len(over) != 1 or "setting" not in panel:
            raise ConfigError(
                f"{self._place}.over is {over!r}; allowed: one key with values, in a panel with "
                "the key 'setting'"
            )
        (key,) = over
        swept = {"sweep": panel.pop("setting"), **over}
        return {**panel, "over": key, "settings": self._names.labels(self._place, [swept])}
