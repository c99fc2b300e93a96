"""Which source files decide a result, found by following imports without importing anything."""

import hashlib
import importlib.util
import re
from functools import lru_cache
from pathlib import Path

from optimist.algorithms import algorithm_module
from optimist.environments import environment_module
from optimist.label import name_of
from optimist.runs.cell import Cell

# Modules that read labels, build every trial, end it in time and write its table. What they import
# is left out: the registries name every algorithm, and decide no result.
GLUE = (
    *("optimist.runs.cell", "optimist.runs.setting", "optimist.runs.results"),
    *("optimist.runs.trials", "optimist.runs.limits", "optimist.label"),
)
# What decides times beside that.
TURNS = "optimist.runs.turns"
LOOP = ("optimist.runs.loop", "optimist.runs.seeding")
_IMPORT = re.compile(
    r"^[ \t]*(?:from (optimist[\w.]*) import (\([^)]*\)|.*)|import (optimist[\w.]+))", re.MULTILINE
)


def source_files(
    cell: Cell, probe: dict[str, object] | None = None, *, in_turns: bool = False
) -> list[str]:
    """Return the source files that decide a cell's results, as sorted paths.

    They are the modules of its algorithm and environment (and of the leader of a ``probe``), the
    loop, everything of this package that those import, and what builds a trial; of cells that are
    timed ``in_turns``, what orders them too.
    """
    labels = [cell.algorithm, *([str(probe["leader"])] if probe else [])]
    modules = [algorithm_module(name_of(label), cell.domain) for label in labels]
    return _files(*modules, environment_module(cell.spec["environment"]), in_turns=in_turns)


@lru_cache
def _files(*modules: str, in_turns: bool) -> list[str]:
    glue = {_origin(name) for name in (*GLUE, *([TURNS] if in_turns else []))}
    return sorted(glue.union(*(module_closure(module) for module in (*modules, *LOOP))))


@lru_cache
def digest(files: tuple[str, ...]) -> str:
    """Return the SHA-256 of the contents of some files, in their order."""
    return hashlib.sha256(b"".join(map(_file_digest, files))).hexdigest()


@lru_cache
def _file_digest(path: str) -> bytes:
    return hashlib.sha256(Path(path).read_bytes()).digest()


@lru_cache
def module_closure(module: str) -> frozenset[str]:
    """Return the files of a module and of all modules of this package that it imports."""
    files: dict[str, str] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in files:
            files[name] = _origin(name)
            todo += _imports(files[name])
    return frozenset(files.values())


@lru_cache
def _origin(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module {module!r}")
    return spec.origin


@lru_cache
def _imports(path: str) -> tuple[str, ...]:
    """Return the modules of this package that the file at ``path`` imports at any level."""
    found = set()
    for package, names, module in _IMPORT.findall(Path(path).read_text(encoding="utf-8")):
        words = re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names))
        found.update({module, package, *(f"{package}.{word}" for word in words)} - {""})
    return tuple(sorted(name for name in found if name.startswith("optimist.") and _exists(name)))


@lru_cache
def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
