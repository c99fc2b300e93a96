"""Colours, markers, line styles and hatches of the series in a figure.

A method has one colour and one marker in the figures of all papers (``config/style.yaml``). A
variant has the colour of its algorithm, a hollow marker, and its own combination of marker and dash
within a paper. Series that are not algorithms have shades from a single colour ramp.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from optimist.core.label import Label, write
from optimist.experiments.paper import Paper
from optimist.figures.models import Marker
from optimist.figures.rows import display_name

# Matplotlib's letters for the markers.
MARKERS: dict[str, str] = dict(zip(get_args(Marker), "osD^vPX<>*p", strict=True))
NAMES = [*MARKERS]
# Three dash patterns that readers can distinguish in print. Because 3 is coprime to the number of
# markers, 11, pairs of marker and dash repeat only after 33 variants.
DASHES = ((0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
REFERENCE_DASHES = ((0, (4, 2)), (0, (1, 1.5)), (0, (8, 2, 1, 2)), (0, (2, 3)))
HATCHES = ("////", "...", "xxxx", "\\\\\\\\", "++++", "oo")
# From dark to light, with a contrast of at least 3:1 on white (viridis from 0 to 0.55).
RAMP = ("#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#1f9d89")


class Style:
    """Colours, markers, line styles and hatches of series.

    Parameters
    ----------
    paper : Paper
        The configuration, which defines colours, markers and display names. The order
        of the variants among its ``algorithms`` determines their styles.
    footnotes : mapping
        Footnote marks by series, each preceded by a space.
    shown : sequence of str
        All series of the figure. If they are variants of one algorithm, each has its own colour.
    references : sequence of str
        Names of all reference lines of the figure.
    has_bands : bool
        Whether curves have bands. If not, only the last interval of each curve is shown.
    """

    def __init__(
        self,
        paper: Paper,
        footnotes: Mapping[str, str],
        shown: Sequence[str] = (),
        references: Sequence[str] = (),
        has_bands: bool = True,
    ) -> None:
        self.paper = paper
        self.footnotes = footnotes
        self.has_bands = has_bands
        self._references = {text: i for i, text in enumerate(references)}
        methods, palette = paper.style["methods"], paper.style["palette"]
        # Colour and marker of each algorithm.
        self._looks: dict[str, dict[str, str]] = {
            name: methods[name] for name in paper.names if name in methods
        }
        taken = {look["colour"] for look in self._looks.values()}
        free = [colour for colour in palette if colour not in taken] or palette
        for i, name in enumerate([name for name in paper.names if name not in methods]):
            marker = NAMES[-1 - i % len(NAMES)]
            self._looks[name] = {"colour": free[i % len(free)], "marker": marker}
        self._variants: dict[str, int] = {}
        for label in filter(self._is_variant, paper.algorithms):
            self._number(label)
        things = [series for series in shown if Label.name_of(series) not in self._looks]
        self._things = {series: i for i, series in enumerate(things)}
        self._of_one = self._colours_of_one(shown, palette)

    def _colours_of_one(self, shown: Sequence[str], palette: Sequence[str]) -> dict[str, str]:
        """Return a colour for each series if all are variants of one algorithm, otherwise {}.

        The algorithm without options keeps its own colour.
        """
        names = {*map(Label.name_of, shown)}
        if len(shown) < 2 or len(names) > 1 or not names <= self._looks.keys():
            return {}
        (name,) = names
        own_colour = self._looks[name]["colour"]
        others = [colour for colour in palette if colour != own_colour]
        variants = sorted((s for s in shown if s != name), key=self._number)
        of_variants = {series: others[i % len(others)] for i, series in enumerate(variants)}
        return {name: own_colour, **of_variants}

    def _number(self, series: str) -> int:
        """Return a variant's position among the paper's variants."""
        return self._variants.setdefault(series, len(self._variants))

    def _is_variant(self, series: str) -> bool:
        return Label.name_of(series) in self._looks and Label.name_of(series) != series

    def colour(self, series: str) -> str:
        if series in self._of_one:
            return self._of_one[series]
        if look := self._looks.get(Label.name_of(series)):
            return look["colour"]
        return RAMP[self._place(series) * (len(RAMP) - 1) // max(1, len(self._things) - 1)]

    def _place(self, series: str) -> int:
        """Return the index of a series among the series that are not algorithms."""
        return self._things.setdefault(series, len(self._things))

    def marker(self, series: str) -> str:
        return MARKERS[self.shape(series)]

    def shape(self, series: str) -> str:
        """Return the name of a series' marker."""
        if self._is_variant(series):
            return NAMES[self._number(series) % len(NAMES)]
        if look := self._looks.get(series):
            return look["marker"]
        return NAMES[self._place(series) % len(NAMES)]

    def dash_lengths(self, series: str) -> list[float]:
        """Return the lengths of dashes and gaps in a series' line, or [] if it is solid."""
        dash = self.dash(series)
        return [] if dash == "-" else list(dash[1])

    def dash(self, series: str) -> Any:
        """Return the line style of a series; lines of algorithms without options are solid."""
        if self._is_variant(series):
            return DASHES[self._number(series) % len(DASHES)]
        return "-" if series in self._looks else ("-", *DASHES)[self._place(series) % 4]

    def hatch(self, series: str) -> str:
        """Return the hatch of a bar, or an empty string for an algorithm without options."""
        return HATCHES[self._number(series) % len(HATCHES)] if self._is_variant(series) else ""

    def line(self, series: str, joined: bool = True) -> dict[str, Any]:
        """Return keyword arguments for a line with markers, which are hollow for a variant."""
        is_method = series == self.paper.method
        return {
            "color": self.colour(series),
            "marker": self.marker(series),
            "linestyle": self.dash(series) if joined else "none",
            "markerfacecolor": "white" if self._is_variant(series) else self.colour(series),
            "linewidth": 1.8 if is_method else 1.1,
            "zorder": 3.5 if is_method else 3,
        }

    def reference(self, text: str) -> dict[str, Any]:
        """Return keyword arguments for a reference line."""
        place = self._references.setdefault(text, len(self._references))
        dash = REFERENCE_DASHES[place % len(REFERENCE_DASHES)]
        return {"color": "0.35", "lw": 0.9, "ls": dash, "zorder": 2}

    def patch(self, series: str) -> dict[str, Any]:
        """Return keyword arguments for a region with a transparent face and an opaque edge."""
        colour = self.colour(series)
        keywords = {"facecolor": (colour, 0.25), "edgecolor": colour}
        return {**keywords, "ls": self.dash(series), "lw": 1.1}

    def settings(self, labels: Sequence[str]) -> dict[str, str]:
        """Return the titles of settings; if two titles coincide, add each setting's options."""
        settings = {label: self.paper.setting(label) for label in labels}
        titles = {label: one.title or label for label, one in settings.items()}
        if len(set(titles.values())) == len(titles):
            return titles
        words = {
            label: [f"{key} {write(value)}" for key, value in one.label.options]
            for label, one in settings.items()
        }
        return {label: ", ".join([titles[label], *words[label]]) for label in labels}

    def name(self, series: str) -> str:
        """Return the display name of a series, with its footnote marks."""
        is_algorithm = Label.name_of(series) in self._looks
        paper = self.paper
        name = display_name(series, paper.names, paper.options) if is_algorithm else series
        return name + self.footnotes.get(series, "")
