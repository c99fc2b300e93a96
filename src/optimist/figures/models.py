"""Keys of figures.yaml and style.yaml, except those specific to one kind of panel or table."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Gt, Le, MinLen

from optimist.core.keys import Count, Entries, Group, Keys, Name, Once, matching

# fmt: off
Marker = Literal[
    "circle", "square", "diamond", "triangle", "inverted", "plus", "cross", "left", "right", "star",
    "pentagon",
]
# fmt: on
Colour = Annotated[str, matching("^#[0-9a-f]{6}$")]


class Figure(Keys):
    title: str  #: Title above the panels.
    caption: str  #: Caption in the report.
    group: NotRequired[Group]  #: Group of targets to which the figure belongs; default `paper`.
    trials: NotRequired[Count]  #: Number of trials to show, starting with trial 0; default all.
    #: Number of panels side by side; default 3. The legend may fill an unused cell of the grid.
    columns: NotRequired[Annotated[int, Ge(1), Le(4)]]
    #: Height of each row of panels in inches; default 2.1.
    height: NotRequired[Annotated[float, Gt(0), Le(10)]]
    share_y: NotRequired[bool]  #: Whether all panels share one y axis; default false.
    #: Whether the figure has one shared legend (default) or a legend below each panel.
    legend: NotRequired[Literal["shared", "panel"]]
    defaults: NotRequired[dict[str, Any]]  #: Keys to set for every panel of the figure.
    #: Like the key `titles` of the file, but for this figure only.
    titles: NotRequired[dict[str, str]]
    #: At most 16 panels, named a, b, and so on; each kind has its own keys.
    panels: Annotated[list[dict[str, Any]], MinLen(1)]


class Figures(Keys, total=False):
    #: Further named lists of labels, for use in figures, tables and claims.
    lists: dict[Name, Entries]
    #: Words used in panel titles for a kind, setting, method, column or round.
    titles: dict[str, str]
    #: Keys to set for every panel, unless the figure or the panel sets them; null removes a key.
    panel_defaults: dict[str, Any]
    figures: dict[Name, Figure]  #: Figures by name; each is a target PAPER_NAME.
    tables: dict[Name, dict[str, Any]]  #: Tables by name; each is a target PAPER_NAME.


class MethodStyle(Keys):
    colour: Colour  #: Colour of the method's lines, markers and bars.
    marker: Marker  #: Shape of the method's markers.


class Style(Keys):
    #: Colours for series without one of their own, in order of use.
    palette: Annotated[list[Colour], MinLen(1), Once]
    #: Colour and marker of each method, keyed by algorithm name.
    methods: dict[str, MethodStyle]
