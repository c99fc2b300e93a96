"""Labels: one text for one cell, whatever a person types."""

import random

import pytest

from optimist.core.errors import ConfigError
from optimist.core.label import Label, same

WORDS = ("theory", "a", "per_trial", "x.y", "exact")


def _options(rng):
    values = (
        *(None, True, False, rng.choice(WORDS), rng.randint(-(10**6), 10**6)),
        *(rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-300, 300), rng.random(), 1e17, 2.0**60),
    )
    keys = rng.sample(("alpha", "b", "c_2", "d"), rng.randint(0, 4))
    return {key: rng.choice(values) for key in keys}


def test_parse_reads_what_str_writes():
    rng = random.Random(0)
    for _ in range(2000):
        label = Label.make("some_name_1.5", _options(rng))
        again = Label.parse(str(label))
        assert again == label
        assert [type(v) for _, v in again.options] == [type(v) for _, v in label.options]


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("bkb", "bkb"),
        ("bkb[]", "bkb"),
        ("a[y=2,x=1]", "a[x=1,y=2]"),
        ("a[ x = 1 ]", "a[x=1]"),
        ("a[x=1.0]", "a[x=1]"),
        ("a[x=0.10]", "a[x=0.1]"),
        ("a[x=1e-4]", "a[x=0.0001]"),
        ("a[x=true,y=null]", "a[x=true,y=null]"),
        ("a[x=True,y=False,z=None]", "a[x=true,y=false,z=null]"),
        ("a[x=1e16]", "a[x=10000000000000000]"),
        ("a[x=10000000000000000.0]", "a[x=10000000000000000]"),
        ("a[x=9007199254740993]", "a[x=9007199254740993]"),
        ("a[x=18446744073709551615]", "a[x=18446744073709551615]"),
        ("a[x=100000000000000000000]", "a[x=1e+20]"),
        ("a[x=1e20]", "a[x=1e+20]"),
        ("a[x=-1e16]", "a[x=-10000000000000000]"),
        ("a[x=007]", "a[x=7]"),
        (f"a[x=-{'0' * 5001}5]", "a[x=-5]"),
        ("varying_nu_1.5", "varying_nu_1.5"),
        ("./mine.py:Mine[gamma=0.1]", "./mine.py:Mine[gamma=0.1]"),
    ],
)
def test_str_is_canonical(typed, canonical):
    assert str(Label.parse(typed)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        *("", "a[", "a]", "a[x]", "a[x=]", "a[=1]", "a[x=1][y=2]", "a b", "a[x=1,x=1]", "a=1"),
        *(None, 3, "a[x=nan]", "a[x=inf]", "a[x=-inf]", "a[x=.inf]", "a[x=1e999]"),
        *(f"a[x={'9' * 5000}]", f"a[x=-{'9' * 309}]", "a[x=y\x1bc]", "a\x9b", "a[x=\u202eb]"),
    ],
)
def test_malformed_labels_are_refused(text):
    with pytest.raises(ConfigError):
        Label.parse(text)


def test_defaults_are_left_out():
    defaults = {"x": 1.0, "flag": True, "mode": "theory", "none": None}
    label = Label.parse("a[x=1,flag=true,mode=theory,none=null]")
    assert str(label.without(defaults)) == "a"
    assert str(Label.parse("a[flag=1]").without(defaults)) == "a[flag=1]"
    assert str(Label.parse("a[x=2,mode=theory]").without(defaults)) == "a[x=2]"


@pytest.mark.parametrize(
    ("value", "other", "expected"),
    [(1, 1.0, True), (True, 1, False), (0, False, False), (None, None, True), ("a", "a", True)],
)
def test_same(value, other, expected):
    assert same(value, other) is expected
