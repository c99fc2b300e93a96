"""Types: every public function of the package says what it takes and returns."""

import ast

import pytest
from toy_environments import ROOT

FILES = sorted((ROOT / "src/optimist").rglob("*.py"))


def public_functions(node, prefix="", public=True):
    """Yield name and syntax tree of the public functions and methods below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            own = public and not child.name.startswith("_")
            yield from public_functions(child, f"{prefix}{child.name}.", own)
        elif isinstance(child, ast.FunctionDef) and public and _is_public(child.name):
            yield f"{prefix}{child.name}", child


def _is_public(name):
    return name == "__init__" or not name.startswith("_")


def lacking(function, is_method):
    """Return the names of arguments without a type, and ``return`` where that has none."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    if is_method and named and named[0].arg in ("self", "cls"):
        named = named[1:]
    named += [found for found in (arguments.vararg, arguments.kwarg) if found]
    found = [argument.arg for argument in named if argument.annotation is None]
    return found + (["return"] if function.returns is None else [])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_public_functions_are_typed(path):
    functions = public_functions(ast.parse(path.read_text()))
    found = {name: lacking(function, "." in name) for name, function in functions}
    assert {name: lack for name, lack in found.items() if lack} == {}
