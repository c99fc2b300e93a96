"""Registries of environments: literal tables from configuration name to class."""

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from optimist.arguments import check_keywords
from optimist.errors import unknown_name

REGISTRY = {
    "glm": "optimist.environments.glm:GLMEnvironment",
    "covertype": "optimist.environments.covertype:CovertypeEnvironment",
    "kernel": "optimist.environments.kernel:KernelEnvironment",
    "regression_arms": "optimist.environments.regression_arms:RegressionArmsEnvironment",
    "heavy_tailed": "optimist.environments.heavy_tailed:HeavyTailedEnvironment",
}

# Functions on a box.
BOX_REGISTRY = {
    "test_functions": "optimist.environments.test_functions:TestFunctionEnvironment",
    "hyperparameters": "optimist.environments.hyperparameters:HyperparameterEnvironment",
}

_ALL = REGISTRY | BOX_REGISTRY


def environment_domain(name: str) -> str:
    """Return ``box`` for a function on a box, ``arms`` for finitely many arms."""
    return "box" if name in BOX_REGISTRY else "arms"


def environment_module(name: str) -> str:
    """Return the dotted module name that defines the environment called ``name``."""
    if name not in _ALL:
        raise unknown_name("environment", name, _ALL)
    return _ALL[name].partition(":")[0]


def environment_class(name: str) -> Any:
    """Return the registered class called ``name``."""
    module = environment_module(name)
    return getattr(importlib.import_module(module), _ALL[name].partition(":")[2])


def make_environment(
    name: str,
    *,
    horizon: int,
    trial: int,
    stream: Callable[[str], np.random.Generator],
    **parameters: Any,
) -> Any:
    """Construct the environment of one trial.

    Parameters
    ----------
    name : str
    horizon : int
        T, the declared horizon.
    trial : int
    stream : callable
        Maps a purpose (str) to a numpy Generator of this setting and trial.
    parameters
        As in the setting's configuration.
    """
    cls = environment_class(name)
    check_keywords(
        f"environment {name!r}", parameters, cls.__init__, known=("horizon", "trial", "stream")
    )
    return cls(horizon=horizon, trial=trial, stream=stream, **parameters)
