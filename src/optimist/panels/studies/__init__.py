"""Studies: tables that figures and claims of a paper need beside its runs.

A study is a module of this package with

``tabulate(spec, data_dir)``
    which returns its tables, by name, as pandas frames. ``spec`` is plain data: the paper's section
    of the study's name; ``cells``, every setting with every algorithm that the section names; and
    ``limits``, those of the configuration.
``names(paper)``
    which returns the names that its facts may be about, beside settings.
``check(paper)``
    which raises ConfigError if the section asks for what cannot be.

A paper has a study if its configuration has a section of that name. Facts every paper has.
"""

import importlib
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Study:
    """What the workflow needs to know of a study without importing it.

    Attributes
    ----------
    name : str
        Of its module here, and of its section in a paper's configuration.
    tables : dict of str to str
        Its tables, and their file formats: csv or parquet.
    facts : tuple of str
        Those that hold facts: columns name, setting, value.
    timed : bool
        Whether it must have the machine to itself.
    """

    name: str
    tables: dict = field(default_factory=dict)
    facts: tuple = ()
    timed: bool = False

    @property
    def module(self):
        """Dotted name of the module."""
        return f"optimist.panels.studies.{self.name}"

    def load(self):
        """Return the imported module."""
        return importlib.import_module(self.module)


STUDIES = {
    study.name: study
    for study in (
        Study("facts", {"facts": "csv"}, facts=("facts",)),
        Study("regions", {"regions": "parquet", "region_areas": "csv"}, facts=("region_areas",)),
        Study("scaling", {"scaling": "csv"}, timed=True),
        Study("lemmas", {"lemmas": "parquet", "lemma_facts": "csv"}, facts=("lemma_facts",)),
        Study(
            "accuracy", {"accuracy": "parquet", "accuracy_facts": "csv"}, facts=("accuracy_facts",)
        ),
        Study(
            "starvation",
            {"starvation": "parquet", "starvation_facts": "csv"},
            facts=("starvation_facts",),
        ),
    )
}
# Every table of every study with its file format, and those that hold facts.
TABLES = {name: suffix for study in STUDIES.values() for name, suffix in study.tables.items()}
FACTS = tuple(name for study in STUDIES.values() for name in study.facts)


def of_paper(paper):
    """Return the studies that a paper's configuration asks for."""
    return [s for s in STUDIES.values() if s.name == "facts" or s.name in paper]
