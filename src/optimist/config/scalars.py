"""Scalars in YAML files: read as the core schema of YAML 1.2 reads them, or refused in one line.

PyYAML reads YAML 1.1, in which 010 is eight, 1:30 is ninety and ``no`` is false. Here 010 is ten,
and the others are text. A date is refused, since some programs would not take it for text.
"""

import re

import yaml

from optimist.core.errors import ConfigError, brief

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
_BASES = {"0o": 8, "0x": 16}


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader, in C where PyYAML was built with it, for the scalars of YAML 1.2."""

    yaml_implicit_resolvers: dict = {}  # noqa: RUF012


def _whole(loader: Loader, node: yaml.ScalarNode) -> int:
    base = _BASES.get(node.value[:2], 10)
    digits = node.value.lstrip("+-") if base == 10 else node.value[2:]
    number = int(digits, base)
    return -number if node.value.startswith("-") else number


def _real(loader: Loader, node: yaml.ScalarNode) -> float:
    text = node.value.lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


for _kind, (_, _first, _) in _FORMS.items():
    Loader.add_implicit_resolver(
        f"{TAG}{_kind}", re.compile(f"(?:{_FORM[_kind].pattern})$"), _first
    )
Loader.add_constructor(f"{TAG}int", _whole)
Loader.add_constructor(f"{TAG}float", _real)


def check(node: yaml.ScalarNode, place: str) -> None:
    """Raise ConfigError for a scalar that is no text, number, truth value or null.

    Parameters
    ----------
    node : ScalarNode
    place : str
        Where it stands, for the message.
    """
    kind = node.tag.removeprefix(TAG)
    if kind == "str":
        return
    if kind not in _FORMS:
        raise ConfigError(f"{place} has the tag {node.tag!r}; allowed: no tag")
    allowed = _FORMS[kind][2]
    if kind == "timestamp":
        raise ConfigError(
            f"{place} is {brief(node.value)}, which may be a date; allowed: {allowed}"
        )
    if not _FORM[kind].fullmatch(node.value):
        raise ConfigError(f"{place} is {brief(node.value)}; allowed after its tag: {allowed}")
