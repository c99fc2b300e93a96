"""Curves packed for the page: steps of 16 bits, compressed, as text.

A curve is its values divided by the largest of its cell, in whole steps of 1/65535. The first step
and then the differences, modulo 65536, are stored: first the high bytes of all numbers, then the
low ones.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from optimist.experiments.cell_trials import CellTrials, kept_rounds
from optimist.numerics.statistics import summaries

STEPS = 2**16 - 1
# Keys of a cell's curves, by lane.
KEYS = {"regret": "curves", "timing": "times"}


class Packer:
    """Collector of the curves of cells.

    Attributes
    ----------
    grids : list of list of int
        The different lists of rounds.
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
            Not negative; lower values count as zero.
        rounds : (T,) int array

        Returns
        -------
        dict
            ``grid``, the number of the list of rounds; ``at``, how many numbers come before;
            ``top``, the largest value; ``count``, the number of curves.
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
        # Level 9 takes four times as long, and saves half a percent.
        return base64.b64encode(gzip.compress(np.concatenate(parts).tobytes(), 6, mtime=0)).decode()


def unpacked(text: str) -> bytes:
    """Return the numbers of packed curves, which are the same on all machines, unlike the text."""
    return gzip.decompress(base64.b64decode(text))


class Drawn(NamedTuple):
    """Curves of a cell in a lane at about sixty rounds, (m,).

    ``trials`` (n, m) are the complete trials. ``summaries`` (6, m) are
    `optimist.numerics.statistics.SUMMARIES`. A single trial has no interval, so that both ends are
    its mean.
    """

    rounds: np.ndarray
    trials: np.ndarray
    summaries: np.ndarray


def of_cell(cell: CellTrials, level: float, interval: str) -> Drawn | None:
    """Return the curves of a cell, or None without complete trials.

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
    """Return cells with the places of their curves, the rounds, and the curves as text.

    Parameters
    ----------
    cells : sequence of mapping
        Cells with ``curves`` and ``times`` from `of_cell`.
    trials : int
        The largest number of trials of a cell whose curves of regret are kept singly; of times,
        only the summaries are kept.
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
