"""Confidence regions in the plane, sampled on a grid.

They follow the later version of the paper, Zhang et al. (2025).
"""

import math
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from annotated_types import Ge

from optimist.algorithms import make_algorithm
from optimist.core.errors import ConfigError, known_name
from optimist.core.keys import Count, Keys, Texts
from optimist.experiments.cell import Cell
from optimist.experiments.loop import COMPLETE, rounds_of
from optimist.experiments.paper import Paper
from optimist.experiments.play_trial import build, isolated_if_foreign
from optimist.figures import artists as drawing
from optimist.figures.base import Axes, Labels, Panel
from optimist.figures.rows import Tables, missing, rows
from optimist.figures.studies.base import Cells, Study, fact_table, section_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

MARGIN = 1.15
COLUMNS = (
    *("algorithm", "round", "status", "x", "y", "inside"),
    *("theta_x", "theta_y", "norm_bound"),
)


class Regions(Study):
    """Confidence regions in the plane after a given round of one trial."""

    name = "regions"

    class Section(Keys):
        setting: str  #: Label of a setting with dimension 2.
        algorithms: Texts  #: Labels of algorithms.
        round: Count  #: Round after which to compute the regions.
        resolution: Annotated[int, Ge(2)]  #: Grid points per axis.

    tables: ClassVar = {"regions": "parquet", "region_areas": "csv"}
    facts = ("region_areas",)

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for a round beyond the horizon, or an unknown setting or algorithm."""
        for cell in self.cells(paper, ()):
            horizon = cell.setting.horizon
            if self.section["round"] > horizon:
                raise ConfigError(
                    f"regions.round is {self.section['round']}; allowed: at most the "
                    f"horizon, {horizon}"
                )

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the region of each cell, sampled on a grid, and its area as a fact."""
        import pandas as pd

        rounds = min(self.section["round"], self.caps["rounds"] or self.section["round"])
        more = rounds, self.section["resolution"], self.data_dir
        parts = [
            isolated_if_foreign(cell, partial(confidence_region, cell, *more)) for cell in cells
        ]
        areas = [
            ("region_area", str(cell.algorithm), area(region))
            for cell, region in zip(cells, parts, strict=True)
            if region["status"].isin(COMPLETE).all()
        ]
        return {
            "regions": pd.concat(parts, ignore_index=True),
            "region_areas": fact_table(areas, trials=1),
        }


def confidence_region(
    cell: Cell, rounds: int, resolution: int, data_dir: str | Path | None = None
) -> "pd.DataFrame":
    """Sample a cell's confidence set after ``rounds`` rounds on a grid of parameters.

    Parameters
    ----------
    cell : Cell
        A cell of a setting with dimension 2.
    rounds : int
        Number of rounds of trial 0 to play.
    resolution : int
        Number of grid points per axis. The grid covers the ball and a margin around it.

    Returns
    -------
    DataFrame with columns `COLUMNS`
        One row per grid point, or a single row without coordinates if the trial failed.
    """
    import pandas as pd

    environment, problem = build(cell, 0, data_dir)
    algorithm = make_algorithm(cell.algorithm, problem, cell.algorithm_stream(0))
    status = rounds_of(environment, algorithm).run([rounds]).status
    about = {"algorithm": str(cell.algorithm), "round": rounds, "status": status}
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
    """Return the area of a region within the ball, estimated from the grid."""
    x, y, S = (region[name].to_numpy() for name in ("x", "y", "norm_bound"))
    cell_area = (np.unique(x)[1] - np.unique(x)[0]) ** 2
    return float(cell_area * (region["inside"] & (np.hypot(x, y) <= S)).sum())


class RegionsPanel(Panel):
    """Outlines of confidence regions within the ball of parameters, with the true parameter.

    The column ``piece`` numbers the outlines of a region. The row with the role ``truth`` is the
    true parameter. In the row with the role ``ball``, x is the radius of the ball.
    """

    algorithms: Labels  #: Labels of algorithms, in the order of the legend.

    tables = ("facts", "regions", "region_areas")
    axes = Axes(r"$\theta_1$", r"$\theta_2$")
    roles = ("truth", "ball")
    columns = ("piece",)

    def check(self, paper: Paper) -> None:
        """Raise ConfigError for an algorithm whose region the study does not compute."""
        computed = section_of("regions", paper)["algorithms"]
        for label in self.algorithms:
            known_name("algorithm of regions", label, computed)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the outlines and the area of each region, the true parameter and the ball."""
        regions, facts = tables.frame("regions", COLUMNS), tables.frame("facts")
        for algorithm in self.algorithms:
            grid = regions[regions["algorithm"] == algorithm]
            ended = grid["status"].iloc[0] if len(grid) else ""
            if grid.empty:
                yield missing(algorithm)
            elif ended not in COMPLETE:
                yield rows("note", series=algorithm, note=f"incomplete: {ended}")
            else:
                yield from _outlined(algorithm, grid)
            is_own = (facts["name"] == "region_area") & (facts["setting"] == algorithm)
            for area in facts[is_own]["value"]:
                yield rows("remark", series=algorithm, note=f"area {area:.3g}")
        for truth in regions[regions["status"].isin(COMPLETE)].iloc[:1].itertuples():
            yield rows("truth", x=truth.theta_x, y=truth.theta_y, note=r"$\theta_*$")
            ball = rf"$\|\theta\| = S = {truth.norm_bound:g}$"
            yield rows("ball", x=truth.norm_bound, note=f"{ball}, round {truth.round}")

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Fill the regions, starting with the largest, and draw the true parameter and the ball."""
        for series, region in sorted(drawing.by_series(artists), key=lambda one: -_extent(one[1])):
            for _, outline in region.groupby("piece"):
                canvas.fill(outline["x"], outline["y"], **style.patch(series))
        # Give both axes the same scale by changing their limits. Changing the shape of the box
        # would cut off the text below it.
        canvas.set_aspect("equal", adjustable="datalim")
        canvas.grid(visible=False)
        for artist in drawing.of_role(artists, "truth").itertuples():
            drawing.star(canvas, artist.x, artist.y, artist.note)
        for artist in drawing.of_role(artists, "ball").itertuples():
            angle = np.linspace(0, 2 * np.pi, 361)
            keywords = style.reference(artist.note)
            canvas.plot(artist.x * np.cos(angle), artist.x * np.sin(angle), **keywords)

    def handle(self, label: str, series: str, style: "Style", joined: bool) -> Any:
        """Return the legend entry of a region: a filled patch."""
        from matplotlib.patches import Patch

        return Patch(label=label, **style.patch(series))


def _outlined(algorithm: str, grid: "pd.DataFrame") -> "Iterator[pd.DataFrame]":
    """Yield the outlines of a region within the ball; the legend states the area of this part."""
    in_ball = np.hypot(grid["x"], grid["y"]) <= grid["norm_bound"]
    grid = grid.assign(inside=grid["inside"] & in_ball)
    for piece, outline in enumerate(outlines(grid)):
        yield rows("data", series=algorithm, x=outline[:, 0], y=outline[:, 1], piece=piece)


def outlines(grid: "pd.DataFrame") -> list[np.ndarray]:
    """Return a region's outlines as arrays of shape (n, 2), closed along the edge of the grid."""
    from contourpy import contour_generator

    inside = grid.pivot(index="y", columns="x", values="inside")
    x, y = (np.pad(axis.to_numpy(float), 1, "edge") for axis in (inside.columns, inside.index))
    contours = contour_generator(x, y, np.pad(inside.to_numpy(float), 1))
    return list(contours.lines(0.5))


def _extent(outline: "pd.DataFrame") -> float:
    return float(np.ptp(outline["x"]) * np.ptp(outline["y"]))
