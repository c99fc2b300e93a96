"""Record the modules that a job loads and the other inputs that it reads, with their digests.

Import statements do not show everything that a job uses: a user's class may extend ``sys.path``,
construct another algorithm by name, or read data. An `Observer` therefore records the modules and
files used during play, and the inputs in `optimist.core.user_inputs` for which users' files ask.
`first_change` compares a record with the current state.

Python raises an audit event for each file that it opens, but not for files that a library such as
pyarrow opens itself. This package therefore passes such files to `observe`, and a user's class
lists them in its attribute ``reads``.
"""

import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from optimist.core import user_inputs
from optimist.core.errors import UnreadableError
from optimist.core.source_files import (
    COMPILED,
    PACKAGE,
    Signature,
    digest_of,
    imports_of,
    is_file,
    is_installed,
    is_left_out,
    is_own,
    own_file,
    signature,
)
from optimist.core.user_inputs import EXISTENCE, MISSING

# Name prefixes of this package's modules that a user's class may load without an import statement.
_METHODS = tuple(f"{PACKAGE}.{name}." for name in ("algorithms", "environments", "numerics"))
# Modules of packages whose versions are part of the name of a result.
NAMED = frozenset(("optimist", "numpy", "scipy", "pandas", "pyarrow", "sklearn", "snakemake"))
# Values recorded in place of a digest.
ABSENT, UNSTEADY = "", "changed while the job ran"
# Number of folders above the current one in which files are found by their place relative to it.
_LEVELS = 3
# Audit events of other inputs, with their kind or, for inputs that cannot be recorded, words.
_PROCESSES = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn")
_EVENTS = dict.fromkeys(_PROCESSES, "another process") | {"socket.connect": "a network"}
_EVENTS |= {"os.listdir": "folder", "os.scandir": "folder", "os.mkdir": "made"}
_EVENTS |= {"sqlite3.connect": "database", "ctypes.dlopen": "read"}
# Audit events whose second argument is the path that a job makes; os.replace raises the first.
_MOVES = ("os.rename", "os.symlink", "os.link")


class _Seen(NamedTuple):
    """Signature of a file, and its digest when first read (None if the job wrote the file)."""

    state: Signature | None
    digest: str | None
    is_module: bool = False


_MISSING = _Seen(None, MISSING)
Inputs = dict[str, dict[str, str]]  # digests of observed inputs, by kind and name
# What an observer has found: modules of this package, files, variables, a file of each top-level
# module of installed packages, databases, and inputs that cannot be recorded, in words.
Report = tuple[set[str], dict[str, _Seen], dict[str, str], dict[str, str], set[str], set[str]]


class Observer:
    """Recorder of the modules and files that a job uses within ``with`` blocks.

    Only one observer may be in use at a time.

    Parameters
    ----------
    modules : collection of str
        Dotted names of this package's modules that may affect the job's results; see
        `optimist.experiments.code_digest.own_modules`. Other modules are recorded if they are
        loaded within a block.
    ignored : iterable of path
        Files and folders not to record: outputs, and data sets with a checksum.
    is_foreign : bool
        Whether the job runs a user's code, which may use any loaded module.
    """

    def __init__(
        self,
        modules: Collection[str] = (),
        *,
        ignored: Iterable[str | Path] = (),
        is_foreign: bool = False,
    ) -> None:
        self._modules = frozenset(modules)
        self._ignored = tuple(os.path.realpath(path) for path in ignored if str(path))
        self._is_foreign = is_foreign
        self._folder = os.path.realpath(os.curdir)
        self._before: frozenset[str] = frozenset()
        self._environment = dict(os.environ) if is_foreign else {}
        self._found: Report = set(), {}, {}, {}, set(), set()
        self._own, self._seen, self._variables, self._installed, *sets = self._found
        self._databases, self.unrecorded = sets
        self._watch = ExitStack()

    def __enter__(self) -> Self:
        global _active
        _listen()
        self._before = frozenset(sys.modules)
        _active = self
        if self._is_foreign:
            self._watch.enter_context(user_inputs.replaced(_ask))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global _active
        self._watch.close()
        self._look()
        _active = None

    def record(self) -> Inputs:
        """Return mappings from names to digests, under ``modules``, ``files`` and other kinds.

        Modules of this package are listed by dotted name, everything else by path, relative to the
        folder in which the observer was created unless it is far from there. The digest is `ABSENT`
        for a file that the job did not find, and `UNSTEADY` for a file that changed while the job
        ran. A database that changed counts as made by the job and is left out. A file whose
        existence alone was asked has a word of `EXISTENCE`; a path that ends with "/" has a digest
        of the names in this folder. A job with users' code may also have the kinds ``variables``,
        with a digest of each value, and ``packages``, with versions.
        """
        packages = self._packages()
        digests = {"modules": {name: _digest(own_file(name)) for name in sorted(self._own)}}
        digests["files"] = {}
        for path, (_, digest, is_module) in sorted(self._seen.items()):
            is_same = digest is not None and digest == _file_now(path, digest, self._folder)
            if digest is not None and (is_same or path not in self._databases):
                kind = "modules" if is_module else "files"
                digests[kind][self._name(path)] = digest if is_same else UNSTEADY
        more = {"variables": dict(sorted(self._variables.items())), "packages": packages}
        return digests | {kind: entries for kind, entries in more.items() if entries}

    def _name(self, path: str) -> str:
        """Return the name of a path in a record: relative if it is near the current folder.

        A copy of a folder then finds the files of the copy.
        """
        name = os.path.relpath(path, self._folder)
        shared = os.path.commonpath((path, self._folder))
        is_near = shared != os.sep and name.count(os.pardir + os.sep) <= _LEVELS
        return Path(name if is_near else path).as_posix() + "/" * path.endswith("/")

    def _packages(self) -> dict[str, str]:
        """Return the versions of distributions; read the modules that belong to none."""
        versions: dict[str, str] = {}
        for module, path in sorted(self._installed.items()):
            names = user_inputs.distributions(module)
            versions |= {name: user_inputs.release(name) for name in names}
            is_package = path.endswith("__init__.py")
            for file in [] if names else Path(path).parent.rglob("*.py") if is_package else [path]:
                self._read(str(file), is_module=True)
        return versions

    def hear(self, path: Any, mode: str | None, flags: int) -> None:
        """Record a file that Python is about to open."""
        if not isinstance(path, int) and not getattr(_thread, "is_reading", False):
            with suppress(OSError, ValueError, TypeError):  # Python will raise the error itself
                self._opened(os.path.abspath(os.fsdecode(path)), mode, flags)

    def _opened(self, path: str, mode: str | None, flags: int) -> None:
        is_module = path.endswith(".pyc") and COMPILED in path
        place = self._place(importlib.util.source_from_cache(path) if is_module else path)
        if place is None:
            return
        is_written = flags & (os.O_WRONLY | os.O_RDWR) == os.O_WRONLY
        if is_written or flags & (os.O_TRUNC | os.O_EXCL):
            self._make(place)
            return
        # Missing files are recorded too, with two exceptions: files opened without a mode, whose
        # paths may be relative to another folder, and entries of sys.path, which every process
        # tries to open as archives.
        is_missed = mode is not None and not os.path.exists(place)
        is_missed = is_missed and path not in map(os.path.abspath, sys.path)
        if os.path.isfile(place) or (is_missed and not is_module):
            self._read(place, is_module)

    def hear_move(self, event: str, source: str, target: str) -> None:
        """Record a file or a folder that Python is about to make from another one."""
        if event != "os.rename":  # the job may read the file at both places
            folder = os.path.dirname(target) if event == "os.symlink" else ""
            self.hear(os.path.join(folder, source), None, 0)
        self.ask("made", target)

    def ask(self, kind: str, name: Any = None) -> None:
        """Record an input for which a user's file asks; see `optimist.core.user_inputs.Tell`."""
        if kind == "variable":
            digest = user_inputs.variable(name, self._environment.get(name))
            self._variables.setdefault(name, digest)
        elif kind not in ("path", "folder", "read", "database", "made"):
            self.unrecorded.add(kind)
        elif not isinstance(name, int):
            with suppress(OSError, ValueError, TypeError):
                is_opened = kind in ("read", "database")
                path = user_inputs.path_of(name) if is_opened else name or os.curdir
                self._asked(kind, os.path.abspath(os.fsdecode(path)))

    def _asked(self, kind: str, path: str) -> None:
        place = self._place(path)
        if place is None:
            return
        if kind == "database":
            self._databases.add(place)
        if kind == "made":
            self._make(place)
        elif kind in ("read", "database") and os.path.isfile(path):
            self._read(place)
        elif self._seen.get(place, _MISSING).digest is not None:
            place += "/" if kind == "folder" else ""
            if place not in self._seen:
                self._seen[place] = _Seen(None, user_inputs.state(place, self._folder))

    def _make(self, place: str) -> None:
        """Leave out a file or a folder, with everything in it, that the job is about to make."""
        if self._seen.get(place, _MISSING).digest == MISSING and not os.path.isdir(place):
            self._seen[place] = _Seen(None, None)

    def note(self, path: str | os.PathLike[str]) -> None:
        """Record a file that is read without Python's ``open``."""
        place = self._place(os.path.abspath(path))
        if place is not None:
            self._read(place)

    def _place(self, path: str) -> str | None:
        """Return the path under which a file is recorded, or None if it is not recorded.

        A link to a folder is kept, since it may lead elsewhere in a copy of the folder.
        """
        if is_left_out(path):
            return None
        folder, name = os.path.split(path)
        place = os.path.join(os.path.realpath(folder), name)
        if is_left_out(place) or any(Path(place).is_relative_to(other) for other in self._ignored):
            return None
        below = self._folder + os.sep
        path = place if place.startswith(below) and not path.startswith(below) else path
        above = Path(path).parents
        made = (f for f in above if self._seen.get(str(f), _MISSING).digest is None)
        return path if all(map(os.path.islink, made)) else None  # a link leads to other files

    def _read(self, path: str, is_module: bool = False) -> None:
        try:
            state = signature(path)
        except OSError:
            state = None
        seen = self._seen.get(path)
        if seen is None or seen.digest in EXISTENCE:
            self._seen[path] = _Seen(state, _digest(path), is_module)
            return
        digest = seen.digest
        if digest is not None and state != seen.state and _digest(path) != digest:
            digest = UNSTEADY
        self._seen[path] = _Seen(state, digest, is_module or seen.is_module)

    def _look(self) -> None:
        """Record the loaded modules that the job may have used."""
        for name, module in list(sys.modules.items()):
            is_new = name not in self._before
            if name.startswith(f"{PACKAGE}."):
                is_used = self._is_foreign and name.startswith(_METHODS)
                if is_new or is_used or name in self._modules:
                    self._own.add(name)
            elif (is_new or self._is_foreign) and name not in ("__main__", "__mp_main__"):
                path = getattr(module, "__dict__", {}).get("__file__")
                place = self._place(os.path.abspath(path)) if isinstance(path, str) else None
                if place is not None:
                    self._read(place, is_module=True)
                elif is_new and self._is_foreign and isinstance(path, str):
                    self._note_installed(name, path)
        for place, seen in self._seen.items() if self._is_foreign else ():
            for name in imports_of(place) if seen.is_module and is_file(place) else ():
                self._note_installed(name, getattr(sys.modules.get(name), "__file__", None))

    def _note_installed(self, module: str, path: str | None) -> None:
        name = module.partition(".")[0]
        if path and is_installed(path) and name not in NAMED:
            self._installed.setdefault(name, path)

    def report(self) -> Report:
        """Return the whole record; the parent of a forked process passes it to `add`."""
        self._look()
        return self._found

    def add(self, report: Report) -> None:
        """Add the record that `report` returned in a forked copy of this process."""
        for mine, others in zip(self._found, report, strict=True):
            mine.update(others)  # type: ignore[attr-defined]


_active: Observer | None = None
_thread = threading.local()


def active() -> Observer | None:
    """Return the observer whose block is open, or None outside all blocks."""
    return _active


def observe(path: str | os.PathLike[str]) -> None:
    """Record a file that a library is about to read without Python's ``open``."""
    if _active is not None:
        _active.note(path)


def _ask(kind: str, *name: Any) -> None:
    if _active is not None:
        _active.ask(kind, *name)


@lru_cache
def _listen() -> None:
    """From now on, notify the active observer of each file that this process opens."""

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and _active is not None:
            _active.hear(*arguments)
        elif event in _MOVES and _active is not None:
            _active.hear_move(event, *map(os.fsdecode, arguments[:2]))
        elif (kind := _EVENTS.get(event)) and (
            kind != "folder" or user_inputs.asked_by_user() is not None
        ):
            _ask(kind, *arguments[:1])

    is_left_out("")  # prepare its list of folders, which opens files
    sys.addaudithook(hear)


def _digest(path: str | None) -> str:
    """Return the digest of a file, or `ABSENT` if it cannot be read."""
    _thread.is_reading = True
    try:
        return digest_of(path) if path is not None and os.path.isfile(path) else ABSENT
    except UnreadableError:
        return ABSENT
    finally:
        _thread.is_reading = False


@lru_cache
def _digest_of_own(name: str) -> str:
    return _digest(own_file(name))  # cached, since loaded modules do not change


def is_record(observed: object) -> bool:
    """Return whether an object has the form of a record from `Observer.record`."""
    return isinstance(observed, Mapping) and all(
        isinstance(part, Mapping) and all(isinstance(digest, str) for digest in part.values())
        for part in observed.values()
    )


def first_change(observed: Mapping[str, Mapping[str, str]]) -> str | None:
    """Describe the first input that differs from a record; return None if there is none.

    Parameters
    ----------
    observed : mapping
        A record from `Observer.record`, which may lack kinds of inputs.
    """
    if not is_record(observed):
        return "the record of its modules and files is damaged"
    for kind, current in _CURRENT.items():
        for name, digest in observed.get(kind, {}).items():
            if digest != (now := current(name, digest)):
                return _difference(f"{_WORDS.get(kind, '')}{name}", digest, now)
    return None


def _module_now(name: str, digest: str) -> str:
    return _digest_of_own(name) if is_own(name) and not is_file(name) else _digest(name)


def _file_now(name: str, digest: str, here: str = "") -> str:
    if name.endswith("/") or digest in EXISTENCE:
        return user_inputs.state(name, here or os.getcwd())
    return _digest(name)


_CURRENT: dict[str, Callable[[str, str], str]] = {
    "modules": _module_now,
    "files": _file_now,
    "variables": lambda name, digest: user_inputs.variable(name, os.environ.get(name)),
    "packages": lambda name, digest: user_inputs.release(name),
}
_WORDS = {"variables": "environment variable ", "packages": "package "}


def _difference(name: str, digest: str, now: str) -> str:
    if digest == UNSTEADY:
        return f"{name} {UNSTEADY}"
    if digest in (ABSENT, MISSING):
        return f"{name} did not exist"
    return f"{name} is gone" if now in (ABSENT, MISSING) else f"{name} changed"
