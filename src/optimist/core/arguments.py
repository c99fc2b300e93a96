"""Check configured arguments against function signatures."""

import dis
import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache, wraps
from inspect import Parameter, Signature
from types import FunctionType
from typing import Any

from optimist.core.errors import ConfigError, nearest
from optimist.core.label import Label

# Methods whose parameters a configuration sets.
CONFIGURED = ("__init__", "problem")
_VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def name_options(cls: type) -> None:
    """Spell out ``**options`` in the signature of each `CONFIGURED` method.

    If a method passes its options on, the signature also includes the options of the next class in
    the method resolution order. Otherwise, it includes only the parameters that the method names.
    The base classes of ``cls`` are not changed.
    """
    for method in CONFIGURED:
        function = next((vars(base)[method] for base in cls.__mro__ if method in vars(base)), None)
        if isinstance(function, FunctionType) and _takes_any(raw := _raw(function)):
            setattr(cls, method, _with_signature(raw, _in_effect(cls.__mro__, method)))


def _raw(function: FunctionType) -> FunctionType:
    """Return a method without the wrapper that `name_options` may have added."""
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
    """Return the parameters that a method accepts, given classes in method resolution order.

    The first class that has the method defines it; later classes contribute the options that the
    method passes on.
    """
    for place, cls in enumerate(classes):
        method_here = vars(cls).get(method)
        if isinstance(method_here, FunctionType):
            function = _raw(method_here)
            parameters = [*inspect.signature(function).parameters.values()]
            named = [p for p in parameters if p.kind not in _VARIABLE]
            # A function that passes **options on contains the instruction CALL_FUNCTION_EX.
            calls = (step.opname for step in dis.get_instructions(function))
            if not (_takes_any(function) and "CALL_FUNCTION_EX" in calls):
                return named
            names = {p.name for p in named}
            above = _in_effect(classes[place + 1 :], method)[1:]
            more = [p for p in above if p.name not in names and p.kind not in _VARIABLE]
            # Configurations give options only by name.
            return [*named, *(p.replace(kind=p.KEYWORD_ONLY) for p in more)]
    return []


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


@cache
def option_names(cls: type) -> dict[str, Any]:
    """Return the defaults of an algorithm class's keyword options, by name.

    For an option without a default, the value is `inspect.Parameter.empty`.
    """
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "rng"}


def options_of(label: Label, cls: type, rng: Any) -> dict[str, Any]:
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
