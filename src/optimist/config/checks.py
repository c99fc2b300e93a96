"""Checks of the figures, tables, studies and cells in a paper's expanded configuration."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from optimist.algorithms import (
    REGISTRIES,
    algorithm_class,
    is_algorithm,
    make_algorithm,
    option_names,
)
from optimist.config.documents import Source
from optimist.config.models import Sources
from optimist.config.validation import check, entry_of
from optimist.core.errors import ConfigError, OptimistError, known_name, unknown_name
from optimist.core.root import project_root
from optimist.experiments.cell import NOTHING, Cell, Setting
from optimist.experiments.paper import Paper
from optimist.experiments.play_trial import build
from optimist.experiments.trials import expand
from optimist.figures import PANELS, TABLES, panel_class, table_class
from optimist.figures.studies import of_paper, study_class

MOST_PANELS = 16
_NAME = re.compile("[a-z][a-z0-9_.]*")


def check_shown(paper: Paper, source: Source) -> None:
    """Check the number of panels in each figure, and the kind and keys of each panel and table.

    Parameters
    ----------
    paper : Paper
        A paper's configuration, in which all panels are expanded.
    source : Source
        The file that contains the figures and tables.

    Raises
    ------
    ConfigError
        If a check fails.
    """
    for name, figure in paper.figures.items():
        place, panels = f"figures.{name}", figure["panels"]
        # One entry in the file may expand to several panels, so messages give the figure's line.
        of_figure = replace(source, key=place)
        if not 1 <= len(panels) <= MOST_PANELS:
            raise ConfigError(
                f"{of_figure.at()}: {place}.panels has {len(panels)} panels; "
                f"allowed: 1 to {MOST_PANELS}"
            )
        for i, panel in enumerate(panels):
            _check_entry(panel, PANELS, panel_class, of_figure, f"{place}.panels.{i}")
    for name, table in paper.tables.items():
        _check_entry(table, TABLES, table_class, source, f"tables.{name}")


def _check_entry(
    entry: Mapping[str, Any], kinds: Mapping[str, str], load: Any, source: Source, place: str
) -> None:
    kind = str(entry.get("kind"))
    with source.named():
        if "kind" not in entry:
            raise ConfigError(f"{place} lacks the key 'kind'; its keys are {', '.join(entry)}")
        known_name(f"kind in {place}", kind, kinds)
    check(entry, entry_of(load(kind)), source, place)
    shown = [series["label"] for series in entry.get("series", [])] or entry.get("algorithms", [])
    with source.named():
        for key in ("slope", "multiple"):
            for reference in entry.get(f"{key}s", []):
                if reference["series"] not in shown:
                    what = f"series of a {key} in {place}"
                    raise unknown_name(what, reference["series"], shown)


def check_studies(paper: Paper, source: Source) -> None:
    """Raise ConfigError if a study is unknown or its section of the configuration is invalid."""
    with source.named():
        for name in paper.studies:
            study_class(name)
    for study in of_paper(paper):
        check(study.section, study.Section, source, f"studies.{study.name}")
        with source.named("studies."):
            study.check(paper)


def check_cells(paper: Paper, sources: Sources) -> None:
    """Check every cell by building its algorithm, and its environment with a horizon of two rounds.

    Parameters
    ----------
    paper : Paper
    sources : Sources

    Raises
    ------
    ConfigError
        If an environment or an algorithm cannot be built, or a name or option is unknown.
    """
    with sources.settings.named():
        _check_names(paper)
        problems = {label: _problem(setting) for label, setting in paper.settings.items()}
    with sources.runs.named():
        jobs = expand(paper, caps={"trials": 1, "timing_trials": 1})
    for job in jobs:
        for label in (job.cell.algorithm, *([job.probe.leader] if job.probe else [])):
            try:
                make_algorithm(label, problems[job.cell.setting.label])
            except ConfigError as error:
                raise ConfigError(f"{sources.runs.at(text=label)}: {error}") from None


def _check_names(paper: Paper) -> None:
    for key, names in (("names", paper.names), ("options", paper.options)):
        for name in names:
            if not is_algorithm(name):
                allowed = set().union(*REGISTRIES.values())
                raise unknown_name(f"algorithm in {key}", name, allowed)
    for name, texts in paper.options.items():
        allowed = {
            option
            for domain, registry in REGISTRIES.items()
            if name in registry
            for option in option_names(algorithm_class(name, domain))
        }
        for option in (text.partition("=")[0] for text in texts):
            known_name(f"option in options.{name}", option, allowed)


def _problem(setting: Setting) -> Any:
    """Build a setting from the small data sets, and return its problem."""
    label = str(setting.label)
    if not _NAME.fullmatch(setting.label.name):
        raise ConfigError(
            f"setting {label!r} is not a name; allowed: names that match {_NAME.pattern}"
        )
    try:
        return build(Cell(setting, NOTHING).lasting(2), 0, stand_in())[1]
    except OptimistError as error:
        raise ConfigError(f"setting {label!r}: {error}") from None


def stand_in() -> Path:
    """Return the folder with the small data sets that are used to check configurations."""
    return project_root() / "data" / "stand_in"
