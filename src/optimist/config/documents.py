"""Reading and merging of YAML files, with error messages that name the file and the line.

Documents are plain data that JSON can represent: mappings with string keys, lists, strings, finite
numbers, booleans and null. Snakemake and this module read YAML with the same library.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from optimist.core.errors import ConfigError, UnreadableError
from optimist.core.files import read_text
from optimist.core.terminal import shown

# Plain data with string keys, before or after it is checked against a model.
Document = dict[str, Any]

TAG = "tag:yaml.org,2002:"


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """PyYAML's safe loader (the C version if available), extended to read 1e-3 as a number."""


Loader.add_implicit_resolver(
    f"{TAG}float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), [*"-+0123456789"]
)


# Spellings that every version of YAML reads in the same way, unlike 010, 1:30, 1_000, yes or off.
_PLAIN = re.compile(
    r"[-+]?(0|[1-9]\d*|(0|[1-9]\d*)?\.\d*|\.\d+)([eE][-+]?\d+)?|0x[0-9a-fA-F]+"
    r"|true|false|True|False|TRUE|FALSE|null|Null|NULL|~|"
)
_OCTAL = re.compile(r"[-+]?0o[0-7]+")  # only YAML 1.2 reads these as numbers


@dataclass(frozen=True)
class Source:
    """A document's name in messages, and its file, which gives the line numbers.

    Attributes
    ----------
    name : str
        The name of the document in messages.
    path : Path or None
        The YAML file in which to look up line numbers.
    key : str
        Dotted key whose line all messages give; empty unless the document's keys differ from the
        file's.
    """

    name: str
    path: Path | None = None
    key: str = ""

    def at(self, *keys: str, text: str = "") -> str:
        """Return the document's name, and the line of the first of ``keys`` that is in the file.

        The keys are dotted. If the file contains none of them, give the first line on which
        ``text`` is a key or a value. If there is no such line, return the name alone.
        """
        node = yaml.compose(read_text(self.path), Loader) if self.path else None
        lines = [_line(node, key) for key in ([self.key] if self.key else keys)]
        lines += [line for word, line in _texts(node) if text and word == text]
        return next((f"{self.name}, line {line}" for line in lines if line), self.name)

    @contextmanager
    def named(self, prefix: str = "") -> Iterator[None]:
        """Prefix the message of a ConfigError with the document's name and the line of the fault.

        The line is found from the keys and the quoted text in the message.

        Parameters
        ----------
        prefix : str
            Prefix that turns each key in a message into a dotted key of the document.
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
    """Return the document in a YAML file.

    Raises
    ------
    ConfigError
        If the file cannot be read, is not valid YAML, repeats a key or is not plain data.
    """
    try:
        text = read_text(path)
    except UnreadableError as error:
        raise ConfigError(f"file {error}") from None
    return read_value(text, f"file {path}")


def read_value(text: str, place: str) -> Any:
    """Return the value of a YAML text, as `read_yaml` does; messages refer to it as ``place``."""
    try:
        with _loader(text) as loader:
            node = loader.get_single_node()
            if node is None:
                return None
            _check(loader, node, place, "")
            return loader.construct_document(node)
    except (yaml.YAMLError, ValueError, LookupError, AttributeError) as error:
        raise ConfigError(f"{place} is not valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{place} is nested too deeply, or contains itself") from None


@contextmanager
def _loader(text: str) -> Iterator[Loader]:
    loader = Loader(text)
    try:
        yield loader
    finally:
        loader.dispose()


def check_plain(value: Any, place: str) -> None:
    """Raise ConfigError unless a value is plain data; messages refer to it as ``place``.

    Text must not contain characters that a terminal would interpret or hide.
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise ConfigError(f"{place} has the key {key!r}; allowed: text, in quotes")
            check_plain(key, place)
            check_plain(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for inner in value:
            check_plain(inner, place)
    elif isinstance(value, int | float) and not abs(value) <= sys.float_info.max:
        size = value if isinstance(value, float) else "too large"
        raise ConfigError(f"{place} is {size}; allowed: finite numbers")
    elif isinstance(value, str) and not value.isprintable():
        for letter, seen in zip(value, shown(value), strict=False):
            if letter != seen:
                raise ConfigError(f"{place} has the character {letter!r}; allowed: printable text")
    elif not (value is None or isinstance(value, str | int | float)):
        raise ConfigError(f"{place} is {str(value)!r}; allowed: text in quotes, or a number")


def merge(base: Mapping[str, object], overlay: Mapping[str, Any]) -> Document:
    """Return a copy of ``base`` with ``overlay`` merged over it, recursively."""
    merged: Document = {key: copied(value) for key, value in base.items()}
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else copied(value)
    return merged


def copied(value: Any) -> Any:
    """Return a deep copy of plain data, with plain text in place of labels."""
    if isinstance(value, Mapping):
        return {copied(key): copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [copied(inner) for inner in value]
    return str(value) if isinstance(value, str) else value


def _check(loader: Loader, node: yaml.Node, place: str, key: str) -> None:
    """Raise ConfigError unless a node holds plain data and no mapping in it repeats a key.

    PyYAML silently keeps the last value of a repeated key. Messages contain the node's dotted
    ``key``.
    """
    where = f"{place}, line {node.start_mark.line + 1}"
    named = f"{where}: {key}" if key else place
    prefix = f"{key}." if key else ""
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_object(node)
        check_plain(value, named)
        is_plain = isinstance(value, str) or _PLAIN.fullmatch(node.value)
        if not is_plain or (not node.style and _OCTAL.fullmatch(node.value)):
            raise ConfigError(
                f"{named} is {node.value}, which YAML 1.1 reads as {value!r}; allowed: decimal "
                "digits without leading zeros, true or false, or text in quotes"
            )
    elif node.tag not in (f"{TAG}map", f"{TAG}seq"):
        raise ConfigError(f"{named} has the tag {node.tag!r}; allowed: no tag")
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            _check(loader, item, place, f"{prefix}{i}")
    else:
        lines: dict[str, int] = {}
        for name, item in node.value:
            where = f"{place}, line {name.start_mark.line + 1}"
            text = name.value if isinstance(name, yaml.ScalarNode) else "a list or mapping"
            if name.tag == f"{TAG}merge":
                what = "merges other keys; write these out, as in {status: ours, about: *about}"
                raise ConfigError(f"{where}: key '<<' {what}, or use 'each' or 'defaults'")
            if name.tag != f"{TAG}str":
                raise ConfigError(f"{where}: key {text} is not text; allowed: text, in quotes")
            if text in lines:
                raise ConfigError(
                    f"{where}: key {text!r} is also on line {lines[text]}; allowed: each key once"
                )
            check_plain(text, where)
            lines[text] = name.start_mark.line + 1
            _check(loader, item, place, f"{prefix}{text}")


def _line(node: yaml.Node | None, key: str) -> int:
    """Return the line of a dotted key, or 0 if the node does not contain it."""
    for name, line, inner in _entries(node):
        if key == name:
            return line
        if key.startswith(f"{name}.") and (inner_line := _line(inner, key[len(name) + 1 :])):
            return inner_line
    return 0


def _entries(node: yaml.Node | None) -> Iterator[tuple[str, int, yaml.Node]]:
    """Yield the name, line and node of each entry in a mapping or list.

    An entry's name is its key in a mapping or its index in a list. A list item with an id is
    yielded a second time, under its id.
    """
    if isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            line = item.start_mark.line + 1
            ids = [inner.value for name, _, inner in _entries(item) if name == "id"]
            yield from ((name, line, item) for name in [str(i), *ids])
    elif isinstance(node, yaml.MappingNode):
        for key, item in node.value:
            yield key.value, key.start_mark.line + 1, item


def _texts(node: yaml.Node | None) -> Iterator[tuple[str, int]]:
    """Yield all keys and scalars in a node, with their lines."""
    if isinstance(node, yaml.ScalarNode):
        yield node.value, node.start_mark.line + 1
    for name, line, inner in _entries(node):
        yield name, line
        yield from _texts(inner)


def _parts(key: str) -> list[str]:
    """Return a dotted key, followed by its prefixes of at least two parts, longest first."""
    parts = key.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 1, -1)]
