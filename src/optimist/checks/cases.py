"""Cases of tests: a class, a class on a toy, a class in a setting, an environment."""

import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from unittest import SkipTest

import numpy as np

from optimist.algorithms import algorithm_class, make_algorithm, option_names
from optimist.checks import toys
from optimist.core.errors import ConfigError
from optimist.core.label import Label, Value, name_of
from optimist.experiments.cell import Cell, build

BOX = "box"
HORIZON = 200  # rounds of an algorithm in a setting with arms
AFTER_INITIAL = 4  # rounds of an algorithm on a box after the initial points
HORIZONS = {"arms": 30, BOX: 12}  # rounds of an environment
HELD, FAILED, REFUSED, PASSED_OVER = "held", "failed", "refused", "passed over"  # results
SAVED = "attributes that decide all later rounds, and that pickle can save"

Test = TypeVar("Test", bound=Callable[..., None])


class BrokenError(AssertionError):
    """A promise does not hold; the message is the observation and the rule for it."""

    def __init__(self, seen: str, allowed: str) -> None:
        super().__init__(f"{seen}; allowed: {allowed}")
        self.seen, self.allowed = seen, allowed


class RefusedError(SkipTest):
    """A class refuses a problem, in the words of the error."""


@contextmanager
def unless_refused() -> Iterator[None]:
    """Raise RefusedError where a class is built and refuses the problem."""
    try:
        yield
    except ConfigError as error:
        raise RefusedError(str(error)) from error


def require(holds: object, seen: str, allowed: str) -> None:
    """Raise BrokenError unless ``holds`` is true."""
    if not holds:
        raise BrokenError(seen, allowed)


def marked(**marks: object) -> Callable[[Test], Test]:
    """Return a decorator that marks a test.

    Marks are ``domain``, where cases of one are taken only; ``is_basic``, where nothing else is run
    after a failure; ``is_hint`` of a matter of taste; ``tells_plays``, where a failure says that a
    class does not play the same twice; ``compares_plays``, where it must.
    """

    def mark(test: Test) -> Test:
        test.__dict__.update(marks)
        return test

    return mark


@dataclass(frozen=True)
class Method:
    """An algorithm, by its label and domain."""

    label: str
    domain: str = "arms"
    where = kind = ""

    @property
    def cls(self) -> Any:
        return algorithm_class(name_of(self.label), self.domain)

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
        label = Label.parse(self.label)
        return str(Label.make(label.name, {**dict(label.options), **options}))


@dataclass(frozen=True)
class Toy:
    """An algorithm on problems that are written down."""

    method: Method
    kind: str

    @property
    def where(self) -> str:
        return f"toy {self.kind}"

    @property
    def domain(self) -> str:
        return self.method.domain

    def problem(self, **changes: Any) -> Any:
        """Return a problem of this kind."""
        if self.kind == BOX:
            return toys.make_box_problem(**changes)
        return toys.make_problem(self.kind, **changes)

    def rounds(self, enough: int, after_initial: int = 0) -> int:
        """Return the number of rounds to play, the initial points of the toy and some more."""
        return 8

    def build(self, problem: Any, seed: int = 0) -> Any:
        """Return the algorithm for a problem, with a generator of its own."""
        return make_algorithm(self.method.label, problem, np.random.default_rng(seed))


@dataclass(frozen=True)
class Played:
    """An algorithm in a setting, of some kind of problem, with the folder of its data sets."""

    cell: Cell
    kind: str = ""
    data: Path | None = None
    most: int = HORIZON  # rounds

    @property
    def where(self) -> str:
        return f"{self.cell.paper}/{self.cell.setting}"

    @property
    def domain(self) -> str:
        return BOX if self.kind == BOX else "arms"

    @property
    def cls(self) -> Any:
        return algorithm_class(name_of(self.cell.algorithm), self.domain)

    def rounds(self, enough: int, after_initial: int = AFTER_INITIAL) -> int:
        """Return the number of rounds to play: ``enough`` on arms, few after the initial points."""
        if self.domain == BOX:
            return int(self.cell.spec["horizon"]) - AFTER_INITIAL + after_initial
        return min(enough, self.most)

    def build(self) -> tuple[Any, Any]:
        """Return the environment of the first trial, and the algorithm."""
        environment, problem = build(self.cell, 0, self.data)
        rng = self.cell.stream(0, "algorithm")
        return environment, make_algorithm(self.cell.algorithm, problem, rng)


def no_data() -> None:
    """Return no folder."""


@dataclass(frozen=True)
class World:
    """An environment, by a cell and the name of its setting.

    ``data`` returns the folder of the prepared data sets, None if it needs none.
    """

    cell: Cell
    where: str
    domain: str = "arms"
    data: Callable[[], Path | None] = no_data
    kind = ""

    @property
    def is_slow(self) -> bool:
        """Whether its functions are trained on data."""
        return self.domain == BOX and "dataset" in self.cell.spec

    @property
    def horizon(self) -> int:
        return int(self.cell.spec["horizon"])

    def built(self, *trials: int) -> list[Any]:
        """Return the environments of some trials, each on data of its own."""
        return [build(self.cell, trial, self.data())[0] for trial in trials]

    def told(self) -> tuple[Any, Any]:
        """Return the environment of the first trial, and the problem of its setting."""
        return build(self.cell, 0, self.data())


Case = Method | Toy | Played | World
ARGUMENTS = {"method", "toy", "played", "play", "world"}  # of tests


def takes(test: Callable[..., None], argument: str, case: Case) -> bool:
    """Return whether a test takes a case, by the name of its argument and the domain of both.

    A ``play`` is an algorithm in a setting with arms, or on a toy where a setting takes long.
    """
    play = Toy if case.domain == BOX else Played
    types = {"method": Method, "toy": Toy, "played": Played, "play": play, "world": World}
    is_asked = getattr(test, "domain", case.domain) == case.domain
    return is_asked and isinstance(case, types[argument])


def shortened(cell: Cell) -> Cell:
    """Return the cell of an algorithm, as long as tests play it."""
    initial = cell.spec.get("parameters", {}).get("initial", 0)
    horizon = initial + AFTER_INITIAL if cell.domain == BOX else HORIZON
    return replace(cell, spec={**cell.spec, "horizon": horizon})


def parametrize(metafunc: Any, cases: Mapping[str, Case]) -> None:
    """Run a test on the cases, by id, that it takes, for `pytest_generate_tests`."""
    for name in ARGUMENTS.intersection(metafunc.fixturenames):
        chosen = {key: one for key, one in cases.items() if takes(metafunc.function, name, one)}
        metafunc.parametrize(name, chosen.values(), ids=list(chosen))


def reloaded(one: Any) -> Any:
    """Return a copy of an object by pickle; raise BrokenError if it cannot be saved or loaded."""
    try:
        return pickle.loads(pickle.dumps(one))
    except Exception as error:
        seen = f"it cannot be saved: {type(error).__name__}: {error}"
        allowed = "attributes that pickle can save: no lambda, no function made in another"
        raise BrokenError(seen, allowed) from error


@contextmanager
def untouched(user: str) -> Iterator[None]:
    """Raise BrokenError unless the generators of numpy and of Python are as before the block."""
    before = _states()
    yield
    for name, state in _states().items():
        seen = f"{user} drew from {name}, which all code of a process shares"
        require(state == before[name], seen, "the generator, or the stream, that is given")


def _states() -> dict[str, Any]:
    name, key, *rest = np.random.get_state()  # noqa: NPY002
    return {"np.random": (name, key.tolist(), *rest), "random": random.getstate()}  # type: ignore
