"""Confidence regions in the plane, sampled on a grid (Zhang et al. 2025, later version)."""

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.errors import ConfigError, ResultError
from optimist.runs.cell import Cell, build, make_cell
from optimist.runs.loop import COMPLETE, play

MARGIN = 1.15


def check(paper):
    """Refuse a round beyond the horizon, and a setting or algorithm that there is not."""
    regions = paper["regions"]
    for label in regions["algorithms"]:
        horizon = make_cell(paper, regions["setting"], label).spec["horizon"]
    if regions["round"] > horizon:
        raise ConfigError(f"regions.round is {regions['round']}; allowed: at most {horizon}")


def names(paper):
    """Return what facts are about: algorithms."""
    return set(paper["regions"]["algorithms"])


def tabulate(spec, data_dir):
    """Return the regions of all cells on their grids, and their areas as facts."""
    import pandas as pd

    rounds = min(spec["round"], spec["limits"]["rounds"] or spec["round"])
    found = [confidence_region(Cell(**cell), rounds, spec["resolution"]) for cell in spec["cells"]]
    areas = [("region_area", region["algorithm"][0], area(region)) for region in found]
    return {
        "regions": pd.concat([pd.DataFrame(region) for region in found], ignore_index=True),
        "region_areas": pd.DataFrame(areas, columns=["name", "setting", "value"]),
    }


def confidence_region(cell, rounds, resolution):
    """Return which parameters a cell's confidence set holds after ``rounds`` rounds of trial 0.

    Parameters
    ----------
    cell : Cell
        Of a setting with dimension 2.
    rounds, resolution : int
        ``resolution`` points per axis cover the ball and a margin.

    Returns
    -------
    dict of columns: algorithm, round, x, y, inside, theta_x, theta_y, norm_bound
        One row per grid point.
    """
    environment, problem = build(cell, 0)
    algorithm = make_algorithm(cell.algorithm, problem, cell.stream(0, cell.algorithm))
    status = play(environment, algorithm, [rounds]).status
    if status not in COMPLETE:
        raise ResultError(f"region of {cell.name}: the trial ended with status {status!r}")
    axis = np.linspace(-MARGIN, MARGIN, resolution) * problem.norm_bound
    x, y = (grid.ravel() for grid in np.meshgrid(axis, axis))
    return {
        "algorithm": np.full(len(x), cell.algorithm),
        "round": np.full(len(x), rounds),
        "x": x,
        "y": y,
        "inside": algorithm.contains(np.column_stack([x, y])),
        "theta_x": np.full(len(x), environment.theta[0]),
        "theta_y": np.full(len(x), environment.theta[1]),
        "norm_bound": np.full(len(x), problem.norm_bound),
    }


def area(region):
    """Return the area of a region within the ball, from its grid."""
    x, y, S = region["x"], region["y"], region["norm_bound"][0]
    cell_area = (np.unique(x)[1] - np.unique(x)[0]) ** 2
    return float(cell_area * (region["inside"] & (np.hypot(x, y) <= S)).sum())
