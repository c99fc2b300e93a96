"""Constructors that pass options on: what a configuration may set."""

import inspect

import pytest

from optimist.core.arguments import check_keywords, defaults, name_options
from optimist.core.errors import ConfigError


class Base:
    def __init__(self, *, horizon, dimension=2, noise=0.1):
        self.given = horizon, dimension, noise

    def problem(self, *, delta=0.05):
        return delta


class Passed(Base):
    def __init__(self, **options):
        super().__init__(**options)

    def problem(self, **told):
        return super().problem(**told)


class Mixed(Base):
    def __init__(self, scale=1.0, *, noise=0.2, **options):
        super().__init__(noise=noise * scale, **options)


class Twice(Mixed):
    def __init__(self, *, shift=0.0, **others):
        super().__init__(**others)


class Places(Mixed):
    def __init__(self, *places, **options):
        super().__init__(*places, **options)


class Dropped(Base):
    def __init__(self, *, noise=0.3, **options):
        super().__init__(horizon=len(options), noise=noise)


class Inherited(Passed):
    pass


@pytest.mark.parametrize(
    ("cls", "names"),
    [
        (Passed, ["horizon", "dimension", "noise"]),
        (Inherited, ["horizon", "dimension", "noise"]),
        (Mixed, ["scale", "noise", "horizon", "dimension"]),
        (Twice, ["shift", "scale", "noise", "horizon", "dimension"]),
        (Places, ["scale", "noise", "horizon", "dimension"]),
        (Dropped, ["noise"]),
    ],
)
def test_options_are_those_that_a_constructor_names_and_passes_on(cls, names):
    name_options(cls)
    name_options(cls)  # again changes nothing
    assert [*inspect.signature(cls).parameters] == names
    assert cls(**({} if cls is Dropped else {"horizon": 3})).given[0] in (0, 3)


def test_what_is_told_is_passed_on_likewise():
    name_options(Passed)
    assert defaults(Passed.problem) == {"delta": 0.05}
    assert Passed(horizon=3).problem(delta=0.1) == 0.1


def test_messages_name_what_is_passed_on():
    name_options(Passed)
    check_keywords("x", ["noise"], Passed.__init__, supplied=("horizon",))
    with pytest.raises(ConfigError, match=r"unknown key 'nois' \(did you mean 'noise'\?\)"):
        check_keywords("x", ["nois"], Passed.__init__, supplied=("horizon",))
    with pytest.raises(ConfigError, match="key 'horizon' is missing"):
        check_keywords("x", ["noise"], Passed.__init__)
    name_options(Dropped)
    with pytest.raises(ConfigError, match=r"unknown key 'dimension'.*allowed: noise"):
        check_keywords("x", ["dimension"], Dropped.__init__)


class Mixin:
    def __init__(self, *places, **options):
        super().__init__(*places, **options)


def test_a_class_above_two_others_is_none_of_them():
    class Other:
        def __init__(self, *, width=1):
            self.width = width

    class One(Mixin, Base):
        pass

    class Two(Mixin, Other):
        pass

    for cls in (One, Two):
        name_options(cls)
    assert [*inspect.signature(One).parameters] == ["horizon", "dimension", "noise"]
    assert [*inspect.signature(Two).parameters] == ["width"]
    assert Two(width=3).width == 3
    assert [*inspect.signature(Mixin).parameters] == ["places", "options"]
