"""Look up classes by name in a table, in an installed package or in a file (``mine.py:Mine``)."""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import entry_points
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

from optimist.core.arguments import check_options_are_named
from optimist.core.errors import ConfigError, nearest
from optimist.core.observation import observe
from optimist.core.source_files import (
    FOLDER,
    Signature,
    closure,
    dotted,
    is_file,
    is_own,
    signature,
)
from optimist.core.user_errors import in_one_line

_folder = ""  # relative paths of files refer to this folder; "" for the current one
_FILE = re.compile(r"(?P<path>[^:]+\.py):(?P<name>[A-Za-z_]\w*)")


class OtherDomainError(ConfigError):
    """Raised when a class is meant for another kind of setting."""


class BrokenPackageError(ConfigError):
    """Raised when an installed package offers a class, but its module cannot be loaded."""


@contextmanager
def keeping_folder() -> Iterator[None]:
    """Find users' files from the current folder, even if a class changes it; then return to it."""
    global _folder
    before, start = _folder, os.getcwd()
    _folder = before or start
    try:
        yield
    finally:
        _folder = before
        os.chdir(start)


def names_file(name: str) -> bool:
    """Return whether a name denotes a class in a file, ``path.py:Class``."""
    return _FILE.fullmatch(name) is not None


def short_name(name: str) -> str:
    """Return ``name``, without the folder if it denotes a class in a file."""
    return PurePath(name).name if names_file(name) else name


def file_meant(text: str) -> str:
    """Suggest a full name, as in ``" (did you mean 'mine.py:Mine'?)"``.

    The user's text lacks the class or the file. If no class is found, the result is empty.

    Parameters
    ----------
    text : str
        A path with or without its extension, or the name of a class in the current folder.
    """
    path = text if text.endswith(".py") else f"{text}.py"
    names = [f"{path}:{name}" for name in _classes_written_in(path)]
    if not names and text.isidentifier():
        files = sorted(map(str, Path().glob("*.py")))
        names = [f"{file}:{text}" for file in files if text in _classes_written_in(file)]
    return f" (did you mean {' or '.join(map(repr, names))}?)" if names else ""


def _classes_written_in(path: str) -> list[str]:
    """Return the names of a file's public classes without executing it."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    return [name for name in classes if not name.startswith("_")]


def canonical_name(name: str) -> str:
    """Return a class's canonical name, which does not depend on how its path was typed.

    The path is relative if the file is inside the current folder, and absolute otherwise.
    """
    match = _FILE.fullmatch(name)
    if match is None:
        return name
    path = os.path.relpath(match["path"])
    if path.startswith(os.pardir):
        path = os.path.abspath(match["path"])
    return f"{PurePath(path).as_posix()}:{match['name']}"


@dataclass(frozen=True)
class Registry:
    """Registry of classes of one kind.

    Attributes
    ----------
    kind : str
        Name of this kind in messages, such as ``algorithm``.
    table : mapping
        Classes of this package as ``module:Class``, by name.
    group : str
        Group of entry points through which installed packages offer additional classes.
    bases : tuple of str
        Base classes as ``module:Class``; each class derives from at least one of them.
    taken : frozenset of str
        Names, besides those in ``table``, that no package may offer.
    related : tuple of str
        Base classes for other kinds of setting, as ``module:Class``.
    """

    kind: str
    table: Mapping[str, str]
    group: str
    bases: tuple[str, ...]
    taken: frozenset[str] = frozenset()
    related: tuple[str, ...] = ()

    def __contains__(self, name: str) -> bool:
        is_listed = name in self.table or name in self.added
        return is_listed or names_file(name) or name in self.offered

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names in ``table``, `added` and `offered`."""
        return iter((*self.table, *self.added, *self.offered))

    @cached_property
    def added(self) -> dict[str, Callable[[], Any]]:
        """Functions that return the classes that have no file, by name."""
        return {}

    def accepts(self, cls: type) -> bool:
        """Return whether a class derives from a base of this kind."""
        return issubclass(cls, self._bases)

    def is_foreign(self, name: str) -> bool:
        """Return whether a class comes from a file, another package or `add`."""
        return name not in self.table

    def add(self, cls: type) -> str:
        """Register a class under its own name, replacing any earlier class of that name.

        Raises
        ------
        ConfigError
            If the name of the class is taken, or if the class lacks a required method or is of
            another kind.
        """
        name = cls.__name__
        if name in self.taken.union(self.table) or name in self.offered:
            raise ConfigError(f"{name!r} is the name of a known {self.kind}; allowed: another name")
        self._check(name, cls)
        self.added[name] = lambda: cls
        return name

    def refusal(self, name: str) -> ConfigError:
        """Return the error for a class of another kind."""
        return ConfigError(f"{name} is not an {self.kind}; allowed: {self._allowed}")

    @cached_property
    def offered(self) -> dict[str, str]:
        """Classes offered by installed packages, as ``module:Class``, by name.

        Raises
        ------
        ConfigError
            If an installed package offers a name that optimist itself uses.
        """
        places = {}
        for entry in entry_points(group=self.group):
            if entry.name in self.taken.union(self.table):
                raise ConfigError(
                    f"{self._offer(entry.name)}, a name that optimist itself uses; allowed: "
                    "another name"
                )
            places[entry.name] = entry.value
        return places

    def _offer(self, name: str) -> str:
        """Describe the offer of an installed package, with the name of the package."""
        entry = next(one for one in entry_points(group=self.group) if one.name == name)
        package = entry.dist.name if entry.dist else entry.value
        return f"package {package!r} offers the {self.kind} {name!r}"

    def module(self, name: str) -> str:
        """Return the module of a class, in the form accepted by `optimist.core.source_files`.

        Raises
        ------
        ConfigError
            If the name is unknown or the file does not exist.
        """
        return self._target(name)[0]

    def load(self, name: str) -> Any:
        """Load and return the class denoted by ``name``.

        Raises
        ------
        ConfigError
            If the name is unknown, the file cannot be loaded, or the class is of another kind.
        """
        if name in self.added:
            return self.added[name]()
        module, wanted = self._target(name)
        if name in self.table:
            return _attribute(self.table[name])
        loaded = _loaded(module) if is_file(module) else self._imported(name, module)
        cls = getattr(loaded, wanted, None)
        if not isinstance(cls, type):
            if name in self.offered:
                raise self._broken(name, f"{module} has no class {wanted!r}")
            names = self._classes(loaded)
            raise ConfigError(
                f"{module} has no class {wanted!r}{nearest(wanted, names)}; allowed: "
                f"{', '.join(names) or self._allowed}"
            )
        self._check(name, cls)
        reads = getattr(cls, "reads", ())
        for path in reads if isinstance(reads, list | tuple) else [reads]:
            if isinstance(path, str | Path):
                observe(path)
        return cls

    def _target(self, name: str) -> tuple[str, str]:
        """Return the module that defines a class, and the class's name there."""
        match = _FILE.fullmatch(name)
        if match is not None:
            path = Path(_folder, match["path"])
            if not path.is_file():
                others = (other.name for other in path.parent.glob("*.py") if other.is_file())
                hint = nearest(path.name, others)
                raise ConfigError(f"{self.kind} {name!r}: there is no file {match['path']!r}{hint}")
            return match["path"], match["name"]
        if name in self.added:
            raise ConfigError(
                f"{self.kind} {name!r} exists only in this process; allowed: a class in a file"
            )
        places = self.table if name in self.table else self.offered
        if name not in places:
            raise self.unknown(name)
        module, _, wanted = places[name].partition(":")
        package = module.partition(".")[0]
        if places is self.offered and importlib.util.find_spec(package) is None:
            raise self._broken(name, f"there is no module {package!r}")
        return module, wanted

    def _imported(self, name: str, module: str) -> ModuleType:
        """Return the module of a class that an installed package offers."""
        try:
            return importlib.import_module(module)
        except (Exception, SystemExit) as error:
            raise self._broken(
                name, f"its module cannot be loaded: {in_one_line(error)}"
            ) from error

    def _broken(self, name: str, fault: str) -> BrokenPackageError:
        return BrokenPackageError(
            f"{self._offer(name)}, but {fault}; install the package again, or remove it"
        )

    def unknown(self, name: str) -> ConfigError:
        """Return the error for a name that is unknown or belongs to another kind of setting."""
        if name in self.taken:
            return OtherDomainError(
                f"{self.kind} {name!r} is for another kind of setting; allowed here: "
                f"{', '.join(sorted(self))}, or a class in a file, path.py:Class"
            )
        return ConfigError(
            f"unknown {self.kind} {name!r}{file_meant(name) or nearest(name, self)}; allowed: "
            f"{', '.join(sorted(self))}, or a class in a file, path.py:Class"
        )

    @property
    def _bases(self) -> tuple[type, ...]:
        return tuple(_attribute(base) for base in self.bases)

    @property
    def _allowed(self) -> str:
        return f"a subclass of {' or '.join(base.replace(':', '.') for base in self.bases)}"

    def _classes(self, module: ModuleType) -> list[str]:
        """Return the names of a module's own classes of this kind."""
        defined = (v for v in vars(module).values() if isinstance(v, type))
        return [
            cls.__name__
            for cls in defined
            if issubclass(cls, self._bases) and cls.__module__ == module.__name__
        ]

    def _check(self, name: str, cls: type) -> None:
        if not issubclass(cls, self._bases):
            if issubclass(cls, tuple(map(_attribute, self.related))):
                raise OtherDomainError(
                    f"{name} is for another kind of setting; allowed here: {self._allowed}"
                )
            raise self.refusal(name)
        if inspect.isabstract(cls):
            names = sorted(getattr(cls, "__abstractmethods__"))  # noqa: B009
            hint = nearest(names[0], vars(cls))
            raise ConfigError(
                f"{name} does not define {', '.join(names)}{hint}; allowed: a class that defines "
                "all abstract methods; `optimist new` writes a working example"
            )
        check_options_are_named(self.kind, cls)


def _attribute(place: str) -> Any:
    """Return the object at ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _loaded(module: str) -> ModuleType:
    """Load a file as a module, again if the file or one of its imports was edited."""
    path = os.path.abspath(os.path.join(_folder, module))
    files = frozenset((file, signature(file)) for file in closure(path))
    with nullcontext() if _folder else keeping_folder():
        return _load(module, path, files, os.getpid())


@lru_cache
def _load(
    shown: str, path: str, files: frozenset[tuple[str, Signature]], process: int
) -> ModuleType:
    """Load the file at ``path`` as a module; messages call the file ``shown``.

    ``files`` holds the signatures of the file and its imports. They are part of the cache's key, so
    an edited file is loaded again. So is ``process``: a copy of a process, which records the inputs
    of the file, loads it again.
    """
    folder = os.path.dirname(path)
    for name, module in list(sys.modules.items()):  # remove earlier versions of the files
        place = getattr(module, "__file__", None)
        if name != "__main__" and place in dict(files) and not is_own(place):
            del sys.modules[name]
    if folder not in sys.path:
        sys.path.append(folder)  # at the end, so that no file there hides a library
    name = f"{Path(path).stem}_{hashlib.sha256(path.encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        fault = f"{shown} cannot be loaded: {in_one_line(error)}{_way_out(error)}"
        raise ConfigError(fault) from error
    return module


def _way_out(error: BaseException) -> str:
    """Return advice for a file that was written for another version of this package, or ""."""
    name = getattr(error, "name", None) if isinstance(error, ImportError) else None
    if name is None or not is_own(f"{name}."):
        return ""
    known = map(dotted, map(str, Path(FOLDER).rglob("*.py")))
    hint = nearest(name, known) if isinstance(error, ModuleNotFoundError) else ""
    return (
        f"{hint}; this version of optimist has other modules; `optimist new`, with another NAME, "
        "writes an example of its imports"
    )
