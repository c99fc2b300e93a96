"""Keys of figures.yaml and style.yaml, except those specific to one kind of panel or table."""

from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, MinLen

from optimist.core.keys import Count, Entries, Group, Keys, Name, Once, matching
from optimist.figures import make_panel

if TYPE_CHECKING:
    from optimist.figures.base import Panel

# fmt: off
Marker = Literal[
    "circle", "square", "diamond", "triangle", "inverted", "plus", "cross", "left", "right", "star",
    "pentagon",
]
# fmt: on
Colour = Annotated[str, matching("^#[0-9a-f]{6}$")]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure, whose fields are the keys of its entry in figures.yaml."""

    title: str  #: Title above the panels.
    caption: str  #: Caption in the report.
    group: Group = "paper"  #: Group of targets to which the figure belongs; default `paper`.
    trials: Count | None = None  #: Number of trials to show, starting with trial 0; default all.
    #: Number of panels side by side; default 3. The legend may fill an unused cell of the grid.
    columns: Annotated[int, Ge(1), Le(4)] | None = None
    #: Height of each row of panels in inches; default 2.1.
    height: Annotated[float, Gt(0), Le(10)] = 2.1
    share_y: bool = False  #: Whether all panels share one y axis; default false.
    #: Whether the figure has one shared legend (default) or a legend below each panel.
    legend: Literal["shared", "panel"] = "shared"
    defaults: dict[str, Any] | None = None  #: Keys to set for every panel of the figure.
    #: Like the key `titles` of the file, but for this figure only.
    titles: dict[str, str] | None = None
    #: At most 16 panels, named a, b, and so on; each kind has its own keys.
    panels: Annotated[list[dict[str, Any]], MinLen(1)]

    @cached_property
    def by_letter(self) -> "dict[str, Panel]":
        """The panels, by letter. The entries must be those of single panels."""
        return dict(zip(ascii_lowercase, map(make_panel, self.panels), strict=False))


class Figures(Keys, total=False):
    #: Further named lists of labels, for use in figures, tables and claims.
    lists: dict[Name, Entries]
    #: Words used in panel titles for a kind, setting, method, column or round.
    titles: dict[str, str]
    #: Keys to set for every panel, unless the figure or the panel sets them; null removes a key.
    panel_defaults: dict[str, Any]
    figures: dict[Name, dict[str, Any]]  #: Figures by name; each is a target PAPER_NAME.
    tables: dict[Name, dict[str, Any]]  #: Tables by name; each is a target PAPER_NAME.


class MethodStyle(Keys):
    colour: Colour  #: Colour of the method's lines, markers and bars.
    marker: Marker  #: Shape of the method's markers.


class Style(Keys):
    #: Colours for series without one of their own, in order of use.
    palette: Annotated[list[Colour], MinLen(1), Once]
    #: Colour and marker of each method, keyed by algorithm name.
    methods: dict[str, MethodStyle]
