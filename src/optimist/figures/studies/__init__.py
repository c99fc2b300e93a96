"""Registry of studies: a literal mapping from names to classes.

Their base class is in `optimist.figures.studies.base`. Each study has its own file, which contains
its computation and its drawing. A paper has a study if the section ``studies`` of its configuration
contains the study's name. Every paper has the study ``facts``.
"""

import importlib
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from optimist.core.errors import unknown_name

if TYPE_CHECKING:
    from optimist.figures.studies.base import Study

STUDIES = {
    "facts": "optimist.figures.studies.facts:Facts",
    "regions": "optimist.figures.studies.regions:Regions",
    "scaling": "optimist.figures.studies.scaling:Scaling",
    "passes": "optimist.figures.studies.passes:Passes",
    "lemmas": "optimist.figures.studies.lemmas:Lemmas",
    "accuracy": "optimist.figures.studies.accuracy:Accuracy",
    "dimension": "optimist.figures.studies.dimension:Dimension",
    "starvation": "optimist.figures.studies.starvation:Starvation",
    "oracle": "optimist.figures.studies.oracle:Oracle",
}


def study_class(name: str) -> "type[Study]":
    """Return the class of the study called ``name``; raise ConfigError if there is none."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    module, _, cls = STUDIES[name].partition(":")
    return getattr(importlib.import_module(module), cls)


def study_section(paper: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return the section of a study in a paper's configuration, or None if it has none."""
    return paper.get("studies", {}).get(name)


def of_paper(paper: Mapping[str, Any]) -> "list[Study]":
    """Construct the studies that a paper's configuration requests."""
    asked = {cls: study_section(paper, cls.name) for cls in map(study_class, STUDIES)}
    return [
        cls(section or {}) for cls, section in asked.items() if cls.always or section is not None
    ]


@lru_cache
def table_names() -> dict[str, list[str]]:
    """Return the names of the tables of every study."""
    return {name: [*study_class(name).tables] for name in STUDIES}
