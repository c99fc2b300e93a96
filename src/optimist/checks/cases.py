"""What is checked, and where: a class, a class on a toy, a class in a setting of a paper."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from optimist.algorithms import algorithm_class, make_algorithm, option_names
from optimist.checks import toys
from optimist.comparison.select import OWN
from optimist.config.load import load_paper
from optimist.core.label import Label, Value
from optimist.environments import environment_class
from optimist.experiments.cell import Cell, build, make_cell

BOX = "box"
# Where an algorithm from elsewhere plays, by kind of problem: base settings of the papers, of
# which none needs a data set.
SETTINGS = {
    "logistic": ("glb_omd", "logistic_s3"),
    "poisson": ("glb_omd", "poisson_s3"),
    "gaussian": ("glb_omd", "logistic_s3[link=gaussian]"),
    toys.HEAVY_TAILED: ("hvt_ucb", "student_t"),
    "gaussian_kernel": ("bkb", "gaussian_d1"),
    "linear_kernel": ("bkb", "linear_d20"),
    "matern12_kernel": ("bkb", "gaussian_d1[kernel=matern12]"),
    "matern32_kernel": ("bkb", "gaussian_d1[kernel=matern32]"),
    "matern52_kernel": ("bkb", "matern52_d1"),
    BOX: ("go_ucb", "f1"),
}
HORIZON = 200  # rounds of a setting with finitely many arms
AFTER_INITIAL = 4  # rounds on a box after the initial ones


@dataclass(frozen=True)
class Method:
    """An algorithm.

    Attributes
    ----------
    label : str
        ``name[option=value,...]``
    domain : str
        ``arms`` or ``box``.
    """

    label: str
    domain: str = "arms"
    where = kind = ""

    @property
    def name(self) -> str:
        return Label.parse(self.label).name

    @property
    def cls(self) -> Any:
        return algorithm_class(self.name, self.domain)

    @property
    def options(self) -> dict[str, Any]:
        """Options of the class with their defaults."""
        return option_names(self.cls)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of problem that the class is made for, see `optimist.checks.toys`."""
        return (BOX,) if self.domain == BOX else toys.kinds_of(self.cls)

    def problem(self, **changes: Any) -> Any:
        """Return a problem that it is made for."""
        return Toy(self, self.kinds[0]).problem(**changes)

    def with_options(self, **options: Value) -> str:
        """Return its label with more options, or with other values of those that it has."""
        own = Label.parse(self.label)
        return str(Label.make(own.name, {**dict(own.options), **options}))


@dataclass(frozen=True)
class Toy:
    """An algorithm on problems that are written down."""

    method: Method
    kind: str

    @property
    def where(self) -> str:
        return f"toy {self.kind}"

    @property
    def cls(self) -> Any:
        return self.method.cls

    def problem(self, **changes: Any) -> Any:
        """Return a problem of this kind."""
        if self.kind == BOX:
            return toys.make_box_problem(**changes)
        return toys.make_problem(self.kind, **changes)

    def build(self, problem: Any, seed: int = 0) -> Any:
        """Return the algorithm for a problem, with a stream of its own."""
        return make_algorithm(self.method.label, problem, np.random.default_rng(seed))


@dataclass(frozen=True)
class Played:
    """An algorithm in a setting.

    Attributes
    ----------
    cell : Cell
    data : path or None
        Folder of the prepared data sets.
    most : int
        Play so many rounds at most.
    kind : str
        Kind of problem that the setting tells.
    """

    cell: Cell
    data: Path | None = None
    most: int = HORIZON
    kind: str = ""

    @property
    def where(self) -> str:
        return f"{self.cell.paper}/{self.cell.setting}"

    @property
    def cls(self) -> Any:
        return algorithm_class(Label.parse(self.cell.algorithm).name, self.cell.domain)

    def rounds(self, enough: int) -> int:
        """Return how many rounds to play, where some number of them would be enough."""
        return min(enough, self.most)

    def build(self) -> tuple[Any, Any]:
        """Return the environment of the first trial, and the algorithm."""
        environment, problem = build(self.cell, 0, self.data)
        rng = self.cell.stream(0, "algorithm")
        return environment, make_algorithm(self.cell.algorithm, problem, rng)


@dataclass(frozen=True)
class World:
    """An environment.

    Attributes
    ----------
    cell : Cell
        Of its setting; the algorithm is of no effect.
    data : callable
        Returns the folder of the prepared data sets, None if it needs none.
    """

    cell: Cell
    data: Callable[[], Path | None] = lambda: None
    kind = ""

    @property
    def where(self) -> str:
        paper = "" if self.cell.paper == OWN else f"{self.cell.paper}/"
        return f"{paper}{self.cell.setting}"

    @property
    def cls(self) -> Any:
        return environment_class(self.cell.spec["environment"])

    @property
    def is_slow(self) -> bool:
        """Whether its functions are trained on data."""
        return self.cell.domain == BOX and "dataset" in self.cell.spec

    @property
    def horizon(self) -> int:
        return int(self.cell.spec["horizon"])

    def built(self, *trials: int) -> list[Any]:
        """Return the environments of some trials, each on data of its own."""
        return [build(self.cell, trial, self.data())[0] for trial in trials]

    def told(self) -> tuple[Any, Any]:
        """Return the environment of the first trial, and the problem of its setting."""
        return build(self.cell, 0, self.data())


def shortened(cell: Cell) -> Cell:
    """Return the cell of an algorithm, as long as checks play it."""
    initial = cell.spec.get("parameters", {}).get("initial", 0)
    horizon = initial + AFTER_INITIAL if cell.domain == BOX else HORIZON
    return Cell(cell.paper, cell.setting, cell.algorithm, {**cell.spec, "horizon": horizon})


def played(method: Method, kinds: tuple[str, ...]) -> Iterator[Played]:
    """Yield an algorithm in the settings for some kinds of problem."""
    for kind in kinds:
        paper, setting = SETTINGS[kind]
        cell = shortened(make_cell(load_paper(paper), setting, method.label))
        yield Played(cell, kind=kind)
