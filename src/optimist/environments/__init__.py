"""Registries of environments: literal tables from configuration name to class.

A name may also denote a class in a file, ``mine.py:World``, or a class that an installed package
offers (`optimist.core.registry`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from optimist.core.arguments import check_keywords
from optimist.core.registry import Registry
from optimist.environments.base import BoxEnvironment

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

ENVIRONMENTS = Registry(
    "environment",
    REGISTRY | BOX_REGISTRY,
    "optimist.environments",
    (
        "optimist.environments.base:FiniteArmEnvironment",
        "optimist.environments.base:BoxEnvironment",
    ),
)


def environment_domain(name: str) -> str:
    """Return ``box`` for a function on a box, ``arms`` for finitely many arms."""
    if name in REGISTRY:
        return "arms"
    is_on_box = name in BOX_REGISTRY or issubclass(ENVIRONMENTS.load(name), BoxEnvironment)
    return "box" if is_on_box else "arms"


def environment_module(name: str) -> str:
    """Return the module that defines an environment, see `optimist.core.source_files`.

    Raises
    ------
    ConfigError
        For an unknown name.
    """
    return ENVIRONMENTS.module(name)


def environment_class(name: str) -> Any:
    """Return the class called ``name``.

    Raises
    ------
    ConfigError
        For an unknown name, or a foreign class that is not an environment.
    """
    return ENVIRONMENTS.load(name)


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

    Raises
    ------
    ConfigError
        For an unknown name, or a parameter that is unknown, missing or out of range.
    """
    cls = environment_class(name)
    check_keywords(
        f"environment {name!r}", parameters, cls.__init__, supplied=("horizon", "trial", "stream")
    )
    return cls(horizon=horizon, trial=trial, stream=stream, **parameters)
