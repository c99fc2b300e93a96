"""Expansion of ``each``: an entry that stands for several settings, panels or checks.

Under ``each``, an entry gives several values to some of its keys. It stands for one entry for each
combination of these values, and the value of the first key changes slowest.
"""

from collections.abc import Container, Iterator, Mapping
from itertools import product
from typing import Any

from optimist.config.documents import Document
from optimist.config.labels import Names
from optimist.core.errors import ConfigError


def each_of(place: str, entry: Mapping[str, Any], beside: Container[str]) -> Document:
    """Return the keys under ``each`` with their values, as they are written.

    Parameters
    ----------
    place : str
        Key of the entry, for messages.
    entry : mapping
    beside : container of str
        Keys to which the entry itself gives a single value.

    Raises
    ------
    ConfigError
        If ``each`` is no mapping, or a key in it has no values or is also in ``beside``.
    """
    each = entry.get("each")
    if each is None:
        return {}
    if not isinstance(each, Mapping) or not each:
        raise ConfigError(f"{place}.each is {each!r}; allowed: keys with lists of values")
    for key, values in each.items():
        if key in beside:
            raise ConfigError(
                f"{place}: {key!r} is given twice, under 'each' and beside it; allowed: once"
            )
        if not isinstance(values, str | list | Mapping) or not values:
            raise ConfigError(
                f"{place}.each.{key} is {values!r}; allowed: a list with at least one value"
            )
    return {**each}


def combinations(
    place: str, each: Mapping[str, Any], names: Names | None = None
) -> Iterator[Document]:
    """Yield each combination of the values in ``each``, the result of `each_of`.

    Lists and sweeps of labels are expanded by ``names``, if given.
    """
    choices = {
        key: names.values(f"{place}.each.{key}", key, values) if names else [*values]
        for key, values in each.items()
    }
    for values in product(*choices.values()):
        yield dict(zip(choices, values, strict=True))
