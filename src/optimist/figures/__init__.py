"""Registries that map each kind of panel and each kind of table to its class.

Each kind has one line in `PANELS` or `TABLES`. Studies may define kinds of panels and tables too;
`optimist.figures.studies` lists the studies. ``docs/add-a-panel.md`` shows how to add a panel and a
study.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from optimist.core.errors import known_name

if TYPE_CHECKING:
    from optimist.figures.base import Panel
    from optimist.figures.tables.base import Table

PANELS = {
    "regret": "optimist.figures.curves:Regret",
    "median_regret": "optimist.figures.curves:MedianRegret",
    "relative_regret": "optimist.figures.curves:RelativeRegret",
    "final_regret": "optimist.figures.sweeps:FinalRegret",
    "final_median_regret": "optimist.figures.sweeps:FinalMedianRegret",
    "time": "optimist.figures.sweeps:Time",
    "coverage": "optimist.figures.sweeps:Coverage",
    "counter": "optimist.figures.sweeps:Counter",
    "tradeoff": "optimist.figures.sweeps:Tradeoff",
    "elapsed": "optimist.figures.curves:Elapsed",
    "time_per_round": "optimist.figures.curves:TimePerRound",
    "facts": "optimist.figures.facts:Facts",
    "regions": "optimist.figures.studies.regions:RegionsPanel",
    "scaling": "optimist.figures.studies.scaling:ScalingPanel",
    "lemmas": "optimist.figures.studies.lemmas:LemmasPanel",
    "accuracy": "optimist.figures.studies.accuracy:AccuracyPanel",
    "starvation": "optimist.figures.studies.starvation:StarvationPanel",
}
TABLES = {
    "theory": "optimist.figures.tables.theory:Theory",
    "final_regret": "optimist.figures.tables.cells:FinalRegret",
    "run_time": "optimist.figures.tables.cells:RunTime",
    "speed": "optimist.figures.tables.speed:Speed",
    "accuracy": "optimist.figures.studies.accuracy:AccuracyTable",
    "dimension": "optimist.figures.studies.dimension:DimensionTable",
    "starvation": "optimist.figures.studies.starvation:StarvationTable",
}


def panel_class(kind: str) -> "type[Panel]":
    """Return the class of the given kind of panel; raise ConfigError if the kind is unknown."""
    cls: type[Panel] = load("kind of panel", kind, PANELS)
    return cls


def table_class(kind: str) -> "type[Table]":
    """Return the class of the given kind of table; raise ConfigError if the kind is unknown."""
    cls: type[Table] = load("kind of table", kind, TABLES)
    return cls


def make_panel(entry: Mapping[str, Any]) -> "Panel":
    """Construct the panel described by an entry of a figure."""
    return panel_class(entry["kind"])(**entry)


def make_table(entry: Mapping[str, Any]) -> "Table":
    """Construct the table described by an entry of ``tables``."""
    return table_class(entry["kind"])(**entry)


def load(what: str, kind: str, registry: Mapping[str, str]) -> Any:
    """Return the class registered under ``kind``; raise ConfigError if there is none.

    The error message describes ``kind`` as ``what``, for example as a "kind of panel".
    """
    module, _, name = registry[known_name(what, kind, registry)].partition(":")
    return getattr(importlib.import_module(module), name)
