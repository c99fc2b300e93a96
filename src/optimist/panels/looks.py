"""Colours, markers, line styles and hatches of the series of a figure.

An algorithm has one colour and one marker in every figure of a paper, by its place in ``names``;
its variants share them and differ in line style or hatch, by their place among the paper's cells.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from optimist.label import name_of
from optimist.panels.rows import display_name

# The palette "colorblind" of seaborn, which takes 0.7 s to import, and black.
COLOURS = (
    *("#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc"),
    *("#ca9161", "#fbafe4", "#949494", "#ece133", "#56b4e9", "#000000"),
)
MARKERS = "osD^vP<X>hp*"
DASHES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 3)))
HATCHES = ("", "////", "...", "xxxx", "\\\\\\\\", "++++", "oo")


class Looks:
    """Colours, markers, line styles and hatches of series.

    Parameters
    ----------
    paper : mapping
        Its ``names`` fix colours and markers, the cells of its ``runs`` and ``timings`` the rest.
    colours : list of str
    marks : mapping
        Footnote marks, with a space before each, by series.
    shown : list of str
        All series of the figure. If they are variants of one algorithm, each has a colour and a
        marker of its own.
    """

    def __init__(
        self,
        paper: Mapping[str, Any],
        colours: Sequence[str],
        marks: Mapping[str, str],
        shown: Sequence[str] = (),
    ) -> None:
        self.paper = paper
        self.colours = colours
        self.marks = marks
        algorithms = {name_of(series) for series in shown}
        of_one = len(shown) > 1 and len(algorithms) == 1 and algorithms <= {*paper["names"]}
        self._of_one = list(shown) if of_one else []
        self._names = list(paper["names"])
        self._variants: dict[str, list[str]] = {}
        blocks = [*paper.get("runs", []), *paper.get("timings", [])]
        for label in (label for block in blocks for label in block["algorithms"]):
            self._place(label)

    def _place(self, series: str) -> tuple[int | None, int]:
        """Return the place of a series' name among all names, and among that name's variants."""
        name = name_of(series)
        if name not in self._names:  # not an algorithm: dark, told apart as variants are
            name = ""
        known = self._variants.setdefault(name, [series] if name == "" else [name])
        if series not in known:
            known.append(series)
        return (self._names.index(name) if name else None), known.index(series)

    def colour(self, series: str) -> str:
        """Return the colour of a series; dark grey if it is not of an algorithm."""
        place = self._of_one.index(series) if self._of_one else self._place(series)[0]
        return "0.25" if place is None else self.colours[place % len(self.colours)]

    def marker(self, series: str) -> str:
        """Return the marker of a series, the same for all variants of an algorithm among others."""
        place, variant = self._place(series)
        if self._of_one:
            place = self._of_one.index(series)
        return MARKERS[(variant if place is None else place) % len(MARKERS)]

    def dash(self, series: str) -> Any:
        """Return the line style of a series, solid for an algorithm without options."""
        return _of_variant(DASHES, self._place(series)[1])

    def hatch(self, series: str) -> str:
        """Return the hatch of a bar, none for an algorithm without options."""
        return _of_variant(HATCHES, self._place(series)[1])

    def line(self, series: str, joined: bool = True) -> dict[str, Any]:
        """Return keywords of a line with markers; variants have hollow markers."""
        own = series == self.paper.get("method")
        return {
            "color": self.colour(series),
            "marker": self.marker(series),
            "linestyle": self.dash(series) if joined else "none",
            "markerfacecolor": "white" if self._is_hollow(series) else self.colour(series),
            "linewidth": 1.8 if own else 1.1,
            "zorder": 3.5 if own else 3,
        }

    def patch(self, series: str) -> dict[str, Any]:
        """Return keywords of a filled region: a transparent face and a full edge."""
        colour = self.colour(series)
        look = {"facecolor": (colour, 0.25), "edgecolor": colour}
        return {**look, "ls": self.dash(series), "lw": 1.1}

    def _is_hollow(self, series: str) -> bool:
        return bool(self._place(series)[1]) and not self._of_one

    def settings(self, labels: Sequence[str]) -> dict[str, str]:
        """Return what settings are called: their titles, where these tell them apart."""
        known = self.paper["settings"]
        titles = {label: known[name_of(label)].get("title", label) for label in labels}
        return titles if len(set(titles.values())) == len(labels) else {s: s for s in labels}

    def name(self, series: str) -> str:
        """Return what the figure calls a series, with its footnote mark."""
        algorithm = self._place(series)[0] is not None
        name = display_name(series, self.paper["names"]) if algorithm else series
        return name + self.marks.get(series, "")


def _of_variant(styles: Sequence[Any], number: int) -> Any:
    """Return the style of a variant; the first one is kept for number 0, the plain algorithm."""
    return styles[0] if number == 0 else styles[1:][(number - 1) % (len(styles) - 1)]
