"""Checking configuration against the signatures of what it configures."""

import dis
import inspect
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, Signature
from types import FunctionType

from optimist.errors import ConfigError, nearest

# Methods of a class whose parameters a configuration sets.
CONFIGURED = ("__init__", "problem")
_VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def name_options(cls: type) -> None:
    """Give methods of a class that take ``**options`` the signature that they have in effect.

    What they pass on are the options of the class above; if they pass nothing on, they have none
    but those that they name.
    """
    for method in CONFIGURED:
        for place, base in enumerate(cls.__mro__):
            function = vars(base).get(method)
            if isinstance(function, FunctionType) and _takes_any(function):
                signature = Signature(_in_effect(cls.__mro__[place:], method))
                function.__signature__ = signature  # type: ignore[attr-defined]


def _takes_any(function: FunctionType) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.kind is p.VAR_KEYWORD for p in parameters)


def _in_effect(classes: Sequence[type], method: str) -> list[Parameter]:
    """Return the parameters of the first of some classes that has a method, with what it passes on.

    Others than the first are those above it, in the order in which Python asks them.
    """
    for place, cls in enumerate(classes):
        function = vars(cls).get(method)
        if isinstance(function, FunctionType):
            own = [*inspect.signature(function).parameters.values()]
            named = [p for p in own if p.kind not in _VARIABLE]
            if not (_takes_any(function) and _passes_on(function)):
                return named
            has_places = any(p.kind is p.VAR_POSITIONAL for p in own)
            above = _in_effect(classes[place + 1 :], method)[1:]
            return _joined(named, above, has_places)
    return []


def _passes_on(function: FunctionType) -> bool:
    """Return whether a function calls something with arguments that it was given as they are."""
    return any(step.opname == "CALL_FUNCTION_EX" for step in dis.get_instructions(function))


def _joined(
    own: Sequence[Parameter], above: Sequence[Parameter], has_places: bool
) -> list[Parameter]:
    """Return own parameters, then others; without ``has_places`` these are given by name alone."""
    names = {p.name for p in own}
    more = [p for p in above if p.name not in names and p.kind not in _VARIABLE]
    if not has_places:
        more = [p.replace(kind=p.KEYWORD_ONLY) for p in more]
    return sorted([*own, *more], key=lambda p: p.kind)


def defaults(function: Callable) -> dict:
    """Return the parameters of ``function`` that have a default, with it."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def check_keywords(
    what: str, given: Iterable[str], function: Callable, known: Iterable[str] = ()
) -> None:
    """Raise ConfigError unless ``function`` takes exactly such keywords.

    Every one of ``given`` must be a parameter of it, and each of its parameters without a default
    must be given. ``known`` are parameters that the caller supplies itself.
    """
    parameters = dict(inspect.signature(function).parameters)
    for name in ("self", *known):
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
