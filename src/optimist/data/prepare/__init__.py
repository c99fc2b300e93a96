"""Prepared data sets: arms, or tables for classifiers, made from verified tables of real data.

Each prepared data set is made from a raw table by a module in this folder with two functions:

``write(frame, path, **options)``  writes the prepared data set to a CSV file;
``facts(frame, path, **options)``  returns (name, value) pairs about the raw table and the CSV file.

Options come from the configuration and from the data set's recipe. Those in the recipe distinguish
the data set from others made from the same raw table. Each function receives only the options named
in its signature.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from optimist.core.arguments import defaults
from optimist.core.errors import unknown_name


@dataclass(frozen=True)
class Preparation:
    """Recipe for a prepared data set.

    Attributes
    ----------
    raw : str
        Name of the raw table in data/sources.csv.
    module : str
        Dotted name of the module that prepares the data set.
    options : dict
        Options that distinguish the data set from others made from the same table.
    """

    raw: str
    module: str
    options: dict = field(default_factory=dict)

    def function(self, name: str) -> Callable[..., Any]:
        """Return the function ``write`` or ``facts`` of the module."""
        return getattr(importlib.import_module(self.module), name)

    def select_options(self, function: str, configured: Mapping[str, Any]) -> dict[str, Any]:
        """Return those options in ``configured`` and the recipe that a function accepts.

        The recipe's options take precedence.
        """
        options = {**configured, **self.options}
        return {
            name: options[name] for name in defaults(self.function(function)) if name in options
        }


_REGRESSION = "optimist.data.prepare.regression"
_CLASSIFICATION = "optimist.data.prepare.classification"
PREPARATIONS = {
    "covertype": Preparation("covertype", "optimist.data.prepare.covertype"),
    "covertype_seed_0": Preparation(
        "covertype", "optimist.data.prepare.covertype", {"seed": 0, "spread_seeds": [0]}
    ),
    "abalone": Preparation("abalone", _REGRESSION),
    "abalone_one_hot": Preparation("abalone", _REGRESSION, {"one_hot": True}),
    "california_housing": Preparation("california_housing", _REGRESSION),
    "california_housing_averages": Preparation(
        "california_housing", _REGRESSION, {"averages": True}
    ),
    "breast_cancer": Preparation("breast_cancer_original", _CLASSIFICATION),
    "breast_cancer_wdbc": Preparation("breast_cancer_wdbc", _CLASSIFICATION),
    "australian": Preparation("australian", _CLASSIFICATION),
    "diabetes": Preparation("diabetes", _CLASSIFICATION),
}


def preparation(dataset: str) -> "Preparation":
    """Return the recipe for a prepared data set; raise ConfigError if its name is unknown."""
    if dataset not in PREPARATIONS:
        raise unknown_name("prepared data set", dataset, PREPARATIONS)
    return PREPARATIONS[dataset]
