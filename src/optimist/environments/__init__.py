"""Registries of environments: dicts from the names used in configurations to classes.

A name may also refer to a class in a file, such as ``mine.py:World``, or in an installed package;
see `optimist.core.registry`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from optimist.core.arguments import as_declared, check_keywords
from optimist.core.registry import Registry
from optimist.environments.base import BoxEnvironment

REGISTRY = {
    "glm": "optimist.environments.glm:GLMEnvironment",
    "covertype": "optimist.environments.covertype:CovertypeEnvironment",
    "kernel": "optimist.environments.kernel:KernelEnvironment",
    "regression_arms": "optimist.environments.regression_arms:RegressionArmsEnvironment",
    "heavy_tailed": "optimist.environments.heavy_tailed:HeavyTailedEnvironment",
}

# Environments whose arms are the points of a box.
BOX_REGISTRY = {
    "test_functions": "optimist.environments.test_functions:TestFunctionEnvironment",
    "hyperparameters": "optimist.environments.hyperparameters:HyperparameterEnvironment",
}

# Options that change neither the arms nor their mean rewards, so that uniform play does not see
# them. They are listed here because the code of the classes decides results.
_OF_KERNELS = frozenset(("deviation", "ridge", "norm_bound", "delta", "factor"))
UNSEEN = {
    "glm": frozenset(("sigma", "delta", "norm_bound", "kappa", "reward_bound", "factor")),
    "covertype": frozenset(("norm_bound", "kappa", "delta", "factor")),
    "kernel": _OF_KERNELS | {"noise"},
    "regression_arms": _OF_KERNELS,
    "heavy_tailed": frozenset(
        (
            *("law", "shape", "epsilon", "nu", "decades", "amplitude", "centre"),
            *("delta", "radius", "factor", "relax_sigma_bounds"),
        )
    ),
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
    """Return ``box`` for an environment on a box and ``arms`` for one with finitely many arms."""
    if name in REGISTRY:
        return "arms"
    is_on_box = name in BOX_REGISTRY or issubclass(ENVIRONMENTS.load(name), BoxEnvironment)
    return "box" if is_on_box else "arms"


def unseen_options(name: str) -> frozenset[str]:
    """Return the options of an environment that uniform play does not see.

    Settings that differ only in these have the same uniform play. A class outside this package
    lists them in its attribute ``unseen``.
    """
    if name in REGISTRY or name in BOX_REGISTRY:
        return UNSEEN.get(name, frozenset())
    return frozenset(getattr(ENVIRONMENTS.load(name), "unseen", ()))


def environment_module(name: str) -> str:
    """Return the module that defines an environment; see `optimist.core.source_files`.

    Raises
    ------
    ConfigError
        If the name is unknown.
    """
    return ENVIRONMENTS.module(name)


def environment_class(name: str) -> Any:
    """Return the environment class that ``name`` refers to.

    Raises
    ------
    ConfigError
        If the name is unknown, or refers to a class outside this package that is not an
        environment.
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
        Maps a purpose (str) to the numpy Generator for this setting and trial.
    parameters
        Parameters of the environment, as configured in the setting.

    Raises
    ------
    ConfigError
        If the name is unknown, or a parameter is unknown, missing or out of range.
    """
    cls = environment_class(name)
    check_keywords(
        f"environment {name!r}", parameters, cls.__init__, supplied=("horizon", "trial", "stream")
    )
    given = as_declared(cls.__init__, parameters)
    return cls(horizon=horizon, trial=trial, stream=stream, **given)
