"""Arguments of functions from the configuration, checked against their signatures."""

import dis
import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from inspect import Parameter, Signature
from types import FunctionType
from typing import Any

from optimist.core.errors import ConfigError, nearest
from optimist.core.label import Label

# Methods of a class whose parameters a configuration sets.
CONFIGURED = ("__init__", "problem")
_VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def name_options(cls: type) -> None:
    """Give methods of a class that take ``**options`` the signature that they have in effect.

    Options that a method passes on are options of the class above; a method that passes nothing on
    has only the options in its signature. Methods of other classes do not change.
    """
    for method in CONFIGURED:
        function = next((vars(base)[method] for base in cls.__mro__ if method in vars(base)), None)
        if isinstance(function, FunctionType) and _takes_any(raw := _raw(function)):
            setattr(cls, method, _with_signature(raw, _in_effect(cls.__mro__, method)))


def _raw(function: FunctionType) -> FunctionType:
    """Return the original method, before `name_options` changed it."""
    written = inspect.unwrap(function)
    return written if isinstance(written, FunctionType) else function


def _with_signature(function: FunctionType, parameters: Sequence[Parameter]) -> Callable[..., Any]:
    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **options)

    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return called


def _takes_any(function: FunctionType) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(p.kind is p.VAR_KEYWORD for p in parameters)


def _in_effect(classes: Sequence[type], method: str) -> list[Parameter]:
    """Return the parameters of the first of some classes that has a method, with passed-on options.

    The classes after it are its bases, in Python's method resolution order.
    """
    for place, cls in enumerate(classes):
        method_here = vars(cls).get(method)
        if isinstance(method_here, FunctionType):
            function = _raw(method_here)
            parameters = [*inspect.signature(function).parameters.values()]
            named = [p for p in parameters if p.kind not in _VARIABLE]
            # Whether it passes its own **options on in a call.
            calls = (step.opname for step in dis.get_instructions(function))
            if not (_takes_any(function) and "CALL_FUNCTION_EX" in calls):
                return named
            names = {p.name for p in named}
            above = _in_effect(classes[place + 1 :], method)[1:]
            more = [p for p in above if p.name not in names and p.kind not in _VARIABLE]
            # A configuration gives options only by name.
            return [*named, *(p.replace(kind=p.KEYWORD_ONLY) for p in more)]
    return []


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters of ``function`` that have a default, with the default."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def check_keywords(
    what: str, given: Iterable[str], function: Callable[..., Any], supplied: Iterable[str] = ()
) -> None:
    """Raise ConfigError unless ``function`` takes exactly these keywords.

    Each of ``given`` must be one of its parameters, and all its parameters without a default must
    be given. The caller itself adds the ``supplied`` parameters.
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


@cache
def option_names(cls: type) -> dict[str, Any]:
    """Return the keyword options of an algorithm class with their defaults."""
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "rng"}


def options_of(label: Label, cls: type, rng: Any) -> dict[str, Any]:
    """Return the keyword arguments that an algorithm class gets for a label.

    Parameters
    ----------
    label : Label
    cls : type
    rng : Generator or None
        Passed to a class that takes it.

    Raises
    ------
    ConfigError
        For an unknown option, or one without a default that the label lacks.
    """
    options: dict[str, Any] = dict(label.options)
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
    return {**options, "rng": rng} if "rng" in inspect.signature(cls).parameters else options
