"""Registry of environments: a literal table from configuration name to class."""

import importlib

from optimist.errors import unknown_name
from optimist.signatures import check_keywords

REGISTRY = {
    "glm": "optimist.environments.glm:GLMEnvironment",
    "covertype": "optimist.environments.covertype:CovertypeEnvironment",
    "kernel": "optimist.environments.kernel:KernelEnvironment",
    "regression_arms": "optimist.environments.regression_arms:RegressionArmsEnvironment",
    "heavy_tailed": "optimist.environments.heavy_tailed:HeavyTailedEnvironment",
}


def environment_module(name):
    """Return the dotted module name that defines the environment called ``name``."""
    if name not in REGISTRY:
        raise unknown_name("environment", name, REGISTRY)
    return REGISTRY[name].partition(":")[0]


def environment_class(name):
    """Return the registered class called ``name``."""
    module = environment_module(name)
    return getattr(importlib.import_module(module), REGISTRY[name].partition(":")[2])


def make_environment(name, *, horizon, trial, stream, **parameters):
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
