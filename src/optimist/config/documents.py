"""Reading YAML files, with messages that name the file and the line, and merging documents.

What is read is plain data that JSON could hold: mappings with text as keys, lists, text, finite
numbers, truth values and null.
"""

import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from optimist.config import scalars
from optimist.core.errors import ConfigError, UnreadableError
from optimist.core.files import read_text
from optimist.core.terminal import shown

_PLAIN = (f"{scalars.TAG}map", f"{scalars.TAG}seq")
MOST_DEPTH = 50


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
        return _document(text, place)
    except yaml.YAMLError as error:
        raise ConfigError(f"{place} is not valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(_too_deep(place)) from None


def check_plain(value: Any, place: str) -> None:
    """Raise ConfigError unless a value from elsewhere is plain data; ``place`` is for messages."""
    todo = [(value, place, 0)]
    while todo:
        item, where, depth = todo.pop()
        if depth > MOST_DEPTH:
            raise ConfigError(_too_deep(place))
        if isinstance(item, Mapping):
            for key, inner in item.items():
                _check_letters(key, where)
                if not isinstance(key, str):
                    raise ConfigError(f"{where} has the key {key!r}; allowed: text, in quotes")
                todo.append((inner, f"{where}.{key}", depth + 1))
        elif isinstance(item, list):
            todo += [(inner, where, depth + 1) for inner in item]
        elif isinstance(item, float) and not math.isfinite(item):
            raise ConfigError(f"{where} is {item!r}; allowed: finite numbers")
        elif not (item is None or isinstance(item, str | int | float)):
            raise ConfigError(f"{where} is {item!r}; allowed: text, numbers, true, false, null")
        _check_letters(item, where)


def _check_letters(value: Any, place: str) -> None:
    """Raise ConfigError for a text with letters that a terminal would obey or hide."""
    if isinstance(value, str) and not value.isprintable():
        for letter, seen in zip(value, shown(value), strict=False):
            if letter != seen:
                raise ConfigError(f"{place} has the letter {letter!r}; allowed: printable letters")


def _too_deep(place: str | Path) -> str:
    return f"{place} is nested too deeply, or holds itself; allowed: {MOST_DEPTH} levels"


def merge(base: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with the nested keys of ``overlay`` put over it; neither is changed."""
    merged = deepcopy(dict(base))
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else deepcopy(value)
    return merged


def _document(text: str, place: str) -> Any:
    loader = scalars.Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _check_nodes(node, place)
        document = loader.construct_document(node)
        check_plain(document, place)
        return document
    finally:
        loader.dispose()


def _check_nodes(root: yaml.Node, place: str) -> None:
    """Raise ConfigError for a scalar that is no plain data, or for a key that is none or is twice.

    YAML would keep the last of two equal keys in silence.
    """
    seen, todo = set(), [(root, "")]
    while todo:
        node, key = todo.pop()
        if isinstance(node, yaml.ScalarNode):
            scalars.check(node, f"{_line(node, place)}: {key}" if key else place)
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))  # a node with an anchor stands in several places
        if node.tag not in _PLAIN:
            raise ConfigError(f"{_line(node, place)}: tag {node.tag!r}; allowed: no tag")
        if isinstance(node, yaml.SequenceNode):
            todo += [(value, f"{key}.{i}".lstrip(".")) for i, value in enumerate(node.value)]
        else:
            todo += [(value, f"{key}.{k}".lstrip(".")) for k, value in _entries(node, place)]


def _entries(node: yaml.MappingNode, place: str) -> Iterator[tuple[str, yaml.Node]]:
    """Yield the keys of a mapping with their values; raise ConfigError unless they are texts."""
    lines: dict[str, int] = {}
    for key, value in node.value:
        if key.tag not in (scalars.TEXT, scalars.MERGE):
            name = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            raise ConfigError(
                f"{_line(key, place)}: key {name} is no text; allowed: text, in quotes"
            )
        if key.value in lines:
            raise ConfigError(
                f"{_line(key, place)}: key {key.value!r} stands in line "
                f"{lines[key.value]} already; allowed: once"
            )
        lines[key.value] = key.start_mark.line + 1
        yield key.value, value


def _line(node: yaml.Node, place: str) -> str:
    return f"{place}, line {node.start_mark.line + 1}"
