"""Which source files decide a result, and their digest."""

import hashlib
from functools import lru_cache
from pathlib import Path, PurePath

from optimist.algorithms import algorithm_module
from optimist.environments import environment_module
from optimist.files import unified
from optimist.imports import closure, is_own, origin
from optimist.label import name_of
from optimist.runs.cell import Cell

# Modules that read labels, build every trial, end it in time and write its table. What they import
# is left out: the registries name every algorithm, and decide no result.
GLUE = (
    *("optimist.runs.cell", "optimist.runs.setting", "optimist.runs.results"),
    *("optimist.runs.trials", "optimist.runs.limits", "optimist.runs.isolation", "optimist.label"),
)
# What decides times beside that.
TURNS = "optimist.runs.turns"
LOOP = ("optimist.runs.loop", "optimist.runs.seeding")


def source_files(
    cell: Cell, probe: dict[str, object] | None = None, *, in_turns: bool = False
) -> list[str]:
    """Return the paths of the source files that decide a cell's results, in an order of their own.

    They are the modules of its algorithm and environment (and of the leader of a ``probe``), the
    loop, everything that those import and that `optimist.imports` follows, and what builds a trial;
    of cells that are timed ``in_turns``, what orders them too.
    """
    labels = [cell.algorithm, *([str(probe["leader"])] if probe else [])]
    modules = [algorithm_module(name_of(label), cell.domain) for label in labels]
    return _files(*modules, environment_module(cell.spec["environment"]), in_turns=in_turns)


def _files(*modules: str, in_turns: bool) -> list[str]:
    # What is not of this package may change while a process lives.
    found = _found if all(map(is_own, modules)) else _found.__wrapped__
    return list(found(*modules, in_turns=in_turns))


@lru_cache
def _found(*modules: str, in_turns: bool) -> list[str]:
    glue = {origin(name) for name in (*GLUE, *([TURNS] if in_turns else []))}
    files = glue.union(*(closure(module) for module in (*modules, *LOOP)))
    own = set(filter(is_own, files))
    return [*sorted(own), *sorted(files - own, key=_name)]


def _name(path: str) -> tuple[str, ...]:
    """Return the name of a file, then those of its folders: where they are decides nothing."""
    return PurePath(path).parts[::-1]


def digest(files: tuple[str, ...]) -> str:
    """Return the SHA-256 of the contents of some texts, in their order.

    Their line ends do not count, so that results of several checkouts meet.
    """
    return (_digest if all(map(is_own, files)) else _digest.__wrapped__)(files)


@lru_cache
def _digest(files: tuple[str, ...]) -> str:
    return hashlib.sha256(b"".join(map(_file_digest, files))).hexdigest()


def _file_digest(path: str) -> bytes:
    return (_content if is_own(path) else _content.__wrapped__)(path)


@lru_cache
def _content(path: str) -> bytes:
    return hashlib.sha256(unified(Path(path).read_bytes())).digest()
