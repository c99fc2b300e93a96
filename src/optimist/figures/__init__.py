"""Registries of what a paper shows: literal tables from kinds to classes.

A kind of panel or table stands in one file and in one line here; a study, which may have both, in
`optimist.figures.studies`. ``docs/add-a-panel.md`` adds one of each.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from optimist.core.errors import unknown_name
from optimist.core.schemas import check_document

if TYPE_CHECKING:
    from optimist.figures.base import Panel
    from optimist.figures.tables.base import Table

PANELS = {
    "regret": "optimist.figures.regret:Regret",
    "median_regret": "optimist.figures.regret:MedianRegret",
    "relative_regret": "optimist.figures.relative_regret:RelativeRegret",
    "final_regret": "optimist.figures.sweeps:FinalRegret",
    "final_median_regret": "optimist.figures.sweeps:FinalMedianRegret",
    "time": "optimist.figures.sweeps:Time",
    "coverage": "optimist.figures.sweeps:Coverage",
    "counter": "optimist.figures.sweeps:Counter",
    "tradeoff": "optimist.figures.tradeoff:Tradeoff",
    "elapsed": "optimist.figures.times:Elapsed",
    "time_per_round": "optimist.figures.times:TimePerRound",
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
    "oracle": "optimist.figures.studies.oracle:OracleTable",
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


def check_shown(paper: Mapping[str, Any], source: str) -> None:
    """Raise ConfigError for an unknown kind of panel or table, or keys that its kind refuses.

    Parameters
    ----------
    paper : mapping
        A paper's configuration, with its figures written out.
    source : str
        The file that they stand in, for messages.
    """
    for name, figure in paper.get("figures", {}).items():
        for i, panel in enumerate(figure["panels"]):
            _check_entry(panel, PANELS, f"{source}: figures.{name}.panels.{i}")
    for name, table in paper.get("tables", {}).items():
        _check_entry(table, TABLES, f"{source}: tables.{name}")


def _check_entry(spec: Mapping[str, Any], registry: Mapping[str, str], place: str) -> None:
    kind = str(spec.get("kind"))
    if kind not in registry:
        raise unknown_name(f"kind in {place}", kind, registry)
    check_document(dict(spec), _load("kind", kind, registry).schema(), place)
    shown = [entry["label"] for entry in spec.get("series", [])] or spec.get("algorithms", [])
    for key in ("slope", "multiple"):
        for reference in spec.get(f"{key}s", []):
            if reference["series"] not in shown:
                raise unknown_name(f"series of a {key} in {place}", reference["series"], shown)


def _load(what: str, kind: str, registry: Mapping[str, str]) -> Any:
    if kind not in registry:
        raise unknown_name(what, kind, registry)
    module, _, name = registry[kind].partition(":")
    return getattr(importlib.import_module(module), name)
