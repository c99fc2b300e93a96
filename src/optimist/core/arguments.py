"""Check configured arguments against function signatures."""

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from inspect import Parameter
from numbers import Integral, Real
from types import FunctionType
from typing import Any, get_args

from optimist.core.errors import ConfigError, nearest
from optimist.core.label import Label, write

# The methods whose parameters a configuration sets, by kind of class, with examples of signatures.
_CONFIGURED = {
    "algorithm": {"__init__": "self, problem, *, rng, a=1, gamma=0.1"},
    "environment": {
        "__init__": "self, *, horizon, trial, stream, arms=5, noise=0.1",
        "problem": "self, delta=0.05",
    },
}


def check_options_are_named(kind: str, cls: type) -> None:
    """Raise ConfigError if a method whose parameters a configuration sets has ``**options``.

    The names of the options that such a method passes on are unknown, so a misspelt option would be
    accepted.

    Parameters
    ----------
    kind : str
        ``algorithm`` or ``environment``; classes of other kinds have no such methods.
    cls : type
    """
    for method, example in _CONFIGURED.get(kind, {}).items():
        base = next((base for base in cls.__mro__ if method in vars(base)), cls)
        function = inspect.unwrap(getattr(cls, method))
        if not isinstance(function, FunctionType):
            continue
        for parameter in inspect.signature(getattr(cls, method)).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                code = function.__code__
                place = f"{os.path.basename(code.co_filename)}, line {code.co_firstlineno}"
                raise ConfigError(
                    f"`**{parameter.name}` in {base.__name__} ({place}): name the options that it "
                    f"passes on, such as `def {method}({example})`"
                )


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the default values of a function's parameters, by name."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def check_keywords(
    what: str, given: Iterable[str], function: Callable[..., Any], supplied: Iterable[str] = ()
) -> None:
    """Raise ConfigError unless ``function`` can be called with the given keywords.

    Each keyword in ``given`` must be a parameter of the function, and every parameter without a
    default must be given. The caller passes the parameters in ``supplied`` itself, so they must not
    be in ``given``.
    """
    parameters = dict(inspect.signature(function).parameters)
    for name in ("self", *supplied):
        parameters.pop(name, None)
    for key in given:
        if key not in parameters:
            raise ConfigError(
                f"{what}: unknown key {key!r}{nearest(key, parameters)}; "
                f"allowed: {', '.join(sorted(parameters)) or 'none'}"
            )
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in given:
            raise ConfigError(f"{what}: key {name!r} is missing")


def as_declared(function: Callable[..., Any], values: Mapping[str, object]) -> dict[str, object]:
    """Return arguments with the types that the parameters of a function declare.

    Labels write 2.0 as 2, and have no quotes. Therefore, a whole number becomes a float if its
    parameter is annotated with ``float`` or has a float as its default. A float without a fraction
    becomes an int in the same way, and a number becomes a text if its parameter is annotated with
    ``str`` alone. Items of lists are converted too. Other values stay as they are, such as 0.5 for
    an int or 1 for a bool; the function may refuse them.
    """
    declared = _declared(function)
    return {name: _converted(value, declared.get(name)) for name, value in values.items()}


@cache
def _declared(function: Callable[..., Any]) -> dict[str, type]:
    """Return the type, float, int or str, of each parameter that declares one."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    types: dict[str, type] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = parameter.annotation
        if isinstance(annotation, str):
            with suppress(Exception):  # it may name what only type checkers import
                annotation = eval(annotation, names)
        # A text as default says little: "auto" may stand for a number.
        kinds = set(_kinds(annotation)) or {*_kinds(type(parameter.default))} - {str}
        for kind, others in ((float, {int}), (int, {float}), (str, kinds - {str})):
            if kind in kinds and not kinds & others:
                types[name] = kind
                break
    return types


def _kinds(annotation: Any) -> Iterator[type]:
    """Yield the types among float, int, bool and str that an annotation contains."""
    for part in get_args(annotation):
        yield from _kinds(part)
    if isinstance(annotation, type):
        bases = {bool: bool, str: str, Integral: int, Real: float}
        yield from [kind for base, kind in bases.items() if issubclass(annotation, base)][:1]


def _converted(value: Any, kind: type | None) -> Any:
    if isinstance(value, list):
        return [_converted(item, kind) for item in value]
    if kind is str and isinstance(value, int | float):
        return write(value)
    if kind is float and type(value) is int and abs(value) <= sys.float_info.max:
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


@cache
def option_names(cls: type) -> dict[str, Any]:
    """Return the defaults of an algorithm class's keyword options, by name.

    For an option without a default, the value is `inspect.Parameter.empty`.
    """
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "rng"}


def options_of(label: Label, cls: type, rng: Any) -> dict[str, object]:
    """Return the keyword arguments that a label specifies for an algorithm class.

    Parameters
    ----------
    label : Label
    cls : type
    rng : Generator or None
        Included as ``rng`` if the class has this parameter.

    Raises
    ------
    ConfigError
        If the label has an unknown option or lacks a required one.
    """
    options = dict(label.options)
    allowed = option_names(cls)
    for key in options:
        if key not in allowed:
            raise ConfigError(
                f"algorithm {str(label)!r}: unknown option {key!r}{nearest(key, allowed)}; "
                f"allowed: {', '.join(sorted(allowed)) or 'none'}"
            )
    missing = [k for k in allowed if allowed[k] is Parameter.empty and k not in options]
    if missing:
        full = Label.make(label.name, options | dict.fromkeys(missing, "..."))
        raise ConfigError(
            f"algorithm {str(label)!r}: option {missing[0]!r} has no default; allowed: a value for "
            f"it, as in {full}"
        )
    return {**options, "rng": rng} if "rng" in inspect.signature(cls).parameters else {**options}
