"""What verdicts and their pages know beside tables: plans, costs, and where things are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

CellKey = tuple[str, str, str]  # lane, setting, algorithm


@dataclass(frozen=True)
class Context:
    """What the workflow knows of the claims of a paper.

    Attributes
    ----------
    paper : str
    trials : mapping
        How many trials each cell was planned to have, by lane, setting and algorithm.
    seconds : mapping
        Processor seconds of a trial of each cell.
    figures : mapping
        The panels that show a cell: ``fig1 (a)``.
    enlarged : frozenset of str
        Claims for which more trials were run.
    lines : mapping
        The line of each claim in its file.
    shortened : str
        By what the run was made shorter than the papers', empty for a full one.
    """

    paper: str = ""
    trials: Mapping[CellKey, int] = field(default_factory=dict)
    seconds: Mapping[CellKey, float] = field(default_factory=dict)
    figures: Mapping[CellKey, Sequence[str]] = field(default_factory=dict)
    enlarged: frozenset[str] = frozenset()
    lines: Mapping[str, int] = field(default_factory=dict)
    shortened: str = ""

    @classmethod
    def make(cls, paper: str, known: Mapping[str, Any]) -> Self:
        """Return the context from plain data, see `optimist.plan.claims.PlannedClaims.context`."""
        cells = {tuple(row[:3]): row[3:] for row in known["cells"]}
        return cls(
            paper,
            {cell: trials for cell, (trials, _, _) in cells.items()},
            {cell: seconds for cell, (_, seconds, _) in cells.items() if seconds == seconds},
            {cell: figures for cell, (_, _, figures) in cells.items()},
            frozenset(known["enlarged"]),
            known["lines"],
            known["shortened"],
        )
