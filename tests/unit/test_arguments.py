"""Options of constructors: which ones a configuration may set."""

from functools import wraps
from typing import Annotated, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from optimist.core.arguments import (
    as_declared,
    check_keywords,
    check_options_are_named,
    defaults,
)
from optimist.core.errors import ConfigError


class Base:
    def __init__(self, *, horizon, dimension=2, noise=0.1):
        self.given = horizon, dimension, noise

    def problem(self, *, delta=0.05):
        return delta


class Passed(Base):
    def __init__(self, **options):
        super().__init__(**options)


class Starred(Base):
    def __init__(self, *, noise=0.3, **others):
        super().__init__(horizon=max(*[1, len(others)]), noise=noise)


class Told(Base):
    def problem(self, **told):
        return super().problem(**told)


class Inherited(Passed):
    pass


class Places(Base):
    def __init__(self, *places):
        super().__init__(horizon=places[0])


def counted(function):
    @wraps(function)
    def called(*arguments, **options):
        return function(*arguments, **options)

    return called


class Decorated(Base):
    @counted
    def __init__(self, *, horizon, noise=0.1):
        super().__init__(horizon=horizon, noise=noise)


METHOD = "def __init__(self, problem, *, rng, a=1, gamma=0.1)"
WORLD = "def __init__(self, *, horizon, trial, stream, arms=5, noise=0.1)"


@pytest.mark.parametrize(
    ("kind", "cls", "named", "function", "example"),
    [
        ("algorithm", Passed, "`**options` in Passed", Passed.__init__, METHOD),
        ("algorithm", Inherited, "`**options` in Passed", Passed.__init__, METHOD),
        ("algorithm", Starred, "`**others` in Starred", Starred.__init__, METHOD),
        ("environment", Passed, "`**options` in Passed", Passed.__init__, WORLD),
        ("environment", Told, "`**told` in Told", Told.problem, "def problem(self, delta=0.05)"),
    ],
)
def test_a_method_that_passes_any_option_on_is_refused(kind, cls, named, function, example):
    with pytest.raises(ConfigError) as error:
        check_options_are_named(kind, cls)
    assert str(error.value) == (
        f"{named} (test_arguments.py, line {function.__code__.co_firstlineno}): name the options "
        f"that it passes on, such as `{example}`"
    )


@pytest.mark.parametrize("cls", [Base, Places, Decorated, object])
def test_a_method_that_names_its_options_is_accepted(cls):
    check_options_are_named("algorithm", cls)


def test_messages_name_what_a_method_takes():
    assert defaults(Base.problem) == {"delta": 0.05}
    check_keywords("x", ["noise"], Base.__init__, supplied=("horizon",))
    with pytest.raises(ConfigError, match=r"unknown key 'nois' \(did you mean 'noise'\?\)"):
        check_keywords("x", ["nois"], Base.__init__, supplied=("horizon",))
    with pytest.raises(ConfigError, match="key 'horizon' is missing"):
        check_keywords("x", ["noise"], Base.__init__)


SINGLE = np.float32(0.5)


def typed(
    a: float,
    b=0.5,
    c: int = 3,
    d="auto",
    e: str = "x",
    f: float | str = "auto",
    g=False,
    h: int | float = 0,
    i: list[float] | None = None,
    j: "Unknown" = SINGLE,  # noqa: F821
    k: NDArray[np.float64] | None = None,
    m: Annotated[float, "positive"] = 1,
    n: Any = 2,
    o: "float" = 1,
    p: Any = 0.5,
):
    """Take options of each kind."""


@pytest.mark.parametrize(
    ("name", "value", "given"),
    [
        ("a", 2, 2.0),
        ("b", 2, 2.0),
        ("b", "half", "half"),
        ("b", True, True),
        ("b", None, None),
        ("c", 2.0, 2),
        ("c", 2.5, 2.5),
        ("d", 3, 3),
        ("e", 3, "3"),
        ("e", True, "true"),
        ("e", None, None),
        ("f", 2, 2.0),
        ("f", "auto", "auto"),
        ("g", 1, 1),
        ("h", 2, 2),
        ("h", 2.0, 2.0),
        ("i", [1, 2.5], [1.0, 2.5]),
        ("j", 2, 2.0),
        ("o", 2, 2.0),
        ("p", 2, 2.0),
        ("k", [1, 2], [1.0, 2.0]),
        ("m", 2, 2.0),
        ("n", 2.0, 2),
        ("a", 10**310, 10**310),
    ],
)
def test_a_value_gets_the_type_that_a_parameter_declares(name, value, given):
    got = as_declared(typed, {name: value})[name]
    assert (repr(got), type(got)) == (repr(given), type(given))
