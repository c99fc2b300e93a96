"""From a verified table of real data to the arms of a bandit, by data set.

Each data set has a module here, with

``write(frame, path, **options)``  which writes the arms of a raw table to a CSV file;
``facts(frame, path, **options)``  which returns (name, value) pairs about table and arms.

Options are what the configuration says of the data set, as far as the function names them.
"""

import importlib

from optimist.errors import unknown_name
from optimist.signatures import defaults

MODULES = {
    "covertype": "optimist.preparation.covertype",
    "abalone": "optimist.preparation.regression",
    "california_housing": "optimist.preparation.regression",
}


def module_name(dataset):
    """Return the dotted name of the module that prepares a data set."""
    if dataset not in MODULES:
        raise unknown_name("prepared data set", dataset, MODULES)
    return MODULES[dataset]


def call(dataset, function, frame, path, options):
    """Call ``write`` or ``facts`` of a data set with those options that it names."""
    return getattr(importlib.import_module(module_name(dataset)), function)(frame, path, **options)


def select_options(dataset, function, options):
    """Return those of a data set's configured options that ``write`` or ``facts`` names."""
    names = defaults(getattr(importlib.import_module(module_name(dataset)), function))
    return {name: options[name] for name in names if name in options}
