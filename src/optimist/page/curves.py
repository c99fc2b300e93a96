"""Packing of curves for the page, as text that encodes compressed 16-bit numbers.

The values of a curve are divided by the largest value of its cell, and rounded to whole steps of
1/65535. The first number of steps, and the difference of each further number from the previous
one, are stored modulo 65536. The high bytes of all numbers come first, then the low bytes.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from optimist.experiments.cell_trials import CellTrials, kept_rounds
from optimist.numerics.statistics import summaries

STEPS = 2**16 - 1
# The key under which a cell contains its curves, by lane.
KEYS = {"regret": "curves", "timing": "times"}


class Drawn(NamedTuple):
    """Curves of a cell in one lane, at about sixty of its rounds.

    ``rounds`` has shape (m,). ``trials``, of shape (n, m), contains the complete trials.
    ``summaries``, of shape (6, m), contains the `optimist.numerics.statistics.SUMMARIES` of these
    trials. A single trial has no interval, so both ends of its interval are set to the mean.
    """

    rounds: np.ndarray
    trials: np.ndarray
    summaries: np.ndarray


def of_cell(cell: CellTrials, level: float, interval: str) -> Drawn | None:
    """Return the curves of a cell, or None if it has no complete trial.

    Parameters
    ----------
    cell : CellTrials
    level, interval : float, str
        See `optimist.numerics.statistics.mean_intervals`.
    """
    rounds, values = cell.complete()
    if not values.size:
        return None
    kept = kept_rounds(rounds)
    values = values[:, np.isin(rounds, kept)]
    found = summaries(values, level, interval)
    return Drawn(kept, values, np.where(np.isnan(found), found[0], found))


def pack(
    cells: Sequence[Mapping[str, Any]], trials: int
) -> tuple[list[dict[str, Any]], list[list[int]], str]:
    """Return the cells with positions in place of curves, the lists of rounds, and packed curves.

    A position has ``grid``, the index of the cell's list of rounds; ``at``, the place of its curves
    among all packed numbers; ``top``, their largest value; and ``count``, the number of curves.
    Values below zero count as zero.

    Parameters
    ----------
    cells : sequence of mapping
        Cells with ``curves`` and ``times`` from `of_cell`.
    trials : int
        Largest number of trials per cell whose own regret curves are kept. For times, only
        summaries are kept.
    """
    packed, grids, numbers, length = [], list[list[int]](), list[np.ndarray](), 0
    for cell in cells:
        placed = dict(cell)
        for key in KEYS.values():
            if key not in cell:
                continue
            drawn: Drawn = cell[key]
            grid, kept = drawn.rounds.tolist(), drawn.trials[: trials if key == "curves" else 0]
            if grid not in grids:
                grids.append(grid)
            steps, top = _steps(np.vstack([kept, drawn.summaries]))
            placed[key] = {"grid": grids.index(grid), "at": length, "top": top, "count": len(steps)}
            numbers.append(np.diff(steps, axis=1, prepend=0).astype(np.uint16).ravel())
            length += steps.size
        packed.append(placed)
    return packed, grids, _as_text(np.concatenate([np.empty(0, np.uint16), *numbers]))


def _steps(curves: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the values of a cell's curves (n, T) as whole steps, and the largest value."""
    values = curves.clip(min=0.0)
    top = float(f"{values.max():.6g}")
    return np.rint(np.minimum(values / (top or 1.0), 1.0) * STEPS).astype(np.int64), top


def _as_text(numbers: np.ndarray) -> str:
    parts = (numbers >> 8).astype(np.uint8), (numbers & 255).astype(np.uint8)
    # Compression level 9 would take four times as long and save only half a percent.
    return base64.b64encode(gzip.compress(np.concatenate(parts).tobytes(), 6, mtime=0)).decode()
