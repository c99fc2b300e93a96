"""Scalars in YAML files: read as the core schema of YAML 1.2 reads them, or refused in one line.

PyYAML reads YAML 1.1, in which 010 is eight, 1:30 is ninety and ``no`` is false. Here 010 is ten,
and the others are text. A date is refused, since some programs would not take it for text.
"""

import math
import re
from collections.abc import Callable
from typing import Any

import yaml

from optimist.core.errors import ConfigError, brief
from optimist.core.terminal import shown

TAG = "tag:yaml.org,2002:"
TEXT, MERGE = f"{TAG}str", f"{TAG}merge"
# By type: what a scalar of it looks like, its first letters ("" for none), and words for it.
_FORMS = {
    "null": (r"~|null|Null|NULL|", ["~", "n", "N", ""], "null"),
    "bool": (r"true|True|TRUE|false|False|FALSE", [*"tTfF"], "true or false"),
    "int": (
        r"[-+]?[0-9]{1,300}|0o[0-7]{1,300}|0x[0-9a-fA-F]{1,250}",
        [*"-+0123456789"],
        "a whole number, as 10 or 0x1f",
    ),
    "float": (
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        [*"-+.0123456789"],
        "a number, as 1.5 or 1e-3",
    ),
    "timestamp": (
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
        r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*",
        [*"0123456789"],
        "text, in quotes",
    ),
    "merge": (r"<<", ["<"], "<<"),
}
_FORM = {kind: re.compile(pattern) for kind, (pattern, _, _) in _FORMS.items()}


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader, in C where PyYAML was built with it, for the scalars of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012


def value(node: yaml.ScalarNode, place: str) -> Any:
    """Return what a scalar stands for.

    Parameters
    ----------
    node : ScalarNode
    place : str
        Its place in a file, for the message.

    Raises
    ------
    ConfigError
        Unless it is text, a finite number, a truth value or null.
    """
    kind = node.tag.removeprefix(TAG)
    if kind not in ("str", *_FORMS):
        raise ConfigError(f"{place} has the tag {node.tag!r}; allowed: no tag")
    if kind == "timestamp":
        raise ConfigError(
            f"{place} is {brief(node.value)}, which may be a date; allowed: {_FORMS[kind][2]}"
        )
    if kind in _FORM and not _FORM[kind].fullmatch(node.value):
        allowed = _FORMS[kind][2]
        raise ConfigError(f"{place} is {brief(node.value)}; allowed after its tag: {allowed}")
    found = _READ[kind](node.value)
    check_plain(found, place)
    return found


def check_plain(value: Any, place: str) -> None:
    """Raise ConfigError for a scalar that JSON could not hold, or that a terminal would obey."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{place} is {value!r}; allowed: finite numbers")
    if not (value is None or isinstance(value, str | int | float)):
        raise ConfigError(f"{place} is {value!r}; allowed: text, numbers, true, false, null")
    if isinstance(value, str) and not value.isprintable():
        for letter, seen in zip(value, shown(value), strict=False):
            if letter != seen:
                raise ConfigError(f"{place} has the letter {letter!r}; allowed: printable letters")


def _whole(text: str) -> int:
    base = {"0o": 8, "0x": 16}.get(text[:2], 10)
    return int(text, base) if base == 10 else int(text[2:], base)


def _real(text: str) -> float:
    return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))


_READ: dict[str, Callable[[str], Any]] = {
    "str": str,
    "merge": str,
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": _whole,
    "float": _real,
}
for _kind, (_, _first, _) in _FORMS.items():
    Loader.add_implicit_resolver(
        f"{TAG}{_kind}", re.compile(f"(?:{_FORM[_kind].pattern})$"), _first
    )
