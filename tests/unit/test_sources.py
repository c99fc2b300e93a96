"""Source files behind a result: what an edit must run again."""

import ast
from pathlib import Path

import pytest
from toy_environments import ROOT

from optimist.imports import closure
from optimist.runs.sources import digest

MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src/optimist").rglob("*.py"))
]


def imports(path):
    """Return the files of this package that a source file imports, by its syntax tree."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    places = (ROOT / "src" / name.replace(".", "/") for name in names if "optimist." in name)
    candidates = (p for place in places for p in (place.with_suffix(".py"), place / "__init__.py"))
    return {path for path in candidates if path.exists()}


@pytest.mark.parametrize("module", MODULES)
def test_a_closure_has_the_module_and_what_its_syntax_imports(module):
    files = {Path(path) for path in closure(module)}
    assert any(
        path.with_suffix("").parts[-1] in (module.split(".")[-1], "__init__") for path in files
    )
    for path in files:
        assert imports(path) <= files, path
    # Nothing is in it without being imported.
    reached = set().union(*(imports(path) for path in files))
    assert len(files - reached) <= 1


def test_the_digest_is_of_content(tmp_path):
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("1")
    two.write_text("1")
    first = digest((str(one),))
    assert digest((str(two),)) == first
    two.write_text("2")
    assert digest((str(one), str(two))) != first
