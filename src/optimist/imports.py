"""Which source files a module needs, found by following imports without importing anything.

A module is one of this package or of another, by its dotted name, or a file, by its path. What is
followed is this package; the package of the module; and of a file, the modules in its folder.
"""

import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

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
    """Yield the file of the module ``name`` below a folder, if there is one."""
    place = os.path.join(folder, *name.split("."))
    for path in (f"{place}.py", os.path.join(place, "__init__.py")):
        if os.path.isfile(path):
            yield path


def _names(path: str) -> set[str]:
    """Return all that the file at ``path`` may import: modules, and names in them."""
    found: set[str] = set()
    for package, names, modules in _IMPORT.findall(Path(path).read_text(encoding="utf-8")):
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
