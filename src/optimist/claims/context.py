"""Inputs of verdicts and their pages besides tables: plans, costs, and links to figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from optimist.experiments.trials import CellKey


@dataclass(frozen=True)
class Context:
    """Plans and costs of the claims of a paper.

    Attributes
    ----------
    seconds : mapping
        Processor seconds of a trial of each cell.
    figures : mapping
        The panels that show a cell: ``fig1 (a)``.
    lines : mapping
        The line of each claim in its file.
    shortened : str
        The options that shortened the run, empty for a full run.
    """

    seconds: Mapping[CellKey, float] = field(default_factory=dict)
    figures: Mapping[CellKey, Sequence[str]] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    shortened: str = ""

    @classmethod
    def make(cls, about: Mapping[str, Any]) -> Self:
        """Return the context from plain data, see `optimist.plan.targets.PlannedTargets`."""
        cells = {tuple(row[:3]): row[3:] for row in about["cells"]}
        return cls(
            {cell: seconds for cell, (seconds, _) in cells.items() if seconds == seconds},
            {cell: figures for cell, (_, figures) in cells.items()},
            about["lines"],
            about["shortened"],
        )
