"""Compute digests of source files, and find the imports of a module without importing it.

A module is given by its dotted name or its file path. Imports from this package and from the
module's own package are followed; for a file path, imports from the file's folder are too.
"""

import ast
import atexit
import hashlib
import importlib.util
import json
import os
import sys
import sysconfig
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from optimist.core.errors import UnreadableError
from optimist.core.files import unified, write_text

PACKAGE = __name__.partition(".")[0]
FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Fields of syntax trees that do not affect results; "msg" is the message of an assertion.
_LEFT_OUT = frozenset(("ctx", "kind", "type_comment", "type_ignores", "msg"))
_LOGGERS = frozenset(("logger", "logging"))
# Age of a file, in seconds, beyond which any edit changes even coarse timestamps.
_SETTLED = 2.0
# Parsing takes longer than all other steps before a job's first trial, so the results are cached
# next to Python's compiled modules.
_KEPT = Path(importlib.util.cache_from_source(__file__)).with_name("digests.json")
_MOST_KEPT = 1000

_SYSTEM = ("/proc", "/sys", "/etc", "/usr/lib", "/usr/lib64", "/usr/share")
# Folders of compiled modules and of installed packages. Their files are not recorded; results
# record package versions instead.
COMPILED = "__pycache__"
_INSTALLED = frozenset(("site-packages", "dist-packages", COMPILED))
_SCRIPTS = ".snakemake"  # folder to which Snakemake copies scripts

Signature = tuple[int, ...]


class _Source(NamedTuple):
    digest: str
    imports: frozenset[str] = frozenset()


_KNOWN: dict[str, tuple[Signature, _Source]] = {}


def is_file(module: str) -> bool:
    """Return whether a module is given by the path of its file."""
    return module.endswith(".py")


def is_own(module: str) -> bool:
    """Return whether a module, given by its name or its path, belongs to this package."""
    if is_file(module):
        return module.startswith(FOLDER)
    return module.startswith(f"{PACKAGE}.")


@lru_cache
def _left_out() -> tuple[str, ...]:
    """Return the folders of the system, Python and this package, whose files are not recorded."""
    libraries = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    folders = (*_SYSTEM, *filter(None, libraries), FOLDER)
    return tuple({os.path.join(f, "") for each in folders for f in (each, os.path.realpath(each))})


def is_left_out(path: str) -> bool:
    """Return whether a file belongs to the system, to Python or to an installed package."""
    folder = path + os.sep
    is_device = folder.startswith("/dev/") and not folder.startswith("/dev/shm/")  # memory
    is_systems = folder.startswith(_left_out()) or path == sys.executable
    return is_device or is_systems or is_installed(path)


def is_installed(path: str) -> bool:
    """Return whether a file belongs to an installed package."""
    return not _INSTALLED.isdisjoint(path.split(os.sep))


@lru_cache
def is_of_user(path: str) -> bool:
    """Return whether code, given by the path in its frames, was written by a user."""
    is_ours = path.startswith("<") or _SCRIPTS in path.split(os.sep)
    return not is_ours and not is_left_out(os.path.abspath(path))


def dotted(path: str) -> str:
    """Return the dotted name of one of this package's modules, given its file path."""
    parts = Path(path).relative_to(FOLDER).with_suffix("").parts
    return ".".join((PACKAGE, *parts)).removesuffix(".__init__")


@lru_cache
def own_file(name: str) -> str | None:
    """Return the file path of one of this package's modules, or None if it is missing."""
    place = os.path.join(FOLDER, *name.split(".")[1:])
    candidates = (f"{place}.py", os.path.join(place, "__init__.py"))
    return next(filter(os.path.isfile, candidates), None)


def signature(path: str) -> Signature:
    """Return a file's size, timestamps and inode number, one of which changes with every edit.

    Raise OSError if the file is missing.
    """
    state = os.stat(path)
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino


def digest_of(path: str) -> str:
    """Return a file's SHA-256 digest, which is the same in every version of Python.

    For a source file, the digest covers the syntax tree without docstrings or the texts of errors
    and log records. For any other file, it covers the content.

    Raises
    ------
    UnreadableError
        If the file cannot be read.
    """
    return _source(path).digest


def imports_of(path: str) -> set[str]:
    """Return the top-level modules that a source file imports; none if it cannot be read."""
    with suppress(UnreadableError):
        return {name.partition(".")[0] for name in _source(path).imports}
    return set()


def closure(module: str) -> frozenset[str]:
    """Return the paths of a module's file and, recursively, of all its imports.

    Raises
    ------
    ModuleNotFoundError
        If the module does not exist.
    UnreadableError
        If one of the files cannot be read.
    """
    root, package = root_of(module), ""
    if is_own(module):
        todo = list(filter(None, [module if is_file(module) else own_file(module)]))
    elif is_file(module):
        todo = [os.path.abspath(module)]
    else:
        package = module.partition(".")[0]
        todo = list(_below(root, module))
    if not todo:
        raise ModuleNotFoundError(f"no module {module!r}")
    files: set[str] = set()
    while todo:
        path = todo.pop()
        if path not in files:
            files.add(path)
            todo += _own_imports(path) if is_own(path) else _imported(path, root, package)
    return frozenset(files)


def root_of(module: str) -> str:
    """Return the folder from which a module imports other modules.

    Raises
    ------
    ModuleNotFoundError
        If the module belongs to a package that is not installed.
    """
    if is_own(module):
        return os.path.dirname(FOLDER.rstrip(os.sep))
    if is_file(module):
        return os.path.dirname(os.path.abspath(module))
    package = module.partition(".")[0]
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(f"no module {package!r}")
    if spec.submodule_search_locations:
        return os.path.dirname(next(iter(spec.submodule_search_locations)))
    return os.path.dirname(spec.origin or "")


@lru_cache
def _own_imports(path: str) -> tuple[str, ...]:
    return tuple(filter(None, map(own_file, filter(is_own, _source(path).imports))))


def _imported(path: str, root: str, package: str) -> Iterator[str]:
    """Yield the files that a file outside this package imports.

    Relative imports and imports from this package are always included. Other imports are included
    if they belong to ``package`` and are below ``root`` or, if ``package`` is "", if they are below
    ``root`` or in the file's folder.
    """
    parents = Path(path).parents
    for name in _source(path).imports:
        rest = name.lstrip(".")
        if level := len(name) - len(rest):
            yield from _below(str(parents[min(level, len(parents)) - 1]), rest)
        elif is_own(name):
            yield from filter(None, [own_file(name)])
        elif not package:
            yield from _below(root, name)
            yield from _below(str(parents[0]), name)
        elif name.partition(".")[0] == package:
            yield from _below(root, name)


def _below(folder: str, name: str) -> Iterator[str]:
    """Yield the files, in ``folder``, of the module ``name`` and its parent packages."""
    place = folder
    for part in name.split("."):
        place = os.path.join(place, part)
        if os.path.isfile(path := os.path.join(place, "__init__.py")):
            yield path
    if os.path.isfile(path := f"{place}.py"):
        yield path


def _source(path: str) -> _Source:
    try:
        state = signature(path)
        cached = _KNOWN.get(path)
        if cached is not None and cached[0] == state:
            return cached[1]
        if is_file(path):
            source = (_parsed_once if is_own(path) else _parsed)(Path(path).read_bytes())
        else:
            source = _Source(_sha256(path))
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror or error}") from None
    if time.time() - max(state[1:3]) / 1e9 > _SETTLED:
        _KNOWN[path] = state, source
    return source


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parsed_once(content: bytes) -> _Source:
    """Parse a source file of this package, unless an earlier process has parsed it."""
    cached = _parsed_before()
    key = hashlib.sha256(_version() + content).hexdigest()
    if key not in cached:
        source = _parsed(content)
        cached[key] = [source.digest, sorted(source.imports)]
        _keep_at_exit()
    digest, imports = cached[key]
    return _Source(digest, frozenset(imports))


@lru_cache
def _parsed_before() -> dict[str, Any]:
    """Return the cached digests and imports, by a hash of the source's content."""
    with suppress(OSError, ValueError, TypeError):
        return dict(json.loads(_KEPT.read_bytes()))
    return {}


@lru_cache
def _keep_at_exit() -> None:
    def keep() -> None:
        cached = _parsed_before()
        latest = dict(list(cached.items())[-_MOST_KEPT:])
        with suppress(OSError):
            write_text(json.dumps(latest), _KEPT)

    if not sys.dont_write_bytecode:
        atexit.register(keep)


@lru_cache
def _version() -> bytes:
    return hashlib.sha256(Path(__file__).read_bytes()).digest()


def tree_digest(content: bytes) -> str:
    """Return the digest of a source's syntax tree without docstrings and messages."""
    return _parsed(content).digest


def _parsed(content: bytes) -> _Source:
    try:
        with warnings.catch_warnings(action="ignore"):  # Python shows them when it runs the file
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _Source(hashlib.sha256(unified(content)).hexdigest())
    imports: set[str] = set()
    text = "\n".join(_tokens(tree, imports))
    return _Source(hashlib.sha256(text.encode()).hexdigest(), frozenset(imports))


def _tokens(tree: ast.AST, imports: set[str]) -> Iterator[str]:
    """Yield the tokens of a syntax tree in ASCII, without docstrings and messages.

    The names of imported modules are added to ``imports``. Empty fields are omitted, since they
    differ between versions of Python.
    """
    wordless: set[int] = set()  # ids of nodes whose texts are omitted
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        kind: Any = type(node)
        if kind is str:
            yield node
            continue
        if id(node) in wordless or (kind is ast.Expr and type(node.value) is ast.Constant):
            continue
        if kind is ast.Constant:
            yield _literal(node.value)
            continue
        if kind is ast.Import:
            imports.update(alias.name for alias in node.names)
        elif kind is ast.ImportFrom:
            base = "." * node.level + (node.module or "")
            dot = "" if base.endswith(".") else "."
            imports.update((base, *(f"{base}{dot}{alias.name}" for alias in node.names)))
        elif kind is ast.Raise:
            calls = (below for below in ast.walk(node) if type(below) is ast.Call)
            wordless.update(map(id, _words(calls, ast.JoinedStr)))
        elif kind is ast.Call and _logs(node.func):
            wordless.update(map(id, _words([node])))
        yield kind.__name__
        stack.append(")")
        for field in _fields(kind):
            value = getattr(node, field, None)
            if isinstance(value, list):
                items = _merged(value, wordless) if kind is ast.JoinedStr else value
                if not items:
                    continue
                stack += ["]", *("None" if item is None else item for item in reversed(items))]
            elif value is None:
                continue
            else:
                stack.append(value if isinstance(value, ast.AST) else _literal(value))
            stack.append(field)


def _logs(function: ast.expr) -> bool:
    """Return whether a called function writes to a log or issues a warning."""
    if type(function) is not ast.Attribute or type(function.value) is not ast.Name:
        return False
    name = function.value.id
    return name in _LOGGERS or (name, function.attr) == ("warnings", "warn")


def _words(calls: Iterable[ast.AST], *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    """Yield string constants and nodes of the given kinds from the arguments of calls."""
    arguments = (below for call in calls for below in (*call.args, *call.keywords))  # type: ignore[attr-defined]
    for node in (below for argument in arguments for below in ast.walk(argument)):
        if type(node) in kinds or (type(node) is ast.Constant and type(node.value) is str):
            yield node


def _merged(values: list[ast.expr], wordless: set[int]) -> list[Any]:
    """Merge adjacent texts in an f-string, which Python versions split differently."""
    parts: list[Any] = []
    for is_text, group in groupby(values, lambda part: type(part) is ast.Constant):
        if is_text:
            text = "".join(part.value for part in group if id(part) not in wordless)  # type: ignore[attr-defined]
            parts += [ascii(text)] if text else []
        else:
            parts += group
    return parts


@lru_cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field for field in reversed(kind._fields) if field not in _LEFT_OUT)


def _literal(value: object) -> str:
    # Some versions of Python cannot format long integers in decimal.
    return f"{value:x}" if type(value) is int else ascii(value)
