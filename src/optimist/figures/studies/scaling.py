"""Cost of the two parts of a GLB-OMD update in different dimensions, timed in random order."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from annotated_types import MinLen

from optimist.algorithms.glb.glb_omd import GLBOMD
from optimist.core.errors import ConfigError
from optimist.core.keys import Count, Keys
from optimist.environments.problems.glb import GLBProblem
from optimist.experiments.paper import Paper
from optimist.figures import artists as drawing
from optimist.figures.base import Axes, Named, Panel
from optimist.figures.rows import TABLE_LEVEL, Tables, missing, rounded, rows
from optimist.figures.studies.base import Cells, Study, in_turns, section_of
from optimist.numerics.ball import project
from optimist.numerics.links import Logistic
from optimist.numerics.seeding import stream
from optimist.numerics.statistics import last_decade_slope

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.style import Style

NORM_BOUND = 3.0


class Scaling(Study):
    """Cost of one GLB-OMD update in different dimensions."""

    name = "scaling"

    class Section(Keys):
        dimensions: list[Count]  #: Dimensions d in which to time updates.
        turns: Count  #: Number of turns; in each, one update is timed per dimension.

    tables: ClassVar = {"scaling": "csv"}
    timed = True

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the paper's method is not GLB-OMD."""
        if paper.method != "glb_omd":
            raise ConfigError(
                "the study scaling times updates of glb_omd; allowed: papers whose method is "
                "glb_omd"
            )

    def tabulate(self, cells: Cells) -> "dict[str, pd.DataFrame]":
        """Return the time of each part, in seconds, for each dimension and turn."""
        import pandas as pd

        updates = [Update(dimension) for dimension in self.section["dimensions"]]
        rows = [
            (update.dimension, part, turn, seconds)
            for turn, update in in_turns("scaling", updates, self.section["turns"])
            for part, seconds in update.measure().items()
            if turn >= 0
        ]
        columns = ["dimension", "part", "repetition", "seconds"]
        return {"scaling": pd.DataFrame(rows, columns=columns)}


class Update:
    """An instance of GLB-OMD in a given dimension, whose updates are timed one by one.

    Parameters
    ----------
    dimension : int
    """

    def __init__(self, dimension: int) -> None:
        self._rng = stream("scaling", dimension)
        self.dimension = dimension
        self._algorithm = GLBOMD(
            GLBProblem(
                link=Logistic(),
                dimension=dimension,
                norm_bound=NORM_BOUND,
                kappa=22.0,
                horizon=10**6,
            )
        )

    def measure(self) -> dict[str, float]:
        """Return the times of the rank-one part and the projection, in seconds.

        The rank-one part is an update that leaves the estimate inside the ball. The projection, in
        the norm defined by these updates, moves a point whose norm is twice the radius onto the
        ball.
        """
        algorithm = self._algorithm
        arm = self._rng.standard_normal((1, self.dimension))
        arm /= np.linalg.norm(arm)
        start = time.perf_counter()
        algorithm.update(arm, 0, 1.0)
        middle = time.perf_counter()
        project(algorithm.H, 2.0 * NORM_BOUND * arm[0], NORM_BOUND)
        end = time.perf_counter()
        if algorithm.projections:
            raise RuntimeError("the estimate left the ball in the rank-one part of an update")
        return {"rank_one": middle - start, "projection": end - middle}


class Cost(Named):
    part: Literal["projection", "rank_one"]  #: Part of an update to show.


class ScalingPanel(Panel):
    """Time of each part of an update against the dimension, with the log-log slope."""

    series: Annotated[list[Cost], MinLen(1)]  #: Parts to compare.

    tables = ("scaling",)
    axes = Axes("dimension d", "seconds per update", "log", "log")

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the paper does not have the study."""
        section_of("scaling", paper)

    def rows(self, tables: Tables) -> "Iterator[pd.DataFrame]":
        """Yield the median times of each part, and the slope in the last decade of dimensions."""
        scaling = tables.frame("scaling", ("dimension", "part", "seconds"))
        medians = scaling.groupby(["part", "dimension"])["seconds"].median().reset_index()
        for series in self.series:
            part = medians[medians["part"] == series["part"]]
            x, y = part["dimension"].to_numpy(float), part["seconds"].to_numpy(float)
            if not len(x):
                yield missing(series["label"])
            yield rows("data", series=series["label"], x=x, y=y)
            slope, low, high = rounded(last_decade_slope(x, y, TABLE_LEVEL))
            if np.isfinite(slope):
                text = f"slope {slope:.2f} [{low:.2f}, {high:.2f}]"
                yield rows("remark", series=series["label"], note=text)

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        drawing.lines(canvas, artists, style)
