"""Base class of studies' tables: all facts of the study."""

from collections.abc import Iterator
from typing import Any, ClassVar

from optimist.figures.rows import Tables
from optimist.figures.tables.base import Table


class StudyFacts(Table):
    """All facts whose names begin with the study's name, one row per subject.

    Attributes
    ----------
    prefix : str
        The name of the study.
    """

    prefix: ClassVar[str]

    def rows(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield the facts of each setting."""
        facts = tables.frame("facts")
        facts = facts[facts["name"].astype(str).str.startswith(f"{self.prefix}_")]
        for setting, found in facts.groupby("setting", sort=False):
            names = found["name"].str.removeprefix(f"{self.prefix}_")
            yield {"setting": setting, **dict(zip(names, found["value"], strict=True))}
