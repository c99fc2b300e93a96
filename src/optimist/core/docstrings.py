"""Read docstrings in numpydoc format."""

import inspect
import re


def option_texts(cls: type) -> dict[str, tuple[str, str]]:
    """Return the documented types and meanings of a class's and its bases' options, by name."""
    texts: dict[str, tuple[str, str]] = {}
    for base in reversed(cls.__mro__):
        texts |= parameters_of(vars(base).get("__doc__") or "")
    return texts


def parameters_of(docstring: str) -> dict[str, tuple[str, str]]:
    """Return the types and meanings of a docstring's parameters and attributes, by name."""
    texts: dict[str, tuple[str, str]] = {}
    lines = inspect.cleandoc(docstring).splitlines()
    for number, line in enumerate(lines):
        entry = re.fullmatch(r"([\w, ]+) : (.+)", line)
        if entry:
            block = []
            for below in lines[number + 1 :]:
                if below and not below.startswith(" "):
                    break
                block.append(below.strip())
            meaning = " ".join(filter(None, block))
            texts |= dict.fromkeys(map(str.strip, entry[1].split(",")), (entry[2], meaning))
    return texts
