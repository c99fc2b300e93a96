"""What verdicts and their pages know beside tables: plans, costs, and where things are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from optimist.experiments.trials import CellKey


@dataclass(frozen=True)
class Context:
    """What the workflow knows of the claims of a paper.

    Attributes
    ----------
    paper : str
    seconds : mapping
        Processor seconds of a trial of each cell.
    figures : mapping
        The panels that show a cell: ``fig1 (a)``.
    lines : mapping
        The line of each claim in its file.
    shortened : str
        By what the run was made shorter than the papers', empty for a full one.
    """

    paper: str = ""
    seconds: Mapping[CellKey, float] = field(default_factory=dict)
    figures: Mapping[CellKey, Sequence[str]] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    shortened: str = ""

    @classmethod
    def make(cls, paper: str, known: Mapping[str, Any]) -> Self:
        """Return the context from plain data, see `optimist.plan.claims.PlannedClaims.context`."""
        cells = {tuple(row[:3]): row[3:] for row in known["cells"]}
        return cls(
            paper,
            {cell: seconds for cell, (seconds, _) in cells.items() if seconds == seconds},
            {cell: figures for cell, (_, figures) in cells.items()},
            known["lines"],
            known["shortened"],
        )
