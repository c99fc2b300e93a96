"""Digests of the code that determines a result; the code is found by following imports.

Modules of this package are identified by dotted name, wherever the package is installed. Users'
files are identified by path, relative to the folder of the file named in a label, so that the
folder can be moved. The digests are computed before a job plays; files that it loads or opens later
are recorded by `optimist.core.observation`.
"""

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path

from optimist.algorithms import algorithm_module
from optimist.core.source_files import closure, digest_of, dotted, is_own, own_file, root_of
from optimist.environments import environment_module
from optimist.experiments.cell import Cell, Probe

# Modules that parse labels, convert them to arguments, construct each trial, limit its time and
# write its table. Their imports are not followed, since they include the registries, which name
# every algorithm but affect no result.
GLUE = (
    *("optimist.experiments.cell", "optimist.experiments.setting", "optimist.experiments.results"),
    "optimist.experiments.play_trial",
    *(
        "optimist.experiments.trials",
        "optimist.experiments.limits",
        "optimist.experiments.isolation",
    ),
    *("optimist.core.label", "optimist.core.arguments"),
)
# A module that affects only the timing lane.
TURNS = "optimist.experiments.interleaved_repeats"
LOOP = ("optimist.experiments.loop", "optimist.numerics.seeding")


def of_cell(cell: Cell, probe: Probe | None = None, in_turns: bool = False) -> str:
    """Return the SHA-256 of the code that determines a cell's results.

    The digest covers the loop; the modules of the algorithm, the environment and a probe's leader;
    everything that these import; and, without their imports, the modules that construct a trial.

    Parameters
    ----------
    cell : Cell
    probe : Probe or None
        See `optimist.experiments.trials.Trials`.
    in_turns : bool
        Whether the cell is timed in turns with other cells; the digest then also covers the code
        that orders the cells.
    """
    return _digest(_modules(cell, probe), _glue(in_turns))


def of_modules(*modules: str) -> str:
    """Return the SHA-256 of modules, given by dotted name or path, and of all their imports."""
    return _digest(tuple(sorted(set(modules))), ())


def own_modules(cell: Cell, probe: Probe | None = None, in_turns: bool = False) -> frozenset[str]:
    """Return the dotted names of this package's modules covered by `of_cell`."""
    files = frozenset().union(*map(closure, _modules(cell, probe)))
    return frozenset(map(dotted, filter(is_own, files))).union(_glue(in_turns))


def _modules(cell: Cell, probe: Probe | None) -> tuple[str, ...]:
    labels = [cell.algorithm, *([probe.leader] if probe else [])]
    algorithms = [algorithm_module(label.name, cell.domain) for label in labels]
    return (*algorithms, environment_module(cell.setting.environment), *LOOP)


def _glue(in_turns: bool) -> tuple[str, ...]:
    return (*GLUE, TURNS) if in_turns else GLUE


def _digest(modules: tuple[str, ...], alone: tuple[str, ...]) -> str:
    """Return a digest of ``modules``, with their imports, and of ``alone``, without imports."""
    # Users' files may change while this process runs, so their digests are not cached.
    return (_cached if all(map(is_own, modules)) else _computed)(modules, alone)


def _computed(modules: tuple[str, ...], alone: tuple[str, ...]) -> str:
    digests = {name: digest_of(own_file(name) or name) for name in alone}
    others = []
    for module in modules:
        files = closure(module)
        digests |= {dotted(path): digest_of(path) for path in files if is_own(path)}
        foreign = [path for path in files if not is_own(path)]
        places = (Path(os.path.relpath(path, root_of(module))).as_posix() for path in foreign)
        others.append(sorted(zip(places, map(digest_of, foreign), strict=True)))
    text = json.dumps([sorted(digests.items()), *filter(None, others)])
    return hashlib.sha256(text.encode()).hexdigest()


_cached = lru_cache(_computed)
