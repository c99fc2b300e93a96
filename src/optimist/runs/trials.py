"""From configuration to jobs: cells, chunks of trials, and running one chunk."""

import ast
import hashlib
import importlib.util
import time
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from optimist.algorithms import algorithm_module, parse_label
from optimist.environments import environment_module
from optimist.errors import ConfigError, OutOfTimeError, unknown_name
from optimist.runs.cell import Cell, run_trial
from optimist.runs.limits import limited
from optimist.runs.loop import Trajectory

LANES = ("regret", "timing")


@dataclass(frozen=True)
class Job:
    """A range of trials of one cell in one lane; one job writes one result file.

    Attributes
    ----------
    lane : {"regret", "timing"}
    cell : Cell
    first, stop : int
        Trials first, ..., stop - 1.
    rounds : int or None
        Truncate the trials after this many rounds.
    probe : dict or None
        ``{"leader": label, "every": int}``: time the cell's algorithm on the leader's history.
    time_limit : float or None
        Seconds per trial.
    group : str
        The set of targets that asks for this job.
    """

    lane: str
    cell: Cell
    first: int
    stop: int
    rounds: int | None = None
    probe: dict | None = None
    time_limit: float | None = None
    group: str = "paper"

    @property
    def chunk(self):
        """The trials as they appear in file names, ``000-009``."""
        return f"{self.first:03d}-{self.stop - 1:03d}"

    @property
    def path(self):
        """Result file below the results folder."""
        return f"{self.lane}/{self.cell.name}/{self.chunk}.parquet"

    @property
    def code(self):
        """Digest of the source files that decide its result."""
        return digest(tuple(source_files(self.cell, self.probe)))

    def describe(self):
        """Return all that decides its result but the data set, as plain data."""
        fields = {key: value for key, value in asdict(self).items() if key != "group"}
        return {**fields, "code": self.code}

    @classmethod
    def restore(cls, description):
        """Return the job of a `describe`; its code is that of now, and may have changed."""
        fields = {key: value for key, value in description.items() if key != "code"}
        return cls(**{**fields, "cell": Cell(**fields["cell"])})


def make_cell(paper, setting, algorithm):
    """Return the cell of a loaded paper configuration, checking both names."""
    if setting not in paper["settings"]:
        raise unknown_name(f"setting of {paper['paper']}", setting, paper["settings"])
    cell = Cell(paper["paper"], setting, algorithm, paper["settings"][setting])
    algorithm_module(parse_label(algorithm)[0], cell.domain)
    return cell


def jobs(paper, *, limits=None, only=None):
    """Return every job of a paper, both lanes.

    A cell that stands in several blocks of a lane is run once; the blocks must agree on it.

    Parameters
    ----------
    paper : dict
        A loaded paper configuration.
    limits : dict
        ``rounds``, ``trials`` and ``timing_trials`` cap what the paper asks for (None: no cap).
    only : dict
        Lists ``settings`` and ``algorithms`` restrict the cells (empty: all).
    """
    limits, only = limits or {}, only or {}
    found = {}
    for lane, blocks in (("regret", paper["runs"]), ("timing", paper["timings"])):
        cap = limits.get("trials" if lane == "regret" else "timing_trials")
        for block in blocks:
            for cell in _block_cells(paper, block, only):
                chunks = list(_chunks(lane, cell, block, cap, limits))
                if found.setdefault((lane, cell.name), chunks) != chunks:
                    raise ConfigError(
                        f"cell {cell.name} stands in two blocks of the {lane} lane that differ; "
                        "allowed: one"
                    )
    return [job for chunks in found.values() for job in chunks]


def _block_cells(paper, block, only):
    for setting in block["settings"]:
        for algorithm in block["algorithms"]:
            wanted = only.get("settings") or [setting]
            names = only.get("algorithms") or [algorithm]
            if setting in wanted and (algorithm in names or parse_label(algorithm)[0] in names):
                yield make_cell(paper, setting, algorithm)


def _chunks(lane, cell, block, cap, limits):
    trials = block["trials"] if cap is None else min(cap, block["trials"])
    chunk = block.get("chunk", {})
    for name in chunk:
        if parse_label(name)[1]:
            raise ConfigError(f"chunk has {name!r}; allowed: names of algorithms, without options")
        algorithm_module(name, cell.domain)
    size = chunk.get(parse_label(cell.algorithm)[0], trials)
    for first in range(0, trials, size):
        yield Job(
            lane,
            cell,
            first,
            min(first + size, trials),
            rounds=limits.get("rounds"),
            probe=block.get("probe"),
            time_limit=block.get("time_limit"),
            group=block.get("group", "paper"),
        )


def run(job, data_dir=None, progress=None, limit=None):
    """Run the trials of a job; return a mapping of trial index to `Trajectory`.

    ``progress(trial, trajectory)`` is called after each trial. ``limit`` has the arguments of
    `optimist.runs.limits.limited`, for all trials together. Where n are left, a trial may take
    2 / (n + 1) of the time, up to twice its share, so that one which hangs leaves some to others.
    """
    limit = limit or {}
    memory_mb, seconds = limit.get("memory_mb"), limit.get("seconds")
    trajectories = {}
    start = time.monotonic()
    for trial in range(job.first, job.stop):
        share = None
        if seconds is not None:
            left = seconds - (time.monotonic() - start)
            share = 2.0 * left / (job.stop - trial + 1)
        trajectories[trial] = _run_trial(job, trial, data_dir, memory_mb, share)
        if progress is not None:
            progress(trial, trajectories[trial])
    return trajectories


def _run_trial(job, trial, data_dir, memory_mb, seconds):
    if seconds is not None and seconds <= 0:
        return Trajectory("out_of_time")
    try:
        with limited(memory_mb, seconds):
            return run_trial(job, trial, data_dir)
    except MemoryError:
        return Trajectory("out_of_memory")
    except OutOfTimeError:
        return Trajectory("out_of_time")


def source_files(cell, probe=None):
    """Return the source files that decide a cell's results, as sorted paths.

    They are the modules of its algorithm and environment, and everything of this package which
    those and the simulation import, found without importing anything; and those that build the
    trial and write its table, less their imports: the registries decide no result.
    """
    modules = [
        algorithm_module(parse_label(cell.algorithm)[0], cell.domain),
        environment_module(cell.spec["environment"]),
        "optimist.runs.loop",
        "optimist.runs.seeding",
    ]
    if probe:
        modules.append(algorithm_module(parse_label(probe["leader"])[0], cell.domain))
    glue = {
        importlib.util.find_spec(f"optimist.runs.{name}").origin for name in ("cell", "results")
    }
    return sorted(glue.union(*(module_closure(module) for module in modules)))


@lru_cache
def digest(files):
    """Return the SHA-256 of the contents of a tuple of files, in their order."""
    return hashlib.sha256(b"".join(map(_file_digest, files))).hexdigest()


@lru_cache
def _file_digest(path):
    return hashlib.sha256(Path(path).read_bytes()).digest()


@lru_cache
def module_closure(module):
    """Return the files of a module and of all modules of this package that it imports."""
    files, todo = {}, [module]
    while todo:
        name = todo.pop()
        if name in files:
            continue
        files[name] = importlib.util.find_spec(name).origin
        todo += _imports(files[name])
    return frozenset(files.values())


@lru_cache
def _imports(path):
    """Return the modules of this package that the file at ``path`` imports at any level."""
    found = set()
    for node in ast.walk(ast.parse(Path(path).read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found.update(n for n in names if n.startswith("optimist.") and _is_module(n))
    return tuple(sorted(found))


def _is_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
