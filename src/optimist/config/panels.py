"""Expansion of the entries for panels in ``figures.yaml`` into single panels.

An entry with ``each`` gives one panel for each combination of the values under that key. A panel
with ``over: {key: values}`` shows its single ``setting`` with each of the values of a key.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from optimist.config.documents import Document
from optimist.config.labels import Names, combinations, flow
from optimist.core.errors import ConfigError, known_name
from optimist.core.label import Label
from optimist.figures.models import Figures

# Keys of a panel with a single value, which a title may name.
SINGLE = ("kind", "method", "column", "setting", "round")


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
    written = {**kept, "panels": [single for panel in panels for single in panel.all()]}
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

    def all(self) -> Iterator[Document]:
        """Yield the single panels, one for each combination of the values under ``each``."""
        self._check_single()
        single = {key: value for key, value in self._keys.items() if key != "each"}
        for chosen in combinations(self._place, self._keys, single, self._names):
            panel = expand_shown(self._place, {**single, **chosen}, self._names)
            yield self._swept(self._titled(panel, chosen))

    def _check_single(self) -> None:
        """Raise ConfigError if a key has several values without ``each``, and show the new form."""
        given = {key: self._keys[key] for key in SINGLE if key in self._keys}
        several = {
            k: v for k, v in given.items() if isinstance(v, list | dict) or str(v)[:1] == "$"
        }
        settings = self._keys.get("settings")
        if isinstance(settings, Mapping) and "each" in settings:
            several["settings"] = settings["each"]
        if several:
            words, new = " and ".join(several), flow({"each": several})[1:-1]
            raise ConfigError(f"{self._place} has several values of {words}; write {new}")

    def _titled(self, panel: Document, chosen: Document) -> Document:
        """Replace each key in braces in a panel's title by the display name of the key's value."""
        if not isinstance(panel.get("title"), str):
            return panel
        keys = [key for key in panel if key in chosen or key in SINGLE]
        words = {key.removesuffix("s"): self._word(key, panel[key]) for key in keys}

        def word(braces: re.Match[str]) -> str:
            return words[known_name(f"key in {self._place}.title", braces[1], words)]

        # Braces that follow a letter, ^ or a backslash belong to a formula.
        return {**panel, "title": re.sub(r"(?<![\w^\\])\{([a-z_.]+)\}", word, panel["title"])}

    def _word(self, key: str, value: Any) -> str:
        """Return a value's display name, from ``titles`` or, for a setting, from its ``title``."""
        if isinstance(value, list):
            return " and ".join(self._word(key, one) for one in value)
        for word in [str(value), *([value.name] if isinstance(value, Label) else [])]:
            if word in self._titles:
                self._used.add(word)
                return self._titles[word]
        if key not in ("setting", "settings"):
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
