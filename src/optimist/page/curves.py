"""Curves packed for the page: steps of 16 bits, compressed, as text.

A curve is its values over the largest of its cell, in whole steps of 1/65535. Stored are the first
and then the differences, modulo 65536: first the high bytes of all numbers, then the low ones.
"""

import base64
import gzip
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

# Summaries of a cell, as of `optimist.runs.trial_table.CellTrials.curves`.
SUMMARIES = ("mean", "low", "high", "lower", "median", "upper")

if TYPE_CHECKING:
    import pandas as pd

STEPS = 2**16 - 1
# What a cell's curves are called, by lane.
KEYS = {"regret": "curves", "timing": "times"}


class Packer:
    """Collects the curves of cells.

    Attributes
    ----------
    grids : list of list of int
        The rounds of curves, each once.
    """

    def __init__(self) -> None:
        self.grids: list[list[int]] = []
        self._numbers: list[np.ndarray] = []
        self._length = 0

    def add(self, curves: Sequence[np.ndarray], rounds: Sequence[int]) -> dict[str, Any]:
        """Add the curves of a cell.

        Parameters
        ----------
        curves : sequence of (T,) arrays
            Not negative; what is less counts as zero.
        rounds : sequence of T int

        Returns
        -------
        dict
            ``grid``, the number of the rounds; ``at``, how many numbers come before; ``top``, the
            largest value; ``count``, the number of curves.
        """
        grid = [int(t) for t in rounds]
        if grid not in self.grids:
            self.grids.append(grid)
        values = np.clip(np.array(curves, float), 0.0, None)
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
        return base64.b64encode(gzip.compress(np.concatenate(parts).tobytes(), 9, mtime=0)).decode()


def unpacked(text: str) -> bytes:
    """Return the numbers of packed curves: compressors differ between machines, these do not."""
    return gzip.decompress(base64.b64decode(text))


def of_cell(found: "pd.DataFrame", value: str) -> tuple[list[int], list[np.ndarray]]:
    """Return the rounds of a cell, and its curves: trials that ended well, and summaries.

    Parameters
    ----------
    found : DataFrame
        Rows of ``curves.parquet`` of one cell and lane.
    value : {"regret", "seconds"}

    Returns
    -------
    (list, list)
        The trials come first, then `SUMMARIES` in order; ends of intervals that are unknown, of a
        single trial, are those of the mean.
    """
    own = found["curve"] == "trial"
    single = found[own].pivot(index="round", columns="trial", values=value).dropna(axis=1)
    summary = found[~own].pivot(index="round", columns="curve", values=value)
    if summary.empty:
        return [], []
    middle = summary["mean"]
    every = [single[name] for name in sorted(single)]
    every += [summary[name].fillna(middle) if name in summary else middle for name in SUMMARIES]
    rounds = [int(t) for t in summary.index]
    return rounds, [curve.reindex(summary.index).to_numpy(float) for curve in every]


def pack(
    cells: Sequence[Mapping[str, Any]], trials: int
) -> tuple[list[dict[str, Any]], list[list[int]], str]:
    """Return cells with the places of their curves, the rounds of these, and them as text.

    Parameters
    ----------
    cells : sequence of mapping
        With ``curves`` and ``times`` as of `of_cell`.
    trials : int
        Of how many trials of a cell, at most, the curves of regret are kept one by one; of times
        the summaries are.
    """
    packer, found = Packer(), []
    for cell in cells:
        placed = dict(cell)
        for key in KEYS.values():
            if key in cell:
                rounds, drawn = cell[key]
                single, summaries = drawn[: -len(SUMMARIES)], drawn[-len(SUMMARIES) :]
                kept = single[:trials] if key == "curves" else []
                placed[key] = packer.add([*kept, *summaries], rounds)
        found.append(placed)
    return found, packer.grids, packer.packed()
