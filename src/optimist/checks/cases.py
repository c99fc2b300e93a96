"""Cases on which tests run: algorithm classes, algorithms on given problems, and environments."""

import inspect
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from unittest import SkipTest

import numpy as np

from optimist.algorithms import algorithm_class, make_algorithm, option_names
from optimist.checks import toys
from optimist.core.errors import ConfigError
from optimist.core.label import Label, Value
from optimist.experiments.cell import Cell
from optimist.experiments.play_trial import build

BOX = "box"
HORIZON = 200  # number of rounds that an algorithm plays in a setting with arms
AFTER_INITIAL = 4  # number of rounds that an algorithm plays on a box after the initial points
HORIZONS = {"arms": 30, BOX: 12}  # number of rounds in tests of an environment, by domain
HELD, FAILED, REFUSED, PASSED_OVER = "held", "failed", "refused", "passed over"  # results of a test
SAVED = "attributes that determine all later rounds and that pickle can save"

Test = TypeVar("Test", bound=Callable[..., None])


class BrokenError(AssertionError):
    """Raised when a class breaks a promise; the message says what was seen and what is allowed."""

    def __init__(self, seen: str, allowed: str) -> None:
        super().__init__(f"{seen}; allowed: {allowed}")
        self.seen, self.allowed = seen, allowed


class RefusedError(SkipTest):
    """Raised when a class refuses a problem; the message is the class's own."""


@contextmanager
def unless_refused() -> Iterator[None]:
    """Turn a ConfigError, with which a class refuses a problem, into a RefusedError."""
    try:
        yield
    except ConfigError as error:
        raise RefusedError(str(error)) from error


def require(holds: object, seen: str, allowed: str) -> None:
    """Raise BrokenError unless ``holds`` is true."""
    if not holds:
        raise BrokenError(seen, allowed)


def marked(**marks: object) -> Callable[[Test], Test]:
    """Return a decorator that sets marks on a test.

    - ``domain``: the only domain that the test is for.
    - ``is_basic``: if the test fails, no other test is run.
    - ``is_hint``: a failure is reported only as a hint.
    - ``tells_plays``: a failure shows that the class plays differently when a trial is repeated.
    - ``compares_plays``: the test is valid only for classes that play repeated trials identically.
    """

    def mark(test: Test) -> Test:
        test.__dict__.update(marks)
        return test

    return mark


@dataclass(frozen=True)
class Method:
    """An algorithm, given by its label and its domain."""

    label: Label
    domain: str = "arms"
    where = kind = ""

    @property
    def cls(self) -> Any:
        return algorithm_class(self.label.name, self.domain)

    @property
    def options(self) -> dict[str, Value]:
        """Options of the class and their default values."""
        return option_names(self.cls)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of problems that the class accepts; see `optimist.checks.toys`."""
        return (BOX,) if self.domain == BOX else toys.kinds_of(self.cls)

    def problem(self, **changes: Any) -> Any:
        """Return a toy problem of the first kind that the class accepts."""
        return Toy(self, self.kinds[0]).problem(**changes)

    def with_options(self, **options: Value) -> str:
        """Return the algorithm's label with the given options added or replaced."""
        return self.label.having(options)


@dataclass(frozen=True)
class Toy:
    """An algorithm on toy problems of one kind."""

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
        """Return 8, which is slightly more than the number of initial points of a toy problem."""
        return 8

    def build(self, problem: Any, seed: int = 0) -> Any:
        """Construct the algorithm for a problem, with a new random generator."""
        return make_algorithm(self.method.label, problem, np.random.default_rng(seed))


@dataclass(frozen=True)
class Played:
    """An algorithm in a setting.

    ``kind`` is the kind of problem, and ``data`` is the folder of the data sets.
    """

    cell: Cell
    kind: str = ""
    data: Path | None = None
    most: int = HORIZON  # maximum number of rounds when there are finitely many arms

    @property
    def where(self) -> str:
        return f"{self.cell.paper}/{self.cell.setting.label}"

    @property
    def domain(self) -> str:
        return BOX if self.kind == BOX else "arms"

    def rounds(self, enough: int, after_initial: int = AFTER_INITIAL) -> int:
        """Return the number of rounds to play.

        With arms, it is the smaller of ``enough`` and ``most``. On a box, it is the number of
        initial points plus ``after_initial``.
        """
        if self.domain == BOX:
            return self.cell.setting.horizon - AFTER_INITIAL + after_initial
        return min(enough, self.most)

    def build(self) -> tuple[Any, Any]:
        """Construct the environment of the first trial, and the algorithm that plays in it."""
        environment, problem = build(self.cell, 0, self.data)
        rng = self.cell.stream(0, "algorithm")
        return environment, make_algorithm(self.cell.algorithm, problem, rng)


def no_data() -> None:
    """Return None as the data folder of an environment that needs no data set."""


@dataclass(frozen=True)
class World:
    """An environment, given by a cell and the name of its setting.

    ``data`` returns the folder of the prepared data sets, or None if the environment needs none.
    """

    cell: Cell
    where: str
    domain: str = "arms"
    data: Callable[[], Path | None] = no_data
    kind = ""

    @property
    def is_slow(self) -> bool:
        """Whether the environment is slow because it trains models on data."""
        return self.domain == BOX and bool(self.cell.setting.dataset)

    @property
    def horizon(self) -> int:
        return self.cell.setting.horizon

    def built(self, *trials: int) -> list[Any]:
        """Construct the environment of each given trial."""
        return [build(self.cell, trial, self.data())[0] for trial in trials]

    def first_trial(self) -> tuple[Any, Any]:
        """Construct the environment of the first trial and the problem of its setting."""
        return build(self.cell, 0, self.data())


Case = Method | Toy | Played | World


def takes(test: Callable[..., None], case: Case) -> bool:
    """Return whether a test accepts a case, by the name of the test's argument.

    The argument ``play`` accepts settings with arms, but on boxes, where settings take long, only
    toy problems.
    """
    (argument,) = inspect.signature(test).parameters
    play = Toy if case.domain == BOX else Played
    types = {"method": Method, "toy": Toy, "played": Played, "play": play, "world": World}
    is_asked = getattr(test, "domain", case.domain) == case.domain
    return is_asked and isinstance(case, types[argument])


def shortened(cell: Cell) -> Cell:
    """Return a copy of a cell with the shorter horizon that the tests use."""
    initial: Any = cell.setting.parameters.get("initial", 0)
    return cell.lasting(initial + AFTER_INITIAL if cell.domain == BOX else HORIZON)


def reloaded(one: Any) -> Any:
    """Pickle an object and return the loaded copy; raise BrokenError if that fails."""
    try:
        return pickle.loads(pickle.dumps(one))
    except Exception as error:
        seen = f"it cannot be saved: {type(error).__name__}: {error}"
        allowed = "attributes that pickle can save, so no lambda and no nested function"
        raise BrokenError(seen, allowed) from error


@contextmanager
def untouched(user: str) -> Iterator[None]:
    """Raise BrokenError if the block changes the global random generators of numpy or Python."""
    before = _states()
    yield
    for name, state in _states().items():
        seen = f"{user} drew from {name}, which all code in the process shares"
        require(state == before[name], seen, "draws from the given generator or stream")


def _states() -> dict[str, object]:
    name, key, *rest = np.random.get_state()  # noqa: NPY002
    return {"np.random": (name, key.tolist(), *rest), "random": random.getstate()}  # type: ignore
