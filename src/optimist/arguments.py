"""Checking configuration against the signatures of what it configures."""

import inspect
from collections.abc import Callable, Iterable

from optimist.errors import ConfigError, nearest


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
