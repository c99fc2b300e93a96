"""Checking documents against models, with messages that say what is allowed.

A model is a subclass of `optimist.core.keys.Keys` or another type of plain data. Pydantic checks
documents against the model, without converting any values. The model of an entry for a panel or a
table is made from the panel's class, by `entry_of`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Required, Union, get_args, get_origin

# Pydantic accepts typing.TypedDict only from Python 3.12 on.
from typing_extensions import TypedDict, get_type_hints, is_typeddict

from optimist.config.documents import Source
from optimist.core.errors import ConfigError, brief, nearest
from optimist.core.keys import Keys, Such

_TYPES = {
    list: "a list",
    dict: "keys with values",
    str: "text",
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    NoneType: "null",
}
# Descriptions of violated bounds, by pydantic's name for the kind of fault.
_BOUNDS = {
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "greater_than": "greater than {gt}",
    "less_than": "less than {lt}",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
}


def check(
    document: Any, model: Any, source: Source, place: str = "", *, is_part: bool = False
) -> None:
    """Raise ConfigError if a document does not fit a model.

    The message describes the first fault: the key, its value, and what is allowed.

    Parameters
    ----------
    document : plain data
    model : type
    source : Source
        The file that contains the document.
    place : str
        The document's dotted key in the file; empty for the whole file.
    is_part : bool
        Whether keys may be missing, as in an overlay.
    """
    from pydantic import ValidationError

    try:
        _adapter(model).validate_python(document)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        faults = [
            _Fault.of(e, document, model) for e in errors if e["type"] != "missing" or not is_part
        ]
        if faults:
            raise ConfigError(_first(faults).message(document, model, source, place)) from None


# Types.


def bare(hint: Any) -> tuple[Any, list[Any]]:
    """Split a type into the plain type and its conditions."""
    conditions: list[Any] = []
    while get_origin(hint) in (Annotated, NotRequired, Required):
        hint, *more = get_args(hint)
        conditions += more
    return hint, conditions


def members(hint: Any) -> list[Any]:
    """Return the members of a union, or the type itself if it is not a union."""
    hint, conditions = bare(hint)
    if get_origin(hint) in (Union, UnionType):
        return [*get_args(hint)]
    return [Annotated[(hint, *conditions)] if conditions else hint]


@lru_cache
def keys_of(model: Any) -> dict[str, object]:
    """Return the type of each key of a subclass of `Keys`; other types have no keys."""
    return get_type_hints(model, include_extras=True) if is_typeddict(model) else {}


@lru_cache
def entry_of(kind: type) -> Any:
    """Return the model of the entries that a dataclass is made from.

    Its keys are the fields of the class. A field with a default may be left out; the default None
    is no allowed value.
    """
    hints, keys = get_type_hints(kind, include_extras=True), dict[str, Any]()
    for field in fields(kind):
        hint = reduce(or_, (one for one in members(hints[field.name]) if one is not NoneType))
        keys[field.name] = hint if field.default is MISSING else NotRequired[hint]
    model: Any = TypedDict(kind.__name__, keys)  # type: ignore[misc]
    model.__pydantic_config__ = Keys.__pydantic_config__  # type: ignore[attr-defined]
    return model


def inside(hint: Any, key: str | int) -> Any:
    """Return the type of the value under a key or index; Any if the type does not determine it."""
    for member in members(hint):
        member, _ = bare(member)
        if is_typeddict(member):
            return keys_of(member).get(str(key), Any)
        if get_origin(member) is (list if isinstance(key, int) else dict):
            return get_args(member)[-1]
    return Any


def _has(hint: Any, key: Any) -> bool:
    """Return whether a type allows values under a key."""
    plain = [bare(member)[0] for member in members(hint)]
    return hint is Any or any(key in keys_of(t) or get_origin(t) is dict for t in plain)


@lru_cache
def _adapter(model: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(model)


# Faults.


@dataclass(frozen=True)
class _Fault:
    """A fault in a document.

    Attributes
    ----------
    kind : str
        Pydantic's name for the kind of fault, or "key" for a malformed key.
    path : tuple
        Keys and indices that lead to the faulty value.
    name : str or int
        The unknown, missing or malformed key in that value.
    bound : mapping
        The violated bound, as given by pydantic.
    """

    kind: str
    path: tuple[Any, ...]
    name: Any
    bound: Mapping[str, object]

    @classmethod
    def of(cls, error: Mapping[str, Any], document: Any, model: Any) -> "_Fault":
        """Construct a fault from a pydantic error.

        The error's location also contains members of unions, which the path leaves out.
        """
        kind, location, path = error["type"], error["loc"], list[Any]()
        value, hint = document, model
        is_key = location[-1:] == ("[key]",)
        for step in location[:-1] if kind == "extra_forbidden" else location:
            is_item = isinstance(step, int) and isinstance(value, list)
            if is_item or (isinstance(value, Mapping) and step in value and _has(hint, step)):
                path.append(step)
                value, hint = value[step], inside(hint, step)
        name = path.pop() if is_key else next(reversed(location), None)
        return cls("key" if is_key else kind, tuple(path), name, error.get("ctx", {}))

    @property
    def is_of_type(self) -> bool:
        """Whether the fault is a wrong type; for a union, there is one such fault per member."""
        return self.kind.endswith(("_type", "_required"))

    def message(self, document: Any, model: Any, source: Source, place: str) -> str:
        """Return the one-line message for the user."""
        value, hint = document, model
        for step in self.path:
            value, hint = value[step], inside(hint, step)
        key = ".".join(str(part) for part in ((place, *self.path) if place else self.path))
        at = f"{key}.{self.name}" if self.kind in ("extra_forbidden", "key") else key
        return f"{source.at(at)}: {self._text(key or 'the document', value, hint)}"

    def _text(self, key: str, value: Any, hint: Any) -> str:
        plain, _ = bare(hint)
        names = keys_of(plain)
        if self.kind == "extra_forbidden":
            return (
                f"unknown key {self.name!r} in {key}{nearest(self.name, names)}; "
                f"allowed: {', '.join(sorted(names))}"
            )
        if self.kind == "missing":
            required = ", ".join(name for name in names if name in plain.__required_keys__)
            return f"{key} lacks the key {self.name!r}; required: {required}"
        if self.kind == "key":
            allowed = _unmet(get_args(plain)[0], self.name)
            return f"{key} has the key {self.name!r}; allowed: {allowed}"
        shown = brief(value) if isinstance(value, str) else repr(value)
        if self.kind == "literal_error":
            words = [str(word) for word in get_args(plain)]
            return f"{key} is {shown}{nearest(value, words)}; allowed: {', '.join(words)}"
        return f"{key} is {shown}; allowed: {self._allowed(value, hint)}"

    def _allowed(self, value: Any, hint: Any) -> str:
        if self.kind in _BOUNDS:
            return _BOUNDS[self.kind].format(**self.bound)
        if self.kind == "predicate_failed":
            return _unmet(hint, value)
        plain = [bare(member)[0] for member in members(hint)]
        kinds = (dict if keys_of(t) else get_origin(t) or t for t in plain)
        return " or ".join(_TYPES.get(kind, "another value") for kind in kinds)


def _first(faults: Sequence[_Fault]) -> _Fault:
    """Return the least deeply nested informative fault; at equal depth, prefer an unknown key.

    A wrong type is uninformative if the value also has a deeper fault or a fault of another kind.
    """
    telling = [
        fault
        for fault in faults
        if not fault.is_of_type
        or not any(
            other.path[: len(fault.path)] == fault.path
            and (len(other.path) > len(fault.path) or not other.is_of_type)
            for other in faults
        )
    ]
    return min(telling, key=lambda fault: (len(fault.path), fault.kind != "extra_forbidden"))


def _unmet(hint: Any, value: Any) -> str:
    """Describe the first of a type's conditions that a value fails to meet."""
    conditions = [one for member in members(hint) for one in bare(member)[1]]
    unmet = (one.words for one in conditions if isinstance(one, Such) and not _meets(one, value))
    return next(unmet, "another value")


def _meets(condition: Such, value: Any) -> bool:
    """Return whether a value meets a condition; values of the wrong type count as meeting it."""
    try:
        return bool(condition.func(value))
    except (TypeError, ValueError):
        return True
