"""The inputs of verdicts and their pages, except tables: costs, and references to figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from optimist.experiments.trials import CellKey


@dataclass(frozen=True)
class Context:
    """Costs, figures and line numbers for the claims of a paper.

    Attributes
    ----------
    seconds : mapping
        Processor seconds that a trial of each cell takes.
    figures : mapping
        The panels that show each cell, such as ``fig1 (a)``.
    lines : mapping
        The line number of each claim in its file.
    shortened : str
        The options that shortened the run; empty for a full run.
    """

    seconds: Mapping[CellKey, float] = field(default_factory=dict)
    figures: Mapping[CellKey, Sequence[str]] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    shortened: str = ""

    @classmethod
    def make(cls, about: Mapping[str, Any]) -> Self:
        """Construct the context from plain data, see `optimist.plan.targets.PlannedTargets`."""
        cells = {tuple(row[:3]): row[3:] for row in about["cells"]}
        return cls(
            {cell: seconds for cell, (seconds, _) in cells.items() if seconds == seconds},
            {cell: figures for cell, (_, figures) in cells.items()},
            about["lines"],
            about["shortened"],
        )
