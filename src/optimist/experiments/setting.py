"""Resolve labels of settings; each label names a paper's base setting and may change parameters.

An option of a setting is a parameter of its environment, a keyword of the environment's
``problem`` method, or ``horizon``.
"""

import inspect
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from typing import Any

from optimist.core.arguments import defaults
from optimist.core.errors import ConfigError, nearest, unknown_name, whole_number
from optimist.core.label import Label
from optimist.environments import environment_class

# Environment parameters that are set by the run, not the configuration.
SUPPLIED = frozenset(("self", "horizon", "trial", "stream", "dataset"))


def resolve_setting(paper: Mapping[str, Any], text: str) -> tuple[Label, dict[str, Any]]:
    """Return the canonical label of a setting and its full specification.

    Parameters
    ----------
    paper : mapping
        A paper's loaded configuration; ``settings`` contains the base settings, by name.
    text : str
        A label, such as ``student_t[radius=shrunk,factor=0.1]``.

    Raises
    ------
    ConfigError
        If the name or an option is unknown.
    """
    label = Label.parse(text, "setting")
    settings = paper["settings"]
    if label.name not in settings:
        names = [name for name in settings if "[" not in name]
        raise unknown_name(f"setting of {paper['paper']}", label.name, names)
    base = settings[label.name]
    places = option_places(base["environment"])
    for key, _ in label.options:
        if key not in places:
            raise ConfigError(
                f"setting {text!r}: unknown option {key!r}{nearest(key, places)}; "
                f"allowed: {', '.join(sorted(places))}"
            )
    canonical = label.without(option_defaults(base))
    return canonical, _with_options(base, canonical, places)


def option_places(environment: str) -> dict[str, str]:
    """Map each option to its key in a setting: ``parameters``, ``problem`` or ``horizon``."""
    return _places(environment_class(environment))


@cache
def _places(cls: Any) -> dict[str, str]:
    places = dict.fromkeys(_keywords(cls.problem), "problem")
    places |= dict.fromkeys(_keywords(cls.__init__), "parameters")
    return places | {"horizon": "horizon"}


def option_defaults(base: Mapping[str, Any]) -> dict[str, Any]:
    """Return the default of each option of a base setting."""
    stated = {**base.get("parameters", {}), **base.get("problem", {}), "horizon": base["horizon"]}
    return _signature_defaults(environment_class(base["environment"])) | stated


@cache
def _signature_defaults(cls: Any) -> dict[str, Any]:
    return defaults(cls.problem) | defaults(cls.__init__)


def _keywords(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in SUPPLIED]


def _with_options(
    base: Mapping[str, Any], label: Label, places: Mapping[str, str]
) -> dict[str, Any]:
    spec = deepcopy(dict(base))
    for key, value in label.options:
        if places[key] == "horizon":
            spec["horizon"] = whole_number("horizon", value)
        else:
            spec.setdefault(places[key], {})[key] = value
    return spec
