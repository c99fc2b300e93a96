"""Registries of what a paper shows: literal tables from kinds to classes.

A kind of panel or table stands in one file and in one line here; a study, which may have both, in
`optimist.panels.studies`. ``docs/add-a-panel.md`` adds one of each.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from optimist.errors import unknown_name

if TYPE_CHECKING:
    from optimist.panels.base import Panel
    from optimist.panels.tables.base import Table

PANELS = {
    "regret": "optimist.panels.regret:Regret",
    "median_regret": "optimist.panels.regret:MedianRegret",
    "relative_regret": "optimist.panels.relative_regret:RelativeRegret",
    "final_regret": "optimist.panels.sweeps:FinalRegret",
    "final_median_regret": "optimist.panels.sweeps:FinalMedianRegret",
    "time": "optimist.panels.sweeps:Time",
    "coverage": "optimist.panels.sweeps:Coverage",
    "counter": "optimist.panels.sweeps:Counter",
    "tradeoff": "optimist.panels.tradeoff:Tradeoff",
    "elapsed": "optimist.panels.times:Elapsed",
    "time_per_round": "optimist.panels.times:TimePerRound",
    "facts": "optimist.panels.facts:Facts",
    "regions": "optimist.panels.studies.regions:RegionsPanel",
    "scaling": "optimist.panels.studies.scaling:ScalingPanel",
    "lemmas": "optimist.panels.studies.lemmas:LemmasPanel",
    "accuracy": "optimist.panels.studies.accuracy:AccuracyPanel",
    "starvation": "optimist.panels.studies.starvation:StarvationPanel",
}
TABLES = {
    "theory": "optimist.panels.tables.theory:Theory",
    "final_regret": "optimist.panels.tables.cells:FinalRegret",
    "run_time": "optimist.panels.tables.cells:RunTime",
    "speed": "optimist.panels.tables.speed:Speed",
    "accuracy": "optimist.panels.studies.accuracy:AccuracyTable",
    "dimension": "optimist.panels.studies.dimension:DimensionTable",
    "starvation": "optimist.panels.studies.starvation:StarvationTable",
    "oracle": "optimist.panels.studies.oracle:OracleTable",
}


def panel_class(kind: str) -> "type[Panel]":
    """Return the class of a kind of panel; raise ConfigError if there is none."""
    return _load("kind of panel", kind, PANELS)


def table_class(kind: str) -> "type[Table]":
    """Return the class of a kind of table; raise ConfigError if there is none."""
    return _load("kind of table", kind, TABLES)


def make_panel(spec: Mapping[str, Any]) -> "Panel":
    """Return the panel of an entry of a figure."""
    return panel_class(spec["kind"])(spec)


def make_table(spec: Mapping[str, Any]) -> "Table":
    """Return the table of an entry among tables."""
    return table_class(spec["kind"])(spec)


def _load(what: str, kind: str, registry: Mapping[str, str]) -> Any:
    if kind not in registry:
        raise unknown_name(what, kind, registry)
    module, _, name = registry[kind].partition(":")
    return getattr(importlib.import_module(module), name)
