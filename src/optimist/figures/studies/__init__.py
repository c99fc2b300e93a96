"""Registry that maps the name of each study to its class.

The base class is `optimist.figures.studies.base.Study`. Each study has a module of its own, which
also defines the panels and tables that show its results. A paper has a study if the section
``studies`` of its configuration contains the study's name. Every paper has the study ``facts``.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from optimist.experiments.paper import Paper
from optimist.figures import load

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
    cls: type[Study] = load("study", name, STUDIES)
    return cls


def of_paper(paper: "Paper") -> "list[Study]":
    """Construct the studies requested by a paper's configuration."""
    asked = {name: one for name, one in paper.studies.items() if one is not None}
    classes = map(study_class, STUDIES)
    return [cls(asked.get(cls.name, {})) for cls in classes if cls.always or cls.name in asked]


@lru_cache
def table_names() -> dict[str, list[str]]:
    """Return the names of each study's tables, keyed by the name of the study."""
    return {name: [*study_class(name).tables] for name in STUDIES}
