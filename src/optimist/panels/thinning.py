"""Curves thinned to what a picture shows: fewer rows in a figure's table, and the same drawing.

A curve is recorded in some 300 rounds. On the page its panel is some 240 pixels high, and most of
its marks lie where a straight line between their neighbours passes anyway. Such a mark is left out
if the line and both ends of its band, on the scales of the panel, stay within a quarter of a pixel
of where they were.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from optimist.panels.base import Panel

# How far a curve may move, as a share of what all curves of the panel cover.
TOLERANCE = 1.0 / 1000.0
# Marks of a curve that stay in any case, evenly spaced, so that markers find their places.
FIXED = 24
HEIGHTS = ["y", "low", "high"]


def thin(
    panel: "Panel", pieces: "Sequence[pd.DataFrame]", names: Mapping[str, str]
) -> "list[pd.DataFrame]":
    """Return pieces of a panel's rows with its curves thinned.

    Parameters
    ----------
    panel : Panel
        Whose pieces of the roles `Panel.curves` are a curve each, x increasing.
    pieces : list of DataFrame
        See `optimist.panels.rows.rows`.
    names : mapping
        Display names of the paper's algorithms.
    """
    curves = {i: p for i, p in enumerate(pieces) if len(p) and p["role"].iloc[0] in panel.curves}
    if not curves:
        return list(pieces)
    axes = panel.labelled(names)
    values = np.concatenate([curve[HEIGHTS].to_numpy(float) for curve in curves.values()])
    known = np.where(np.isfinite(values), values, np.nan)
    heights = _heights(np.maximum(known, 0.0 if panel.not_negative else -np.inf), axes.scale)
    covered = heights[np.isfinite(heights)]
    tolerance = TOLERANCE * np.ptp(covered) if len(covered) else 0.0
    ends = np.cumsum([len(curve) for curve in curves.values()])[:-1]
    thinned = list(pieces)
    for (i, curve), own in zip(curves.items(), np.split(heights, ends), strict=True):
        x = _placed(curve["x"].to_numpy(float), axes.x_scale)
        thinned[i] = curve[_kept(x, own, _fixed(curve, own), tolerance)]
    return thinned


def _heights(values: np.ndarray, scale: str) -> np.ndarray:
    """Return where heights, (n, 3) with y first, lie on the panel's axis.

    As `optimist.panels.figure` has it, near zero a logarithmic axis is linear.
    """
    if scale == "log" and (values[:, 0] <= 0.0).any():
        return _placed(values, "symlog")
    if scale == "log" and (values <= 0.0).any():
        # The end of a band that is not positive is below the panel, wherever it is.
        values = np.where(values <= 0.0, values[values > 0.0].min(), values)
    return _placed(values, scale)


def _placed(values: np.ndarray, scale: str) -> np.ndarray:
    """Return where values lie on an axis."""
    from matplotlib.scale import LogTransform, SymmetricalLogTransform

    of_scale = {"log": LogTransform(10), "symlog": SymmetricalLogTransform(10, 1.0, 1.0)}
    return of_scale[scale].transform_non_affine(values) if scale in of_scale else values


def _kept(x: np.ndarray, heights: np.ndarray, fixed: set[int], tolerance: float) -> np.ndarray:
    """Return which marks of a curve stay, as a boolean array.

    Between two marks that stay, the one farthest from the line through them stays too, unless none
    is farther than the tolerance (Douglas and Peucker 1973).
    """
    heights = heights[:, np.isfinite(heights).any(axis=0)]
    keep = np.zeros(len(x), bool)
    keep[[*fixed]] = True
    between = list(pairwise(sorted(fixed)))
    while between:
        first, last = between.pop()
        inner = slice(first + 1, last)
        share = (x[inner] - x[first]) / (x[last] - x[first])
        line = heights[first] + share[:, None] * (heights[last] - heights[first])
        off = np.abs(heights[inner] - line).max(axis=1, initial=0.0)
        if off.max(initial=0.0) > tolerance:
            middle = first + 1 + int(np.argmax(off))
            keep[middle] = True
            between += [(first, middle), (middle, last)]
    return keep


def _fixed(curve: "pd.DataFrame", heights: np.ndarray) -> set[int]:
    """Return the marks that stay in any case: some evenly spaced, and those beside a break.

    Breaks are where a height is unknown, or the number of trials changes.
    """
    count = len(curve)
    even = np.linspace(0, count - 1, min(count, FIXED)).astype(int)
    heights = heights[:, np.isfinite(heights).any(axis=0)]
    gaps = np.flatnonzero(~np.isfinite(heights).all(axis=1))
    changes = np.flatnonzero(np.diff(curve["n"].fillna(0.0)))
    beside = np.concatenate([gaps - 1, gaps, gaps + 1, changes, changes + 1])
    return {*even.tolist(), *beside[(beside >= 0) & (beside < count)].tolist()}
