"""Checking configuration against the signatures of what it configures."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from optimist.errors import ConfigError, nearest


def parameters(function: Any) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of ``function``, by name in their order."""
    return _signature(function).parameters


_signature = cache(inspect.signature)


def defaults(function: Callable) -> dict:
    """Return the parameters of ``function`` that have a default, with it."""
    return {name: p.default for name, p in parameters(function).items() if p.default is not p.empty}


def check_keywords(
    what: str, given: Iterable[str], function: Callable, known: Iterable[str] = ()
) -> None:
    """Raise ConfigError unless ``function`` takes exactly such keywords.

    Every one of ``given`` must be a parameter of it, and each of its parameters without a default
    must be given. ``known`` are parameters that the caller supplies itself.
    """
    allowed = {name: p for name, p in parameters(function).items() if name not in ("self", *known)}
    for key in given:
        if key not in allowed:
            raise ConfigError(
                f"{what}: unknown key {key!r}{nearest(key, allowed)}; "
                f"allowed: {', '.join(sorted(allowed)) or 'none'}"
            )
    for name, parameter in allowed.items():
        if parameter.default is parameter.empty and name not in given:
            raise ConfigError(f"{what}: key {name!r} is missing")
