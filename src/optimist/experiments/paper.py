"""A paper's configuration: its settings, the blocks of cells that it runs, and its figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from optimist.core.errors import unknown_name
from optimist.core.label import Label
from optimist.experiments.cell import Cell, Probe, Setting


@dataclass(frozen=True)
class Block:
    """Cells of one lane: every setting with every algorithm.

    Attributes
    ----------
    settings : sequence of Setting
    algorithms : sequence of Label
    trials : int
        Number of trials per cell; in the timing lane, the number of turns.
    group : {"paper", "variants"}
        Group of targets that requests the cells.
    rounds : int or None
        Number of rounds after which to truncate a trial.
    probe : Probe or None
        How the cells are timed on another algorithm's history.
    race : int or None
        Number of the race in the timing lane; None in the regret lane.
    """

    settings: Sequence[Setting]
    algorithms: Sequence[Label]
    trials: int
    group: str = "paper"
    rounds: int | None = None
    probe: Probe | None = None
    race: int | None = None


@dataclass(frozen=True)
class Paper:
    """The configuration of a paper.

    Attributes
    ----------
    id, title, reference : str
        Name of the paper's folder, title, and authors with the year.
    method : str
        Name of the paper's own algorithm; "" if there is none.
    band : float
        Confidence level of the bands in the figures.
    interval : {"t", "bootstrap", "normal"}
        Method for the bands of means.
    names : mapping of str to str
        Display names of algorithms.
    options : mapping of str to mapping
        Display names of options, by algorithm.
    style : mapping
        Palette, and the colour and marker of each method of the paper.
    settings : mapping of str to Setting
        Every base setting, and every variant that the configuration names, by label.
    runs, timings : sequence of Block
        Blocks of the regret lane and of the timing lane.
    parts : mapping of str to list of Label
        Named lists of settings.
    studies, figures, tables : mapping
        Sections of the configuration, by name; lists and sweeps are expanded.
    """

    id: str
    title: str
    reference: str
    band: float
    names: Mapping[str, str]
    settings: Mapping[str, Setting]
    method: str = ""
    interval: str = "t"
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    runs: Sequence[Block] = ()
    timings: Sequence[Block] = ()
    parts: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    studies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    figures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    style: Mapping[str, Any] = field(default_factory=dict)

    @property
    def bases(self) -> dict[str, Setting]:
        """The settings without options, by name."""
        return {label: one for label, one in self.settings.items() if not one.label.options}

    @property
    def algorithms(self) -> list[Label]:
        """Labels of all algorithms that the paper runs, in the order of the configuration."""
        blocks = (*self.runs, *self.timings)
        return [*dict.fromkeys(label for block in blocks for label in block.algorithms)]

    def setting(self, text: str) -> Setting:
        """Return the setting with a label, which may have options that no file lists.

        Raises
        ------
        ConfigError
            If the name or an option is unknown.
        """
        label = Label.parse(text, "setting")
        if label in self.settings:
            return self.settings[label]
        if label.name not in self.settings:
            raise unknown_name(f"setting of {self.id}", label.name, self.bases)
        found = self.settings[label.name].with_options(label)
        return self.settings.get(found.label, found)

    def cell(self, setting: str, algorithm: str) -> Cell:
        """Return the cell with the given labels.

        Raises
        ------
        ConfigError
            If the setting, the algorithm or an option is unknown.
        """
        return Cell.of(self.setting(setting), algorithm)

    def with_settings(self, settings: Iterable[Setting]) -> Self:
        """Return the paper with some settings replaced by those with the same labels."""
        changed = dict(self.settings)
        changed |= {one.label: one for one in settings}
        for label, one in changed.items():
            if one.base is not None:
                changed[label] = replace(one, base=changed[one.label.name])
        runs, timings = (
            [replace(b, settings=[changed[one.label] for one in b.settings]) for b in blocks]
            for blocks in (self.runs, self.timings)
        )
        return replace(self, settings=changed, runs=runs, timings=timings)

    def describe(self, settings: Iterable[str], with_studies: bool = False) -> dict[str, object]:
        """Return the parts of the configuration that figures use, as plain data.

        Parameters
        ----------
        settings : iterable of str
            Labels of the settings that a figure shows.
        with_studies : bool
            Whether the figure shows tables of studies.
        """
        shown = {*settings}
        return {
            **{name: getattr(self, name) for name in LOOK},
            "algorithms": [*map(str, self.algorithms)],
            "settings": {
                str(label): one.document() for label, one in self.settings.items() if label in shown
            },
            "studies": self.studies if with_studies else {},
        }

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> Self:
        """Rebuild the parts of a configuration from the output of `describe`."""
        kept = {name: description[name] for name in LOOK}
        settings = {
            label: Setting.restore(kept["id"], label, document)
            for label, document in description["settings"].items()
        }
        block = Block((), [*map(Label.parse, description["algorithms"])], 0)
        return cls(**kept, settings=settings, runs=[block], studies=description["studies"])


# Fields of a paper that every figure uses.
LOOK = ("id", "title", "reference", "method", "band", "interval", "names", "options", "style")
