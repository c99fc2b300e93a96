"""Packing of the page's curves into text that encodes compressed 16-bit numbers.

The values of a curve are divided by the largest value of its cell, multiplied by 65535 and rounded
to integers. The first integer of each curve, and the differences between consecutive integers, are
stored modulo 65536. The high bytes of all stored numbers precede their low bytes.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from optimist.experiments.cell_trials import CellTrials, kept_rounds
from optimist.numerics.statistics import summaries

STEPS = 2**16 - 1
# Key under which a cell contains its curves, by lane.
KEYS = {"regret": "curves", "timing": "times"}


class Drawn(NamedTuple):
    """Curves of a cell in one lane, at about sixty of its rounds.

    ``rounds`` is an array of shape (m,) that contains these rounds. ``trials`` has shape (n, m),
    with one row for each complete trial. ``summaries`` has shape (6, m), with one row for each of
    the `optimist.numerics.statistics.SUMMARIES` of these trials. A single trial has no interval, so
    both ends of the interval are set to the mean.
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
    curves = summaries(values, level, interval)
    return Drawn(kept, values, np.where(np.isnan(curves), curves[0], curves))


def pack(
    cells: Sequence[Mapping[str, Any]], trials: int
) -> tuple[list[dict[str, Any]], list[list[int]], str]:
    """Pack the curves of cells into one text, with negative values replaced by zero.

    Parameters
    ----------
    cells : sequence of mapping
        Cells with ``curves`` and ``times`` from `of_cell`.
    trials : int
        Maximum number of trials per cell whose regret curves are kept in addition to the summaries.
        For times, only the summaries are kept.

    Returns
    -------
    list of dict
        The cells. Their curves are replaced by mappings with ``grid``, the index of the cell's list
        of rounds; ``at``, the index of the first packed number; ``top``, the largest value; and
        ``count``, the number of curves.
    list of list of int
        The lists of rounds.
    str
        The packed curves.
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
    """Convert curves, an array of shape (n, T), to integers; also return their largest value."""
    values = curves.clip(min=0.0)
    top = float(f"{values.max():.6g}")
    return np.rint(np.minimum(values / (top or 1.0), 1.0) * STEPS).astype(np.int64), top


def _as_text(numbers: np.ndarray) -> str:
    parts = (numbers >> 8).astype(np.uint8), (numbers & 255).astype(np.uint8)
    # Compression level 9 would take four times as long and save only half a percent.
    return base64.b64encode(gzip.compress(np.concatenate(parts).tobytes(), 6, mtime=0)).decode()
