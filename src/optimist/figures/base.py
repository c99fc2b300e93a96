"""Base class of panels; a subclass defines the keys, inputs, rows, axes and drawing of one kind.

The fields of a panel are the keys of its entry in the configuration.

An artist is anything that a figure draws or states, such as a point of a curve or a note. The
``rows`` method of a kind computes all artists, one row per artist; the ``draw`` method only draws
them. A kind may declare further columns, but every row has the following ones:

``role``            ``data``; ``note`` (on a cell that is missing, incomplete or unconverged);
                    ``remark`` and ``footnote`` (text about a series); ``line``, ``phase``,
                    ``slope`` and ``point`` (references: a horizontal, a vertical and an oblique
                    line, and a star); or a role that the kind defines
``setting``         name of the setting, if the artist belongs to one
``series``          label of an algorithm, or name of whatever else the panel compares
``x y low high n``  position, lower and upper ends of the band or whisker, number of trials
``note``            text of a note, remark, footnote or reference

Statistics use complete trials only, including unconverged ones. Notes mention both incomplete and
unconverged trials.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, dataclass_transform

import numpy as np
from annotated_types import MinLen

from optimist.core.keys import Keys, Once, Positive
from optimist.experiments.paper import Paper
from optimist.figures import artists as drawing
from optimist.figures.rows import rows

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes as Canvas

    from optimist.figures.rows import Tables
    from optimist.figures.style import Style

# Minimum number of trials needed to give a mean an interval. With two trials, the interval would be
# useless: the 97.5 % quantile of Student's t is 12.7.
LEAST_TRIALS = 3

# Columns of every row; columns of real numbers; columns of whole numbers.
COLUMNS = ("panel", "role", "setting", "series", "x", "y", "low", "high", "n", "note")
NUMBERS = ("x", "y", "low", "high")
COUNTS = ("n", "time_n")

# Name of the table that contains the trials of each lane.
OF_LANE = {"regret": "finals", "timing": "times"}

Scale = Literal["linear", "log", "symlog"]
Labels = Annotated[list[str], MinLen(1), Once]


class Named(Keys):
    label: str  #: Name to show in the figure.


class Line(Named):
    y: float  #: Position on the y axis.


class Point(Named):
    x: float  #: Position on the x axis.
    y: float  #: Position on the y axis.


class Multiple(Named):
    series: str  #: Label of the series.
    factor: Positive  #: Factor by which to multiply the last value of the series.


class Slope(Named):
    series: str  #: Label of the series.
    power: float  #: Exponent of x.


@dataclass(frozen=True)
class Axes:
    """Labels and scales of a panel's axes."""

    xlabel: str
    ylabel: str
    x_scale: str = "linear"
    scale: str = "linear"


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Part:
    """Base class of panels and tables.

    Every subclass is a frozen dataclass. Its fields are the keys of an entry in the configuration,
    which is checked beforehand; see `optimist.config.validation.entry_of`. A field cannot have the
    name of an attribute of a base class, which would become its default. A subclass also defines
    the results to read.

    Attributes
    ----------
    lanes : tuple of str
        Lanes from which to read the results of cells.
    tables : tuple of str
        Names of the study tables to read.
    """

    lanes: ClassVar[tuple[str, ...]] = ()
    tables: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    @property
    def rounds_read(self) -> list[int]:
        """Rounds whose values are read individually; the table of trials must contain them."""
        return []

    @property
    def cells(self) -> list[tuple[str, str]] | None:
        """Setting and algorithm of each cell to read; None means all cells of the group."""
        return []

    def check(self, paper: Paper) -> None:
        """Raise ConfigError if the entry does not fit the paper's configuration.

        Whether the paper runs the cells is checked elsewhere.
        """


class Panel(Part, ABC):
    """Base class of the panels of a figure.

    Attributes
    ----------
    axes : Axes
        Default labels and scales, which the entry can replace; see `labelled`.
    roles : tuple of str
        Roles that occur only in rows of this kind.
    columns : tuple of str
        Columns that rows have in addition to the common columns.
    words : str
        Text that explains bands and whiskers in the legend. It may contain the placeholders
        ``{band}``, ``{interval}`` (the paper's interval of a mean), ``{level}``, ``{n}`` and
        ``{time_n}``.
    of_means : bool
        Whether bands and whiskers are intervals of means.
    curves : bool
        Whether the data are curves. If so, a logarithmic y axis may cut off their first rounds.
    joined : bool
        Whether a line joins the artists of a series.
    not_negative : bool
        Whether y is never negative. If so, intervals are cut off at 0, and a linear axis starts
        near 0.
    """

    kind: str  #: Kind of the panel; see below.
    title: str = ""  #: Title of the panel.
    xlabel: str | None = None  #: Label of the x axis.
    ylabel: str | None = None  #: Label of the y axis.
    x_scale: Scale | None = None  #: Scale of the x axis.
    scale: Scale | None = None  #: Scale of the y axis; symlog is linear below 1.
    lines: Annotated[list[Line], MinLen(1)] | None = None  #: Horizontal reference lines.
    #: Reference points, such as numbers quoted by the paper.
    points: Annotated[list[Point], MinLen(1)] | None = None
    #: Horizontal lines at multiples of the last value of a series.
    multiples: Annotated[list[Multiple], MinLen(1)] | None = None
    #: Lines proportional to a power of x that end at the last point of a series.
    slopes: Annotated[list[Slope], MinLen(1)] | None = None

    axes: ClassVar[Axes]
    roles: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[str, ...]] = ()
    words: ClassVar[str] = ""
    of_means: ClassVar[bool] = False
    curves: ClassVar[bool] = False
    joined: ClassVar[bool] = True
    not_negative: ClassVar[bool] = False

    @property
    def is_bars(self) -> bool:
        """Whether the panel shows horizontal bars, whose names are on the y axis."""
        return False

    @abstractmethod
    def rows(self, tables: "Tables") -> "Iterator[pd.DataFrame]":
        """Yield frames that together contain all artists; see `optimist.figures.rows.rows`."""

    def draw(self, canvas: "Canvas", artists: "pd.DataFrame", style: "Style") -> None:
        """Draw the artists whose role is ``data`` or one of the kind's own roles.

        By default, draw lines with bands.
        """
        drawing.curves(canvas, artists, style)

    def labelled(self, names: Mapping[str, str]) -> Axes:
        """Return the labels and scales of this panel.

        Parameters
        ----------
        names : mapping
            Display names of the paper's algorithms.
        """
        own = {field.name: getattr(self, field.name) for field in fields(Axes)}
        return replace(self.axes, **{key: one for key, one in own.items() if one is not None})

    def all_rows(self, tables: "Tables") -> "Iterator[pd.DataFrame]":
        """Yield the frames of `rows`, then the references that the entry requests.

        Intervals are cut off at zero if y cannot be negative. Means of fewer than `LEAST_TRIALS`
        trials have no interval.
        """
        pieces = [self._bounded(piece) for piece in self.rows(tables)]
        yield from pieces
        yield from self._references(pieces)

    def _bounded(self, piece: "pd.DataFrame") -> "pd.DataFrame":
        if self.of_means:
            few = piece["n"] < LEAST_TRIALS
            piece = piece.assign(**{end: piece[end].mask(few) for end in ("low", "high")})
        return piece.assign(low=piece["low"].clip(lower=0.0)) if self.not_negative else piece

    def _references(self, pieces: "Sequence[pd.DataFrame]") -> "Iterator[pd.DataFrame]":
        for line in self.lines or ():
            yield rows("line", y=line["y"], note=line["label"])
        for point in self.points or ():
            yield rows("point", x=point["x"], y=point["y"], note=point["label"])
        for multiple in self.multiples or ():
            if (end := _last(pieces, multiple["series"])) is not None:
                yield rows("line", y=multiple["factor"] * end["y"], note=multiple["label"])
        for slope in self.slopes or ():
            if (end := _last(pieces, slope["series"])) is not None:
                # The line covers one decade of x and ends at the artist.
                x = end["x"] * np.array([0.1, 1.0])
                y = end["y"] * (x / end["x"]) ** slope["power"]
                yield rows("slope", series=slope["series"], x=x, y=y, note=slope["label"])

    def limit(self, canvas: "Canvas", data: "pd.DataFrame") -> None:
        """Set the limits of the y axis after drawing.

        On a logarithmic axis, intervals that extend far below the values are cut off.
        """
        if not self.not_negative:
            return
        if canvas.get_yscale() == "log":
            # If shown, the first rounds of curves would take up most of the axis.
            first = 0.02 * data["x"].max() if self.curves else -np.inf
            shown = data.loc[(data["x"] >= first) & (data["y"] > 0.0), "y"]
            canvas.set_ylim(bottom=max(canvas.get_ylim()[0], 0.5 * shown.min()))
        else:
            linear = canvas.get_yscale() == "linear"
            canvas.set_ylim(bottom=-0.03 * canvas.get_ylim()[1] if linear else 0.0)

    def handle(self, label: str, series: str, style: "Style", joined: bool) -> Any:
        """Return the legend entry of a series."""
        from matplotlib.lines import Line2D

        return Line2D([], [], label=label, **style.line(series, joined))

    def further_handles(self, artists: "pd.DataFrame") -> list[Any]:
        """Return the legend entries of the kind's own roles."""
        return []


class OneSetting(Panel):
    """Base class of panels that show algorithms in one setting."""

    setting: str  #: Label of the setting to show.
    algorithms: Labels  #: Labels of algorithms, in the order of the legend.

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Cells of the algorithms in the setting."""
        return list(product([self.setting], self.algorithms))


class SomeSettings(Panel):
    """Base class of panels that show algorithms in several settings."""

    settings: Labels  #: Labels of the settings to show.
    algorithms: Labels  #: Labels of algorithms, in the order of the legend.

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Cells of the algorithms in the settings."""
        return list(product(self.settings, self.algorithms))


def _last(pieces: "Sequence[pd.DataFrame]", series: str) -> "pd.Series | None":
    """Return a series' artist with the largest x, or None if the series is empty."""
    data = [p[(p["role"] == "data") & (p["series"] == series)] for p in pieces]
    ends = [artists.iloc[-1] for artists in data if len(artists)]
    return max(ends, key=lambda artist: artist["x"]) if ends else None
