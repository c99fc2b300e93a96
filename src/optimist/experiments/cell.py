"""Cells: combinations of a setting and an algorithm."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from optimist.algorithms import REGISTRIES, algorithm_class, canonical
from optimist.core.label import Label
from optimist.core.registry import OtherDomainError, short_name
from optimist.experiments.setting import Setting
from optimist.numerics import seeding


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

    def describe(self) -> dict[str, Any]:
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
            return cls(setting, canonical(Label.parse(algorithm), setting.domain))
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

    def describe(self) -> dict[str, Any]:
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


# Takes the place of an algorithm in a cell of an environment alone.
NOTHING = Label("")
