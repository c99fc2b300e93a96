"""Which source files a module needs, found by following imports without importing anything.

A module is one of this package or of another, by its dotted name, or a file, by its path. What is
followed is this package; the package of the module; and of a file, the modules in its folder.
"""

import ast
import importlib.util
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from optimist.errors import UnreadableError

PACKAGE = __name__.partition(".")[0]
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_IMPORT = re.compile(
    r"^[ \t]*(?:from ([.\w]+) import (\([^)]*\)|.*)|import ([\w., \t]+))", re.MULTILINE
)


def is_file(module: str) -> bool:
    """Return whether a module is named by the path of its file."""
    return module.endswith(".py")


def is_own(module: str) -> bool:
    """Return whether a module, by its dotted name or by its path, is one of this package."""
    return module.startswith((f"{PACKAGE}.", _FOLDER))


def closure(module: str) -> frozenset[str]:
    """Return the files of a module and of all modules that it imports and that are followed.

    Raises
    ------
    ModuleNotFoundError
        If there is no such module.
    UnreadableError
        If the system does not let a file be read.
    """
    if is_file(module):
        return _closure(os.path.abspath(module), (PACKAGE,), has_folder=True)
    if is_own(module):
        return _own_closure(module)
    return _closure(origin(module), (PACKAGE, module.partition(".")[0]))


@lru_cache
def _own_closure(module: str) -> frozenset[str]:
    return _closure(origin(module), (PACKAGE,))


def _closure(start: str, packages: tuple[str, ...], *, has_folder: bool = False) -> frozenset[str]:
    files: set[str] = set()
    todo = [start]
    while todo:
        path = todo.pop()
        if path in files:
            continue
        files.add(path)
        if is_own(path):
            todo += _own_imports(path)
        else:
            todo += _of_packages(path, packages)
            todo += _beside(path) if has_folder else ()
    return frozenset(files)


@lru_cache
def _own_imports(path: str) -> tuple[str, ...]:
    return tuple(_of_packages(path, (PACKAGE,)))


def _of_packages(path: str, packages: Iterable[str]) -> Iterator[str]:
    """Yield the files of some packages that the file at ``path`` imports at any level."""
    for name in _names(path):
        if name.startswith("."):
            yield from _below(*_climbed(name, path))
        elif name.partition(".")[0] in packages and name != PACKAGE and _exists(name):
            yield origin(name)


def _beside(path: str) -> Iterator[str]:
    """Yield the files in the folder of the file at ``path`` that it imports."""
    for name in _names(path):
        yield from _below(os.path.dirname(path), name)


def _climbed(name: str, path: str) -> tuple[str, str]:
    """Return the folder that a relative import starts from, and what it names there."""
    rest = name.lstrip(".")
    folder = Path(path).parent
    for _ in range(len(name) - len(rest) - 1):
        folder = folder.parent
    return str(folder), rest


def _below(folder: str, name: str) -> Iterator[str]:
    """Yield the file of the module ``name`` below a folder, and of the packages around it."""
    place = folder
    for part in name.split("."):
        place = os.path.join(place, part)
        if os.path.isfile(path := os.path.join(place, "__init__.py")):
            yield path
    if os.path.isfile(path := f"{place}.py"):
        yield path


def _names(path: str) -> set[str]:
    """Return all that the file at ``path`` may import: modules, and names in them."""
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror or error}") from None
    return _found_in_text(source.decode()) if is_own(path) else set(_found_in_tree(source))


@lru_cache
def _found_in_tree(source: bytes) -> frozenset[str]:
    """Return the names in a source in any encoding and form; of one with an error, none."""
    try:
        with warnings.catch_warnings(action="ignore"):  # they are shown when it is executed
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            dot = "" if package.endswith(".") else "."
            found.update((package, *(f"{package}{dot}{alias.name}" for alias in node.names)))
    return frozenset(found)


def _found_in_text(source: str) -> set[str]:
    """Return the names in a source of this package, ten times faster than by its tree."""
    found: set[str] = set()
    for package, names, modules in _IMPORT.findall(source):
        dot = "" if package.endswith(".") else "."
        words = re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names))
        found.update((package, *(f"{package}{dot}{word}" for word in words)))
        found.update(re.findall(r"[\w.]+", re.sub(r" as \w+", "", modules)))
    return found - {""}


@lru_cache
def origin(module: str) -> str:
    """Return the path of the file of a module, by its dotted name."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module {module!r}")
    return spec.origin


@lru_cache
def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
