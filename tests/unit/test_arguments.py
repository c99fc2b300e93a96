"""Options of constructors: which ones a configuration may set."""

from functools import wraps

import pytest

from optimist.core.arguments import check_keywords, check_options_are_named, defaults
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


WORLD = "self, *, horizon, trial, stream, arms=5, noise=0.1"


@pytest.mark.parametrize(
    ("kind", "cls", "refusal"),
    [
        (
            "algorithm",
            Passed,
            "`**options` in Passed (test_arguments.py, line 20): name the options "
            "that it passes on, such as `def __init__(self, problem, *, rng, a=1, gamma=0.1)`",
        ),
        ("algorithm", Inherited, "`**options` in Passed (test_arguments.py, line 20)"),
        ("algorithm", Starred, "`**others` in Starred (test_arguments.py, line 25)"),
        ("environment", Passed, f"passes on, such as `def __init__({WORLD})`"),
        (
            "environment",
            Told,
            "`**told` in Told (test_arguments.py, line 30): name the options that "
            "it passes on, such as `def problem(self, delta=0.05)`",
        ),
    ],
)
def test_a_method_that_passes_any_option_on_is_refused(kind, cls, refusal):
    with pytest.raises(ConfigError) as error:
        check_options_are_named(kind, cls)
    assert refusal in str(error.value)


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
