"""Inputs of users' files besides files that are opened: variables, paths, folders and packages.

An input counts if a user's file asks for it, directly or through Python's own functions such as
``Path.exists``. Installed packages ask for dozens of variables, which do not count; their versions
are recorded instead.

A process that plays only this package's classes replaces no function.
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, wraps
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from typing import Any

from optimist.core.source_files import COMPILED, is_of_user

# Receives the kind and the name of an input. Kinds are "variable"; "path", whose existence is
# asked; "folder", whose names are listed; "read", "database" and "made", which Python reads, opens
# or makes itself; and any words, without a name, for an input that cannot be recorded.
Tell = Callable[[str, Any], None]

# Python's modules whose functions pass on a name that their caller chose.
_PASSING = (
    *("collections", "functools", "glob", "os", "pathlib", "pkgutil"),
    *("genericpath", "ntpath", "posixpath"),  # os.path
)
# Functions that ask whether a path that they make, resolve or have listed exists.
_SILENT = frozenset(("makedirs", "mkdir", "realpath", "_joinrealpath", "resolve", "walk"))
# Variables that a scheduler or Snakemake sets to another value in a job, or that optimist sets.
OF_JOBS = re.compile(
    r"(SLURM|SBATCH|LSB|PBS|SGE|SNAKEMAKE|OPTIMIST|OPENBLAS)_.*|TE?MP(DIR)?|PYTHONHASHSEED"
    r"|\w+_(NUM|MAXIMUM)_THREADS|NPY_DISABLE_CPU_FEATURES"
)
# Recorded in place of a digest where existence alone was asked.
EXISTENCE = MISSING, _FILE, _FOLDER = "is missing", "is a file", "is a folder"


def asked_by_user() -> list[str] | None:
    """Return the functions through which a user's file calls the function that calls this one.

    They belong to Python, innermost first. Return None if another file makes the call.
    """
    frame, through = sys._getframe(2), list[str]()
    while frame is not None:
        path = frame.f_code.co_filename
        if is_of_user(path):
            return through
        module = str(frame.f_globals.get("__name__"))
        if path != "<string>" and module.partition(".")[0] not in _PASSING:
            return None
        through.append(frame.f_code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None


@contextmanager
def replaced(tell: Tell) -> Iterator[None]:
    """Call ``tell``, within the block, for each variable and path for which a user's file asks."""
    groups = (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks)
    with ExitStack() as undo:
        for owner, name, function in _replacements(tell):
            original = getattr(owner, name)
            for group in groups:
                if original in group:  # shutil looks the functions up there
                    group.add(function)
                    undo.callback(group.discard, function)
            setattr(owner, name, function)
            undo.callback(setattr, owner, name, original)
        yield


@lru_cache
def _replacements(tell: Tell) -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return functions that tell of the variables and paths for which users' files ask.

    Each one has the object and the name of the attribute of Python that it replaces.
    """
    environment: Any = type(os.environ)
    read, names = environment.__getitem__, environment.__iter__
    listed: dict[Any, Any] = {}

    # A variable counts if its name is written in the file. Variables of sessions and terminals
    # differ in every shell, so a copy of all variables would make each result out of date.
    def value(environ: Any, name: Any) -> Any:
        if listed.get(name) is not name and asked_by_user() is not None:
            variable = os.fsdecode(name)
            if not OF_JOBS.fullmatch(variable):
                tell("variable", variable)
        return read(environ, name)

    def every(environ: Any) -> Iterator[Any]:
        if asked_by_user() is not None:
            tell("all environment variables", None)
        for name in names(environ):
            yield listed.setdefault(name, name)

    def asking(original: Any) -> Any:
        @wraps(original)
        def function(path: Any, *arguments: Any, **keywords: Any) -> Any:
            through = asked_by_user()
            is_asked = through is not None and _SILENT.isdisjoint(through)
            if is_asked and keywords.get("dir_fd") is None:
                tell("path", path)
            return original(path, *arguments, **keywords)

        return function

    of_paths = [(os, name, asking(getattr(os, name))) for name in ("stat", "lstat", "access")]
    return [(environment, "__getitem__", value), (environment, "__iter__", every), *of_paths]


def variable(name: str, value: str | None) -> str:
    """Return a digest of the value of an environment variable, or "" for None."""
    return "" if value is None else _brief(f"{name}={value}")


def path_of(source: Any) -> str:
    """Return the path in the argument of ``sqlite3.connect`` or ``ctypes.CDLL``, which is a file.

    An argument that names no file, such as ``None`` or ":memory:", gives the path of a device.
    """
    path = os.fsdecode(source or "").removeprefix("file:").partition("?")[0]
    return path if os.sep in path or os.path.isfile(path) else os.devnull


def state(path: str, here: str) -> str:
    """Return one of `EXISTENCE` or, if a path ends with "/", a digest of the folder's names.

    Hidden names do not count. In the folder ``here``, to which jobs write their outputs, folders do
    not count either.
    """
    if not path.endswith("/"):
        return _FOLDER if os.path.isdir(path) else _FILE if os.path.exists(path) else MISSING
    is_here = os.path.abspath(path) == here
    try:
        with os.scandir(path) as entries:
            names = [e.name for e in entries if e.is_file() or not (is_here or e.name == COMPILED)]
    except OSError:
        return MISSING
    return _brief("\n".join(sorted(name for name in names if not name.startswith("."))))


@lru_cache
def distributions(module: str) -> tuple[str, ...]:
    """Return the names of the distributions that install a top-level module."""
    with suppress(PackageNotFoundError, ValueError):  # most have the name of their module
        if module in (distribution(module).read_text("top_level.txt") or module).split():
            return (module,)
    return tuple(sorted({*_all_distributions().get(module, ())}))


_all_distributions = lru_cache(packages_distributions)  # takes 0.3 s


def release(name: str) -> str:
    """Return the version of an installed distribution, or "" if there is none."""
    try:
        found = distribution(name)
    except (PackageNotFoundError, ValueError):
        return ""
    # A package of a user may be installed from its folder again, edited but with its old version.
    listed = found.read_text("RECORD") if found.read_text("direct_url.json") else None
    lines = [each for each in (listed or "").splitlines() if not each.startswith("..")]
    files = [each for each in lines if ".dist-info/" not in each]
    return f"{found.version} {_brief(files)}" if files else str(found.version)


def _brief(content: object) -> str:
    return hashlib.sha256(str(content).encode(errors="surrogateescape")).hexdigest()[:16]
