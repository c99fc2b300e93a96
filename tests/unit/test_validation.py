"""Checking documents against models: one line for each kind of fault."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

import pytest
from annotated_types import Ge, Lt, MinLen
from messages import message

from optimist.config.documents import Source
from optimist.config.validation import check, entry_of
from optimist.core.keys import Count, Keys, Name, Once


class Inner(Keys):
    kind: Literal["left", "right"]
    share: NotRequired[Annotated[float, Ge(0), Lt(1)]]


class Model(Keys):
    number: int
    cap: NotRequired[Count | None]
    names: NotRequired[str | Annotated[list[str], MinLen(1), Once]]
    options: NotRequired[dict[Name, Inner]]
    inner: NotRequired[list[Inner]]
    anything: NotRequired[Any]
    mixed: NotRequired[float | str | bool]


LEFT = {"kind": "left"}
FAULTS = [
    ({"number": 1, "mixed": {"float": 1}}, "mixed is {'float': 1}; allowed: "),
    ({"number": 1, "mixed": ["float"]}, "mixed is ['float']; allowed: "),
    ({"number": 1, "mixed": {"str": {"bool": 1}}}, "mixed is {'str': {'bool': 1}}; allowed: "),
    ({"number": 1, "names": {"str": 1}}, "names is {'str': 1}; allowed: "),
    ([], "the document is []; allowed: keys with values"),
    ({}, "the document lacks the key 'number'; required: number"),
    (
        {"number": 1, "caps": 3},
        "unknown key 'caps' in the document (did you mean 'cap'?); "
        "allowed: anything, cap, inner, mixed, names, number, options",
    ),
    ({"numbre": 1}, "unknown key 'numbre' in the document (did you mean 'number'?)"),
    ({"number": 2.0}, "number is 2.0; allowed: a whole number"),
    ({"number": True}, "number is True; allowed: a whole number"),
    ({"number": "2"}, "number is '2'; allowed: a whole number"),
    ({"number": None}, "number is None; allowed: a whole number"),
    ({"number": 1, "cap": 0}, "cap is 0; allowed: at least 1"),
    ({"number": 1, "cap": "x"}, "cap is 'x'; allowed: a whole number or null"),
    ({"number": 1, "names": 3}, "names is 3; allowed: text or a list"),
    ({"number": 1, "names": None}, "names is None; allowed: text or a list"),
    ({"number": 1, "names": []}, "names is []; allowed: at least 1 entries"),
    ({"number": 1, "names": ["a", 3]}, "names.1 is 3; allowed: text"),
    ({"number": 1, "names": ["a", "a"]}, "names is ['a', 'a']; allowed: each entry once"),
    (
        {"number": 1, "options": {"A b": LEFT}},
        "options has the key 'A b'; allowed: text matching ^[a-z][a-z0-9_]*$",
    ),
    ({"number": 1, "options": {"a": {}}}, "options.a lacks the key 'kind'; required: kind"),
    (
        {"number": 1, "inner": [LEFT, {"kind": "lft"}]},
        "inner.1.kind is 'lft' (did you mean 'left'?); allowed: left, right",
    ),
    ({"number": 1, "inner": [{**LEFT, "share": 1}]}, "inner.0.share is 1; allowed: less than 1"),
    (
        {"number": 1, "inner": [{**LEFT, "share": float("nan")}]},
        "inner.0.share is nan; allowed: a number",
    ),
    ({"number": "x" * 99}, f"number is {'x' * 80!r}... (99 characters); allowed: a whole number"),
]


@pytest.mark.parametrize(("document", "words"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_one_line(document, words):
    assert message(check, document, Model, Source("x.yaml")).startswith(f"x.yaml: {words}")


def test_what_is_allowed_is_left_as_it_is():
    document = {"number": 1, "cap": None, "names": "a", "inner": [{**LEFT, "share": 0}]}
    check(document, Model, Source("x.yaml"))
    assert type(document["inner"][0]["share"]) is int


def test_of_an_overlay_no_key_is_missing():
    check({"inner": [{}]}, Model, Source("x.yaml"), is_part=True)
    found = message(check, {"cap": 0, "inner": [{}]}, Model, Source("x.yaml"), is_part=True)
    assert found == "x.yaml: cap is 0; allowed: at least 1"


def test_a_document_may_be_a_part_of_a_file():
    found = message(check, {"kind": 3}, Inner, Source("x.yaml"), "options.a")
    assert found == "x.yaml: options.a.kind is 3; allowed: left, right"


@dataclass(frozen=True, kw_only=True)
class Made:
    number: int
    names: Annotated[list[str], MinLen(1)] | None = None
    share: Annotated[float, Lt(1)] = 0.5


@pytest.mark.parametrize(
    "entry, words",
    [
        ({}, "one lacks the key 'number'; required: number"),
        ({"number": None}, "one.number is None; allowed: a whole number"),
        ({"number": 1, "names": None}, "one.names is None; allowed: a list"),
        ({"number": 1, "names": []}, "one.names is []; allowed: at least 1 entries"),
        ({"number": 1, "share": 1}, "one.share is 1; allowed: less than 1"),
        ({"number": 1, "nams": []}, "unknown key 'nams' in one (did you mean 'names'?)"),
    ],
)
def test_an_entry_fits_the_fields_of_the_class_that_it_makes(entry, words):
    check({"number": 1}, entry_of(Made), Source("f.yaml"), "one")
    check({"number": 1, "names": ["a"], "share": 0.1}, entry_of(Made), Source("f.yaml"), "one")
    assert words in message(check, entry, entry_of(Made), Source("f.yaml"), "one")
