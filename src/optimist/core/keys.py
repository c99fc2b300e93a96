"""Types of the keys in configuration files.

A subclass of `Keys` declares the keys of a mapping and their types. Each key is explained by a
sentence after ``#:``, which also appears in the tables of config/README.md.
`optimist.config.validation` checks documents against these classes with pydantic, which no job
imports.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, MinLen, Predicate

# Pydantic accepts typing.TypedDict only from Python 3.12 on.
from typing_extensions import TypedDict


class Keys(TypedDict):
    """Base class of mappings that allow only the declared keys."""


# Types are strict: neither 2.0, "2" nor true is a whole number.
Keys.__pydantic_config__ = {  # type: ignore[attr-defined]
    "extra": "forbid",
    "strict": True,
    "allow_inf_nan": False,
}


@dataclass(frozen=True)
class Such(Predicate):
    """Condition on a value, with a description of the allowed values.

    Attributes
    ----------
    func : callable
        Function that returns whether a value is allowed.
    words : str
        Description of the allowed values.
    pattern : str
        Equivalent regular expression, or "" if there is none.
    """

    words: str
    pattern: str = ""


def matching(pattern: str, words: str = "") -> Such:
    """Return a condition that requires a string to match a regular expression."""
    compiled = re.compile(pattern)
    return Such(
        lambda text: bool(compiled.search(text)), words or f"text matching {pattern}", pattern
    )


Once = Such(lambda values: len({*values}) == len(values), "each entry once")
Count = Annotated[int, Ge(1)]
Positive = Annotated[float, Gt(0)]
Texts = Annotated[list[str], MinLen(1)]
Name = Annotated[str, matching("^[a-z][a-z0-9_]*$")]
NotBlank = Annotated[str, matching(r"\S", "a text that is not blank")]
# A label, a $list or a sweep, or a list of these.
Entries = str | dict[str, Any] | Annotated[list[Any], MinLen(1)]
Group = Literal["paper", "variants"]
