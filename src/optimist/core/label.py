"""Labels of algorithms and settings, such as ``ofuglb[history=raw,solver=slsqp]``.

A label is a name with options. Only this module knows how it is written. A label has a canonical
form: options are sorted, equal numbers are written in the same way, and `Label.without` drops
options that equal their defaults. A cell thus has the same label however a user types it.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from optimist.core.errors import ConfigError, brief

Value = bool | int | float | str | None

_LABEL = re.compile(r"(?P<name>[^\[\]=,\s]+)(\[(?P<options>[^\[\]]*)\])?")
_WORD = re.compile(r"[^\[\]=,\s]+")
_INTEGER = re.compile(r"[-+]?\d+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# Special values, as spelled in YAML and in Python.
_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}
_WORDS |= {"True": True, "False": False, "None": None}
_NOT_FINITE = ("inf", "infinity", "nan")
# Whole numbers up to this size are ints, as in numpy; larger ones become floats if a float can
# represent them exactly.
_LARGEST_WHOLE = 2**63 - 1
_MOST_DIGITS = sys.float_info.max_10_exp + 1


class Label(str):
    """A name with options, which is also the text ``name[option=value,...]``.

    Texts become labels where they enter the program: when a configuration, a command line or a
    table is read. A label does not load the class that it names.

    Parameters
    ----------
    name : str
    options : iterable of (str, value)
        Keys and values, in canonical form and sorted by key; a value is None, a bool, a finite
        number or a str. `make` and `parse` accept any order and form.

    Attributes
    ----------
    name : str
    options : tuple of (str, value)
    """

    name: str
    options: tuple[tuple[str, Value], ...]

    def __new__(cls, name: str, options: Iterable[tuple[str, Value]] = ()) -> Self:
        kept = tuple(options)
        listed = ",".join(f"{key}={write(value)}" for key, value in kept)
        label = super().__new__(cls, f"{name}[{listed}]" if kept else name)
        label.name, label.options = name, kept
        return label

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.name, self.options

    @classmethod
    def make(cls, name: str, options: Mapping[str, Value]) -> Self:
        """Construct a label from a name and its options, in any order.

        A text is read as in a label, so "1" is the number 1.

        Raises
        ------
        ConfigError
            If a value cannot be written in a label.
        """
        return cls(name, ((key, _as_read(name, key, options[key])) for key in sorted(options)))

    @staticmethod
    def name_of(text: str) -> str:
        """Return the name at the start of a text, which need not be a valid label."""
        return text.partition("[")[0]

    @classmethod
    def parse(cls, text: object, kind: str = "algorithm") -> Self:
        """Parse a label.

        Parameters
        ----------
        text : str
            ``name`` or ``name[key=value,...]``. Numbers and the values true, false and null are
            converted to Python objects; any other value remains a string.
        kind : str
            Kind of object named by the label, for messages.

        Raises
        ------
        ConfigError
            If the text is malformed, repeats an option or contains a number that is not finite.
        """
        if isinstance(text, cls):
            return text
        match = _LABEL.fullmatch(text) if isinstance(text, str) else None
        if not isinstance(text, str) or not match:
            raise ConfigError(
                f"{kind} {text!r} is malformed; allowed: a name, or name[key=value,...]; "
                "the path of a file must not contain blanks or any of []=,"
            )
        if not text.isprintable():
            raise ConfigError(
                f"{kind} {text!r} has characters that are not printable; "
                "allowed: printable characters"
            )
        options: dict[str, Value] = {}
        for item in filter(None, (match["options"] or "").split(",")):
            key, equals, value = (part.strip() for part in item.partition("="))
            if not (equals and key and value):
                raise ConfigError(f"{kind} {text!r}: option {item!r} is not of the form key=value")
            if key in options:
                raise ConfigError(f"{kind} {text!r} has the option {key!r} twice; allowed: once")
            options[key] = _value(kind, text, key, value)
        return cls.make(match["name"], options)

    def without(self, defaults: Mapping[str, object]) -> Self:
        """Return the label without the options whose values equal their defaults."""
        options = {k: v for k, v in self.options if k not in defaults or not same(v, defaults[k])}
        return type(self).make(self.name, options)

    def having(self, options: Mapping[str, Value]) -> Self:
        """Return the label with options added or replaced."""
        return type(self).make(self.name, {**dict(self.options), **options})


def plain(value: Value) -> Value:
    """Return a value in canonical form: 1.0 becomes 1, and 10**20 becomes 1e20."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST_WHOLE:
        return int(value)
    if isinstance(value, int) and abs(value) > _LARGEST_WHOLE:
        with suppress(OverflowError):
            return float(value) if value == float(value) else value
    return value


def same(value: object, other: object) -> bool:
    """Return whether two option values are equal; 1 equals 1.0 but not true."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _as_read(name: str, key: str, value: Value) -> Value:
    """Return an option's value as `Label.parse` reads it."""
    if isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    if not isinstance(value, str):
        return plain(value)
    if not value.isprintable() or not _WORD.fullmatch(value):
        raise ConfigError(
            f"option {key} of {name} is {value!r}; allowed: text without blanks or any of []=,"
        )
    return _value("label", f"{name}[{key}={value}]", key, value)


def write(value: Value) -> str:
    """Format a value as in a label."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(kind: str, text: str, key: str, value: str) -> Value:
    if value in _WORDS:
        return _WORDS[value]
    if _INTEGER.fullmatch(value) and len(value.lstrip("+-0")) < _MOST_DIGITS:
        digits = value.lstrip("+-").lstrip("0") or "0"  # int() accepts at most 4300 digits
        return plain(-int(digits) if value.startswith("-") else int(digits))
    is_number = _NUMBER.fullmatch(value) or value.lower().lstrip("+-.") in _NOT_FINITE
    if not is_number:
        return value
    number = float(value) if _NUMBER.fullmatch(value) else math.inf
    if not math.isfinite(number):
        raise ConfigError(
            f"{kind} {brief(text)}: {key} is {brief(value)}; allowed: a finite number, at most "
            f"{sys.float_info.max:.2g}"
        )
    return plain(number)
