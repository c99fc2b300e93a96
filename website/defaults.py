"""Defaults of parameters that a docstring describes together, ``trials, first : int``.

Griffe, which reads docstrings, gives all of them the default of the first.
"""

from collections.abc import Sequence
from typing import Any

import griffe


class Defaults(griffe.Extension):
    """Takes the default of each parameter from the signature.

    Parameters
    ----------
    places : list of str
        Packages and modules that the site shows. Docstrings elsewhere are not read.
    """

    def __init__(self, places: Sequence[str]) -> None:
        self._places = tuple(places)

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """Mend the docstring of a function; a class describes the parameters of its constructor."""
        if not func.path.startswith(self._places):
            return
        for described in (func, func.parent if func.name == "__init__" else None):
            if described is not None and described.docstring is not None:
                _mend(described.docstring, func.parameters)


def _mend(docstring: griffe.Docstring, parameters: griffe.Parameters) -> None:
    for section in docstring.parsed:
        if section.kind is griffe.DocstringSectionKind.parameters:
            for described in section.value:
                if described.name in parameters:
                    described.value = parameters[described.name].default
