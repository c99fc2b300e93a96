"""Record the modules that a job loads and the files that it opens, with their digests.

Import statements do not show everything that a job uses: a user's class may extend ``sys.path``,
construct another algorithm by name, or read data. An `Observer` therefore records the modules and
files used during play, and `first_change` compares a record with the current files.

Python raises an audit event for each file that it opens, but not for files that a library such as
pyarrow opens itself. This package therefore passes such files to `observe`, and a user's class
lists them in its attribute ``reads``.
"""

import importlib.util
import os
import sys
import sysconfig
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from optimist.core.errors import UnreadableError
from optimist.core.source_files import (
    FOLDER,
    PACKAGE,
    Signature,
    digest_of,
    is_file,
    is_own,
    own_file,
    signature,
)

# Name prefixes of this package's modules that a user's class may load without an import statement.
_METHODS = tuple(f"{PACKAGE}.{name}." for name in ("algorithms", "environments", "numerics"))
_SYSTEM = ("/proc", "/dev", "/sys", "/etc", "/usr/lib", "/usr/lib64", "/usr/share")
# Folders of compiled modules and of installed packages. Their files are not recorded; results
# record package versions instead.
_COMPILED = "__pycache__"
_INSTALLED = frozenset(("site-packages", "dist-packages", _COMPILED))
# Values recorded in place of a digest.
ABSENT, UNSTEADY = "", "changed while it was read"


class _Seen(NamedTuple):
    """Signature of a file, and its digest when first read (None if the job wrote the file)."""

    state: Signature | None
    digest: str | None
    is_module: bool = False


Report = tuple[set[str], dict[str, _Seen]]


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
        self._own: set[str] = set()
        self._seen: dict[str, _Seen] = {}

    def __enter__(self) -> Self:
        global _active
        _listen()
        self._before = frozenset(sys.modules)
        _active = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global _active
        self._look()
        _active = None

    def record(self) -> dict[str, dict[str, str]]:
        """Return two mappings from names to digests, under the keys ``modules`` and ``files``.

        Modules of this package are listed by dotted name, everything else by path. A path inside
        the folder in which the observer was created is relative to it. The digest is `ABSENT` for a
        file that the job did not find, and `UNSTEADY` for a file that changed while the job ran.
        """
        digests: dict[str, dict[str, str]] = {"modules": {}, "files": {}}
        for name in sorted(self._own):
            digests["modules"][name] = _digest(own_file(name))
        for path in sorted(self._seen):
            self._read(path)
            _, digest, is_module = self._seen[path]
            is_below = path.startswith(self._folder + os.sep)
            name = os.path.relpath(path, self._folder) if is_below else path
            if digest is not None:
                digests["modules" if is_module else "files"][Path(name).as_posix()] = digest
        return digests

    def hear(self, path: Any, mode: str | None, flags: int) -> None:
        """Record a file that Python is about to open."""
        if not isinstance(path, int) and not getattr(_thread, "is_reading", False):
            with suppress(OSError, ValueError, TypeError):  # Python will raise the error itself
                self._opened(os.path.abspath(os.fsdecode(path)), mode, flags)

    def _opened(self, path: str, mode: str | None, flags: int) -> None:
        is_module = path.endswith(".pyc") and _COMPILED in path
        place = self._place(importlib.util.source_from_cache(path) if is_module else path)
        if place is None:
            return
        is_written = flags & (os.O_WRONLY | os.O_RDWR) == os.O_WRONLY
        if is_written or flags & (os.O_TRUNC | os.O_EXCL):
            self._seen.setdefault(place, _Seen(None, None))
            return
        # Missing files are recorded too, with two exceptions: files opened without a mode, whose
        # paths may be relative to another folder, and entries of sys.path, which every process
        # tries to open as archives.
        is_missed = mode is not None and not os.path.exists(place)
        is_missed = is_missed and path not in map(os.path.abspath, sys.path)
        if os.path.isfile(place) or (is_missed and not is_module):
            self._read(place, is_module)

    def note(self, path: str | os.PathLike[str]) -> None:
        """Record a file that is read without Python's ``open``."""
        place = self._place(os.path.abspath(path))
        if place is not None:
            self._read(place)

    def _place(self, path: str) -> str | None:
        """Resolve links to folders in a file's path; return None if the file is not recorded."""
        if _is_left_out(path):
            return None
        folder, name = os.path.split(path)
        place = os.path.join(os.path.realpath(folder), name)
        is_ignored = any(Path(place).is_relative_to(other) for other in self._ignored)
        return None if is_ignored or _is_left_out(place) else place

    def _read(self, path: str, is_module: bool = False) -> None:
        try:
            state = signature(path)
        except OSError:
            state = None
        seen = self._seen.get(path)
        if seen is None:
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

    def report(self) -> Report:
        """Return the whole record; the parent of a forked process passes it to `add`."""
        self._look()
        return self._own, self._seen

    def add(self, report: Report) -> None:
        """Add the record that `report` returned in a forked copy of this process."""
        self._own |= report[0]
        self._seen |= report[1]


_active: Observer | None = None
_thread = threading.local()


def active() -> Observer | None:
    """Return the observer whose block is open, or None outside all blocks."""
    return _active


def observe(path: str | os.PathLike[str]) -> None:
    """Record a file that a library is about to read without Python's ``open``."""
    if _active is not None:
        _active.note(path)


@lru_cache
def _listen() -> None:
    """From now on, notify the active observer of each file that this process opens."""

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and _active is not None:
            _active.hear(*arguments)

    sys.addaudithook(hear)


@lru_cache
def _left_out() -> tuple[str, ...]:
    """Return the folders of the system, Python and this package, whose files are not recorded."""
    libraries = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    folders = (*_SYSTEM, *filter(None, libraries), FOLDER)
    return tuple({os.path.join(f, "") for each in folders for f in (each, os.path.realpath(each))})


def _is_left_out(path: str) -> bool:
    return (
        path.startswith(_left_out())
        or path == sys.executable
        or not _INSTALLED.isdisjoint(path.split(os.sep))
    )


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


def first_change(observed: Mapping[str, Mapping[str, str]]) -> str | None:
    """Describe the first module or file that differs from a record; return None if there is none.

    Parameters
    ----------
    observed : mapping
        A record from `Observer.record`. If a user's module was moved together with the current
        folder, the file at its new path is compared.
    """
    for name, digest in observed["modules"].items():
        if not is_file(name) and is_own(name):
            digests = [_digest_of_own(name)]
        else:
            digests = [_digest(name)]
            digests += [] if digests[0] else map(_digest, _moved(name))
        if digest not in digests:
            return _difference(name, digest, any(digests))
    for name, digest in observed["files"].items():
        if digest != (now := _digest(name)):
            return _difference(name, digest, bool(now))
    return None


def _moved(name: str) -> Iterator[str]:
    """Yield a file's possible paths if it was moved together with the current folder."""
    parts = Path(name).parts
    for start in range(1, len(parts) if os.path.isabs(name) else 0):
        yield from (os.path.join(folder, *parts[start:]) for folder in (os.curdir, os.pardir))


def _difference(name: str, digest: str, is_there: bool) -> str:
    if digest == UNSTEADY:
        return f"{name} {UNSTEADY}"
    if digest == ABSENT:
        return f"{name} did not exist"
    return f"{name} changed" if is_there else f"{name} is gone"
