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


class Packer:
    """Collector that packs the curves of all cells.

    Attributes
    ----------
    grids : list of list of int
        The distinct lists of rounds.
    """

    def __init__(self) -> None:
        self.grids: list[list[int]] = []
        self._numbers: list[np.ndarray] = []
        self._length = 0

    def add(self, curves: np.ndarray, rounds: np.ndarray) -> dict[str, Any]:
        """Add the curves of a cell.

        Parameters
        ----------
        curves : (n, T) array
            Values of the curves; negative values count as zero.
        rounds : (T,) int array

        Returns
        -------
        dict
            ``grid``, the index of the list of rounds in ``grids``; ``at``, the position of these
            curves among all packed numbers; ``top``, the largest value; ``count``, the number of
            curves.
        """
        grid = rounds.tolist()
        if grid not in self.grids:
            self.grids.append(grid)
        values = curves.clip(min=0.0)
        top = float(f"{values.max():.6g}") if values.size else 0.0
        steps = np.rint(np.minimum(values / (top or 1.0), 1.0) * STEPS).astype(np.int64)
        about = {"grid": self.grids.index(grid), "at": self._length, "top": top}
        self._numbers.append(np.diff(steps, axis=1, prepend=0).astype(np.uint16).ravel())
        self._length += steps.size
        return {**about, "count": len(steps)}

    def packed(self) -> str:
        """Return all curves as text."""
        numbers = np.concatenate(self._numbers) if self._numbers else np.empty(0, np.uint16)
        parts = (numbers >> 8).astype(np.uint8), (numbers & 255).astype(np.uint8)
        # Compression level 9 would take four times as long and save only half a percent.
        return base64.b64encode(gzip.compress(np.concatenate(parts).tobytes(), 6, mtime=0)).decode()


def unpacked(text: str) -> bytes:
    """Return the bytes of packed curves, which, unlike the text, are the same on all machines."""
    return gzip.decompress(base64.b64decode(text))


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

    Parameters
    ----------
    cells : sequence of mapping
        Cells with ``curves`` and ``times`` from `of_cell`.
    trials : int
        Largest number of trials per cell whose own regret curves are kept. For times, only
        summaries are kept.
    """
    packer, packed = Packer(), []
    for cell in cells:
        placed = dict(cell)
        for key in KEYS.values():
            if key in cell:
                drawn: Drawn = cell[key]
                kept = drawn.trials[: trials if key == "curves" else 0]
                placed[key] = packer.add(np.vstack([kept, drawn.summaries]), drawn.rounds)
        packed.append(placed)
    return packed, packer.grids, packer.packed()
