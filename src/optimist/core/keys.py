"""Types of the keys in configuration files.

A mapping is a class of `Keys`: its keys with their types, each with a sentence after ``#:`` for
the tables of keys in config/README.md. `optimist.config.validation` checks documents against them
with pydantic, which no job imports.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, MinLen, Predicate

# Pydantic takes that of typing from Python 3.12 on.
from typing_extensions import TypedDict


class Keys(TypedDict):
    """A mapping with these keys and no others."""


# Neither 2.0 nor "2" nor true is the whole number 2.
Keys.__pydantic_config__ = {  # type: ignore[attr-defined]
    "extra": "forbid",
    "strict": True,
    "allow_inf_nan": False,
}


@dataclass(frozen=True)
class Such(Predicate):
    """A condition on a value, with words for the values that it allows.

    Attributes
    ----------
    func : callable
        Whether it allows a value.
    words : str
    pattern : str
        The regular expression that it stands for, if it does.
    """

    words: str
    pattern: str = ""


def matching(pattern: str, words: str = "") -> Such:
    """Return the condition that a text matches a regular expression."""
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
# A label, $list or sweep, or a list of them.
Entries = str | dict[str, Any] | Annotated[list[Any], MinLen(1)]
Group = Literal["paper", "variants"]
