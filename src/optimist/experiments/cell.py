"""Settings, and cells: combinations of a setting and an algorithm.

An option of a setting is a parameter of its environment, a keyword of the environment's
``problem`` method, or ``horizon``.
"""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

import numpy as np

from optimist.algorithms import REGISTRIES, algorithm_class, canonical
from optimist.core.arguments import defaults
from optimist.core.errors import ConfigError, nearest, whole_number
from optimist.core.label import Label, Value
from optimist.core.registry import OtherDomainError, short_name
from optimist.environments import ENVIRONMENTS, environment_class, environment_domain
from optimist.numerics import seeding

# The paper id of settings that do not belong to a paper.
OWN = "own"
# Environment parameters that are set by the run, not the configuration.
SUPPLIED = frozenset(("self", "horizon", "trial", "stream", "dataset"))
# Takes the place of an algorithm in a cell of an environment alone.
NOTHING = Label("")
# Fields that determine results, in the order of `Setting.describe`.
DECISIVE = ("environment", "parameters", "problem", "horizon", "dataset")


@dataclass(frozen=True)
class Setting:
    """An environment with its parameters, and what algorithms know about it.

    Attributes
    ----------
    paper : str
        Id of the paper to which the setting belongs, or "own" if it belongs to none.
    label : Label
        Canonical label of the setting.
    environment : str
        Name of the environment, which may be a class in a file.
    horizon : int
        T, the number of rounds.
    parameters, problem : mapping
        Arguments of the environment and of its ``problem`` method, without defaults.
    dataset : str
        Name of the prepared data set; "" if the environment needs none.
    title, about : str
        Display name, and a sentence that describes the setting; either may be empty.
    base : Setting or None
        The setting without options, from which variants are made; None for such a setting itself,
        and for a variant that was restored from a description.
    """

    paper: str
    label: Label
    environment: str
    horizon: int
    parameters: Mapping[str, Value] = field(default_factory=dict)
    problem: Mapping[str, Value] = field(default_factory=dict)
    dataset: str = ""
    title: str = field(default="", compare=False)
    about: str = field(default="", compare=False)
    base: "Setting | None" = field(default=None, compare=False, repr=False)

    def __hash__(self) -> int:
        return hash((self.paper, self.label))

    def __str__(self) -> str:
        return self.label if self.paper == OWN else f"{self.paper}/{self.label}"

    @property
    def cls(self) -> Any:
        """Class of the environment."""
        return environment_class(self.environment)

    @property
    def domain(self) -> str:
        """The domain of the actions, ``arms`` or ``box``."""
        return environment_domain(self.environment)

    @property
    def is_foreign(self) -> bool:
        """Whether the environment comes from outside this package."""
        return ENVIRONMENTS.is_foreign(self.environment)

    @property
    def places(self) -> dict[str, str]:
        """Place of each option: ``parameters``, ``problem`` or ``horizon``."""
        return _places(self.cls)

    @property
    def options(self) -> dict[str, Value]:
        """Value of each option, including defaults."""
        stated = {**self.parameters, **self.problem, "horizon": self.horizon}
        return _signature_defaults(self.cls) | stated

    def with_options(self, label: Label) -> "Setting":
        """Return the variant of the base setting that has the options of a label, and no others.

        Raises
        ------
        ConfigError
            If an option is unknown.
        """
        base = self.base or self
        if base.label.options:
            raise ValueError(f"setting {self.label!r} was restored, so its base is unknown")
        places = base.places
        for key, _ in label.options:
            if key not in places:
                raise ConfigError(
                    f"setting {str(label)!r}: unknown option {key!r}{nearest(key, places)}; "
                    f"allowed: {', '.join(sorted(places))}"
                )
        canonical = label.without(base.options)
        if not canonical.options:
            return base
        changes: dict[str, Any] = {"parameters": {}, "problem": {}}
        for key, value in canonical.options:
            if places[key] == "horizon":
                changes["horizon"] = whole_number("horizon", value)
            else:
                changes[places[key]][key] = value
        for place in ("parameters", "problem"):
            changes[place] = {**getattr(base, place), **changes[place]}
        return replace(base, label=canonical, base=base, **changes)

    def having(self, **options: Value) -> "Setting":
        """Return this setting with options added or replaced; raise errors of `with_options`."""
        return self.with_options(self.label.having(options))

    def describe(self) -> dict[str, object]:
        """Return all inputs of results as plain data, without empty fields."""
        kept = {name: getattr(self, name) for name in DECISIVE}
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in kept.items()
            if value not in ({}, "")
        }

    def document(self) -> dict[str, object]:
        """Return the setting as written in settings.yaml, without abbreviations."""
        texts = {"title": self.title, "about": self.about}
        return {**{key: text for key, text in texts.items() if text}, **self.describe()}

    @classmethod
    def restore(cls, paper: str, label: str, document: Mapping[str, Any]) -> Self:
        """Rebuild a setting from the output of `describe` or `document`, without its base."""
        return cls(paper, Label.parse(label, "setting"), **document)


@cache
def _places(cls: Any) -> dict[str, str]:
    places = dict.fromkeys(_keywords(cls.problem), "problem")
    places |= dict.fromkeys(_keywords(cls.__init__), "parameters")
    return places | {"horizon": "horizon"}


@cache
def _signature_defaults(cls: Any) -> dict[str, Value]:
    return defaults(cls.problem) | defaults(cls.__init__)


def _keywords(function: Any) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in SUPPLIED]


@dataclass(frozen=True)
class Probe:
    """How a slow algorithm is timed on the history of a fast one.

    Attributes
    ----------
    leader : Label
        Algorithm whose choices are played.
    every : int
        Number of rounds between selections, at most a quarter of a trial.
    """

    leader: Label
    every: int

    def describe(self) -> dict[str, object]:
        """Return the probe as plain data."""
        return {"leader": str(self.leader), "every": self.every}

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> Self:
        """Rebuild a probe from the output of `describe`."""
        return cls(Label.parse(description["leader"]), description["every"])


@dataclass(frozen=True)
class Cell:
    """A combination of a setting and an algorithm.

    Attributes
    ----------
    setting : Setting
    algorithm : Label
        Canonical label; `NOTHING` for the environment alone.
    """

    setting: Setting
    algorithm: Label

    @classmethod
    def of(cls, setting: Setting, algorithm: str) -> Self:
        """Return the cell in which an algorithm, given by any label of it, plays a setting.

        Raises
        ------
        ConfigError
            If the setting's domain has no algorithm with this name.
        """
        try:
            return cls(setting, canonical(algorithm, setting.domain))
        except OtherDomainError as error:
            raise OtherDomainError(f"{setting}: {error}") from None

    @property
    def paper(self) -> str:
        """Id of the setting's paper."""
        return self.setting.paper

    @property
    def name(self) -> str:
        """Name of the cell, ``paper/setting/algorithm``."""
        return f"{self.paper}/{self.setting.label}/{self.algorithm}"

    @property
    def labels(self) -> tuple[Label, Label]:
        """Labels of the setting and of the algorithm."""
        return self.setting.label, self.algorithm

    @property
    def domain(self) -> str:
        """Domain of the cell, ``arms`` or ``box``."""
        return self.setting.domain

    @property
    def cls(self) -> Any:
        """Class of the algorithm."""
        return algorithm_class(self.algorithm.name, self.domain)

    @property
    def is_foreign(self) -> bool:
        """Whether the algorithm or the environment comes from outside this package."""
        # Check the environment first: if it is foreign, its domain is known only after loading.
        if self.setting.is_foreign:
            return True
        return bool(self.algorithm) and self.is_foreign_algorithm(self.algorithm)

    def is_foreign_algorithm(self, label: Label) -> bool:
        """Return whether an algorithm of this cell's domain comes from outside this package."""
        return REGISTRIES[self.domain].is_foreign(label.name)

    @property
    def is_of_this_process(self) -> bool:
        """Whether the algorithm's class exists only in this process, not in a file or a package."""
        return any(self.algorithm.name in registry.added for registry in REGISTRIES.values())

    def lasting(self, horizon: int) -> Self:
        """Return the cell with another horizon."""
        return replace(self, setting=replace(self.setting, horizon=horizon))

    def stream(self, trial: int, purpose: str) -> np.random.Generator:
        """Return the environment's random generator for one purpose in a trial.

        All variants of a setting get the same random numbers, so that comparisons are fair.
        """
        return seeding.stream(self.paper, self.setting.label.name, trial, purpose)

    def algorithm_stream(self, trial: int, label: Label | None = None) -> np.random.Generator:
        """Return the random generator of an algorithm, by default this cell's, for a trial.

        All variants of an algorithm get the same random numbers, wherever its file is.
        """
        return self.stream(trial, short_name((label or self.algorithm).name))

    def describe(self) -> dict[str, object]:
        """Return the cell as plain data, without the texts of its setting."""
        return {
            "paper": self.paper,
            "setting": str(self.setting.label),
            "algorithm": str(self.algorithm),
            "spec": self.setting.describe(),
        }

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> Self:
        """Rebuild a cell from the output of `describe`."""
        paper, label, text = (description[key] for key in ("paper", "setting", "algorithm"))
        setting = Setting.restore(paper, label, description["spec"])
        return cls(setting, Label.parse(text) if text else NOTHING)
