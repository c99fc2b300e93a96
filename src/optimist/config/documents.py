"""Reading YAML files, with messages that name the file and the line, and merging documents.

What is read is plain data that JSON could hold: mappings with text as keys, lists, text, finite
numbers, truth values and null.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from optimist.config import scalars
from optimist.core.errors import ConfigError, UnreadableError
from optimist.core.files import read_text


@dataclass(frozen=True)
class Source:
    """A document as messages name it.

    Attributes
    ----------
    name : str
    path : Path or None
        The YAML file that has its lines.
    key : str
        The dotted key whose line is given for every key, where the file has other keys.
    """

    name: str
    path: Path | None = None
    key: str = ""

    def at(self, *keys: str, text: str = "") -> str:
        """Return the name, with the line of the first of some dotted keys that the file has.

        Without any of them it is the first line that has ``text`` as a key or value.
        """
        node = _node(read_text(self.path)) if self.path else None
        lines = [_line(node, key) for key in ([self.key] if self.key else keys)]
        lines += [line for found, line in _texts(node) if text and found == text]
        return next((f"{self.name}, line {line}" for line in lines if line), self.name)

    @contextmanager
    def named(self, prefix: str = "") -> Iterator[None]:
        """Put the name before the message of a ConfigError, with the line of a key or text in it.

        Parameters
        ----------
        prefix : str
            Keys in messages begin behind it.
        """
        try:
            yield
        except ConfigError as error:
            message = str(error).removeprefix(f"{self.name}: ")
            dotted = re.findall(r"\w+(?:\.[^\s:;,'\"]+)+", message)
            keys = [part for key in dotted for part in _parts(prefix + key)]
            if named := re.search(r"setting '([\w.]+)[^']*'(?:: (\w+))?", message):
                parts = ("parameters.", "problem.", "")
                keys += [f"settings.{named[1]}.{part}{named[2]}" for part in parts]
                keys.append(f"settings.{named[1]}")
            quoted = re.search("'([^']+)'", message)
            where = self.at(*keys, text=quoted[1] if quoted else "")
            raise ConfigError(f"{where}: {message}") from None


def read_yaml(path: str | Path) -> Any:
    """Return the document of a YAML file.

    Raises
    ------
    ConfigError
        If the file cannot be read, is not valid YAML, has a key twice or anything but plain data.
    """
    try:
        text = read_text(path)
    except UnreadableError as error:
        raise ConfigError(f"file {error}") from None
    return read_value(text, f"file {path}")


def read_value(text: str, place: str) -> Any:
    """Return what a text in YAML stands for, as `read_yaml` does; ``place`` is for messages."""
    try:
        node = _node(text)
        return None if node is None else _value(node, place, "")
    except yaml.YAMLError as error:
        raise ConfigError(f"{place} is not valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{place} is nested too deeply, or holds itself") from None


def check_plain(value: Any, place: str) -> None:
    """Raise ConfigError unless a value from elsewhere is plain data; ``place`` is for messages."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ConfigError(f"{place} has the key {key!r}; allowed: text, in quotes")
            scalars.check_plain(key, place)
            check_plain(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for inner in value:
            check_plain(inner, place)
    else:
        scalars.check_plain(value, place)


def merge(base: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with the nested keys of ``overlay`` put over it; neither is changed."""
    merged = {key: copied(value) for key, value in base.items()}
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else copied(value)
    return merged


def copied(value: Any) -> Any:
    """Return a copy of plain data."""
    if isinstance(value, Mapping):
        return {key: copied(inner) for key, inner in value.items()}
    return [copied(inner) for inner in value] if isinstance(value, list) else value


def _node(text: str) -> yaml.Node | None:
    loader = scalars.Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _value(node: yaml.Node, place: str, key: str) -> Any:
    """Return what a node stands for; its dotted key is for messages."""
    where = f"{place}, line {node.start_mark.line + 1}"
    if isinstance(node, yaml.ScalarNode):
        return scalars.value(node, f"{where}: {key}" if key else place)
    if node.tag not in (f"{scalars.TAG}map", f"{scalars.TAG}seq"):
        raise ConfigError(f"{where}: tag {node.tag!r}; allowed: no tag")
    prefix = f"{key}." if key else ""
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, place, f"{prefix}{i}") for i, item in enumerate(node.value)]
    _check_keys(node, place)
    merged: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for name, item in node.value:
        inner = _value(item, place, f"{prefix}{name.value}")
        if name.tag != scalars.MERGE:
            own[name.value] = inner
        elif isinstance(inner, dict):
            merged = inner
        else:
            raise ConfigError(f"{where}: {prefix}<< is {inner!r}; allowed: keys with values")
    return {**merged, **own}


def _check_keys(node: yaml.MappingNode, place: str) -> None:
    """Raise ConfigError unless keys are texts, each once: YAML would keep the last in silence."""
    lines: dict[str, int] = {}
    for key, _ in node.value:
        where = f"{place}, line {key.start_mark.line + 1}"
        if key.tag not in (scalars.TEXT, scalars.MERGE):
            name = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            raise ConfigError(f"{where}: key {name} is no text; allowed: text, in quotes")
        if key.value in lines:
            raise ConfigError(
                f"{where}: key {key.value!r} stands in line {lines[key.value]} already; "
                "allowed: once"
            )
        scalars.check_plain(key.value, where)
        lines[key.value] = key.start_mark.line + 1


def _line(node: yaml.Node | None, key: str) -> int:
    """Return the line of a dotted key, 0 if it is not there."""
    for name, line, inner in _entries(node):
        if key == name:
            return line
        if key.startswith(f"{name}.") and (found := _line(inner, key[len(name) + 1 :])):
            return found
    return 0


def _entries(node: yaml.Node | None) -> Iterator[tuple[str, int, yaml.Node]]:
    """Yield the keys of a mapping or the numbers and ids in a list, with lines and nodes."""
    if isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            line = item.start_mark.line + 1
            ids = [inner.value for name, _, inner in _entries(item) if name == "id"]
            yield from ((name, line, item) for name in [str(i), *ids])
    elif isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            yield key.value, key.start_mark.line + 1, item
            if key.tag == scalars.MERGE:
                yield from _entries(item)


def _texts(node: yaml.Node | None) -> Iterator[tuple[str, int]]:
    """Yield the keys and scalars in a node with their lines."""
    if isinstance(node, yaml.ScalarNode):
        yield node.value, node.start_mark.line + 1
    for name, line, inner in _entries(node):
        yield name, line
        yield from _texts(inner)


def _parts(key: str) -> list[str]:
    """Return a dotted key and what begins it, the longest first; two parts at least."""
    parts = key.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 1, -1)]
