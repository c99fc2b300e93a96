"""Confidence regions in the plane, sampled on a grid (Zhang et al. 2025, later version)."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.errors import ConfigError
from optimist.panels.studies.base import COUNT, NAMES, Study, fact_table, section_schema
from optimist.runs.cell import Cell, build, make_cell
from optimist.runs.loop import COMPLETE, play

if TYPE_CHECKING:
    import pandas as pd

MARGIN = 1.15
COLUMNS = (
    *("algorithm", "round", "status", "x", "y", "inside"),
    *("theta_x", "theta_y", "norm_bound"),
)


class Regions(Study):
    """Confidence regions of several algorithms in one setting of dimension 2."""

    name = "regions"
    schema = section_schema(
        "Confidence regions in the plane, drawn from one trial.",
        setting={"type": "string"},
        algorithms=NAMES,
        round=COUNT,
        resolution={"description": "Grid points per axis.", "type": "integer", "minimum": 2},
    )
    tables: ClassVar = {"regions": "parquet", "region_areas": "csv"}
    facts = ("region_areas",)

    def check(self, paper: dict[str, Any]) -> None:
        """Refuse a round beyond the horizon, an unknown setting and unknown algorithms."""
        for cell in self.cells(paper, ()):
            horizon = cell.spec["horizon"]
            if self.section["round"] > horizon:
                raise ConfigError(
                    f"regions.round is {self.section['round']}; allowed: at most {horizon}"
                )

    def about(self) -> set[str]:
        """Return its algorithms."""
        return set(self.section["algorithms"])

    def cells(self, paper: dict[str, Any], run: Sequence[Cell]) -> list[Cell]:
        """Return the setting with every algorithm."""
        setting = self.section["setting"]
        return [make_cell(paper, setting, label) for label in self.section["algorithms"]]

    def tabulate(
        self, cells: Sequence[Cell], caps: Mapping[str, Any], data_dir: str | Path | None
    ) -> "dict[str, pd.DataFrame]":
        """Return the regions of all cells on their grids, and their areas as facts."""
        import pandas as pd

        rounds = min(self.section["round"], caps["rounds"] or self.section["round"])
        resolution = self.section["resolution"]
        found = [confidence_region(cell, rounds, resolution, data_dir) for cell in cells]
        areas = [
            ("region_area", cell.algorithm, area(region))
            for cell, region in zip(cells, found, strict=True)
            if region["status"].isin(COMPLETE).all()
        ]
        return {
            "regions": pd.concat(found, ignore_index=True),
            "region_areas": fact_table(areas),
        }


def confidence_region(
    cell: Cell, rounds: int, resolution: int, data_dir: str | Path | None = None
) -> "pd.DataFrame":
    """Return which parameters a cell's confidence set holds after ``rounds`` rounds of trial 0.

    Parameters
    ----------
    cell : Cell
        Of a setting with dimension 2.
    rounds, resolution : int
        ``resolution`` points per axis cover the ball and a margin.

    Returns
    -------
    DataFrame with columns `COLUMNS`
        One row per grid point; one row without a place if the trial did not end well.
    """
    import pandas as pd

    environment, problem = build(cell, 0, data_dir)
    algorithm = make_algorithm(cell.algorithm, problem, cell.luck(0, cell.algorithm))
    status = play(environment, algorithm, [rounds]).status
    about = {"algorithm": cell.algorithm, "round": rounds, "status": status}
    if status not in COMPLETE:
        return pd.DataFrame([{**dict.fromkeys(COLUMNS, math.nan), **about, "inside": False}])
    axis = np.linspace(-MARGIN, MARGIN, resolution) * problem.norm_bound
    x, y = (grid.ravel() for grid in np.meshgrid(axis, axis))
    inside = algorithm.contains(np.column_stack([x, y]))
    theta_x, theta_y = environment.theta
    truth = {"theta_x": theta_x, "theta_y": theta_y, "norm_bound": problem.norm_bound}
    grid = pd.DataFrame({"x": x, "y": y, "inside": inside})
    return grid.assign(**about, **truth)[list(COLUMNS)]


def area(region: "pd.DataFrame") -> float:
    """Return the area of a region within the ball, from its grid."""
    x, y, S = (region[name].to_numpy() for name in ("x", "y", "norm_bound"))
    cell_area = (np.unique(x)[1] - np.unique(x)[0]) ** 2
    return float(cell_area * (region["inside"] & (np.hypot(x, y) <= S)).sum())
