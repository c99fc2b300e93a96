"""Trials: what one result file holds, which of them a paper asks for, and playing them."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from optimist.algorithms import algorithm_module
from optimist.errors import ConfigError, OutOfTimeError
from optimist.files import fingerprint
from optimist.label import name_of
from optimist.layout import Result
from optimist.runs.cell import Cell, make_cell, play_trial
from optimist.runs.limits import limited
from optimist.runs.loop import Trajectory
from optimist.runs.sources import digest, source_files

# What the configuration says of a lane: the key of its blocks, and of the cap on its trials.
BLOCKS = {"regret": ("runs", "trials"), "timing": ("timings", "timing_trials")}


@dataclass(frozen=True)
class Trials:
    """A range of trials of one cell in one lane: what one result file holds.

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
        The set of targets that asks for them; it decides no result.
    """

    lane: str
    cell: Cell
    first: int
    stop: int
    rounds: int | None = None
    probe: dict[str, Any] | None = None
    time_limit: float | None = None
    group: str = "paper"

    @property
    def place(self) -> Result:
        """What the path of their result file says."""
        cell = self.cell
        return Result(self.lane, cell.paper, cell.setting, cell.algorithm, self.first, self.stop)

    @property
    def path(self) -> str:
        """Their result file below the results folder."""
        return self.place.path

    @property
    def code(self) -> str:
        """Digest of the source files that decide their result."""
        return digest(tuple(source_files(self.cell, self.probe)))

    def describe(self) -> dict[str, Any]:
        """Return all that decides their result but the data set, as plain data."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        own.pop("group")
        return {**own, "cell": vars(self.cell), "code": self.code}

    @property
    def fingerprint(self) -> str:
        """Digest of `describe`."""
        return fingerprint(self.describe())

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> Self:
        """Return the trials of a `describe`; their code is that of now, and may have changed."""
        own = {key: value for key, value in description.items() if key != "code"}
        return cls(**{**own, "cell": Cell(**own["cell"])})


def expand(
    paper: Mapping[str, Any],
    *,
    caps: Mapping[str, int | None] | None = None,
    only: Mapping[str, list[str]] | None = None,
) -> list[Trials]:
    """Return all trials that a paper asks for, in both lanes, by result file.

    A cell that stands in several blocks of a lane is run once; the blocks must agree on it.

    Parameters
    ----------
    paper : mapping
        A loaded paper configuration.
    caps : mapping
        ``rounds``, ``trials`` and ``timing_trials`` cap what the paper asks for (None: no cap).
    only : mapping
        Lists ``settings`` and ``algorithms`` restrict the cells (empty: all).
    """
    found: dict[tuple[str, str], list[Trials]] = {}
    for lane, (blocks, _) in BLOCKS.items():
        for block in paper[blocks]:
            for cell in _block_cells(paper, block, only or {}):
                files = list(_files(lane, cell, block, caps or {}))
                if found.setdefault((lane, cell.name), files) != files:
                    raise ConfigError(
                        f"cell {cell.name} stands in two blocks of the {lane} lane that differ; "
                        "allowed: one"
                    )
    return [trials for files in found.values() for trials in files]


def count(
    paper: Mapping[str, Any],
    caps: Mapping[str, int | None],
    only: Mapping[str, list[str]],
) -> Iterator[tuple[Trials, int, int]]:
    """Yield for each cell of a block one trial of it, and how many trials and files it will have.

    Whatever their number, that takes no time; see `expand` for the arguments.
    """
    for lane, (blocks, cap) in BLOCKS.items():
        for block in paper[blocks]:
            for cell in _block_cells(paper, block, only):
                (one,) = _files(lane, cell, block | {"trials": 1}, caps)
                asked = min(block["trials"], caps.get(cap) or block["trials"])
                size = block.get("trials_per_file", {}).get(name_of(cell.algorithm), asked)
                yield one, asked, math.ceil(asked / size)


def _block_cells(
    paper: Mapping[str, Any], block: Mapping[str, Any], only: Mapping[str, list[str]]
) -> Iterator[Cell]:
    for setting in block["settings"]:
        for algorithm in block["algorithms"]:
            wanted = only.get("settings") or [setting]
            names = only.get("algorithms") or [algorithm]
            is_wanted = setting in wanted or name_of(setting) in wanted
            if is_wanted and (algorithm in names or name_of(algorithm) in names):
                yield make_cell(paper, setting, algorithm)


def _files(
    lane: str, cell: Cell, block: Mapping[str, Any], caps: Mapping[str, int | None]
) -> Iterator[Trials]:
    cap = caps.get(BLOCKS[lane][1])
    trials = block["trials"] if cap is None else min(cap, block["trials"])
    sizes = block.get("trials_per_file", {})
    for name in sizes:
        if "[" in name:
            raise ConfigError(
                f"trials_per_file has {name!r}; allowed: names of algorithms, without options"
            )
        algorithm_module(name, cell.domain)
    size = sizes.get(name_of(cell.algorithm), trials)
    for first in range(0, trials, size):
        yield Trials(
            lane,
            cell,
            first,
            min(first + size, trials),
            rounds=caps.get("rounds"),
            probe=block.get("probe"),
            time_limit=block.get("time_limit"),
            group=block.get("group", "paper"),
        )


def run(
    trials: Trials,
    data_dir: str | Path | None = None,
    progress: Callable[[int, Trajectory], None] | None = None,
    limits: Mapping[str, float | None] | None = None,
) -> dict[int, Trajectory]:
    """Play trials; return a mapping of trial index to `Trajectory`.

    ``progress(trial, trajectory)`` is called after each trial. ``limits`` has the arguments of
    `optimist.runs.limits.limited`, for all trials together. Where n are left, a trial may take
    2 / (n + 1) of the time, up to twice its share, so that one which hangs leaves some to others.
    """
    limits = limits or {}
    memory_mb, seconds = limits.get("memory_mb"), limits.get("seconds")
    trajectories = {}
    start = time.monotonic()
    for trial in range(trials.first, trials.stop):
        share = None
        if seconds is not None:
            left = seconds - (time.monotonic() - start)
            share = 2.0 * left / (trials.stop - trial + 1)
        trajectories[trial] = _play_limited(trials, trial, data_dir, memory_mb, share)
        if progress is not None:
            progress(trial, trajectories[trial])
    return trajectories


def _play_limited(
    trials: Trials,
    trial: int,
    data_dir: str | Path | None,
    memory_mb: float | None,
    seconds: float | None,
) -> Trajectory:
    if seconds is not None and seconds <= 0:
        return Trajectory("out_of_time")
    try:
        with limited(memory_mb, seconds):
            return play_trial(
                trials.cell,
                trial,
                data_dir,
                rounds=trials.rounds,
                probe=trials.probe,
                coverage=trials.lane == "regret",
                time_limit=trials.time_limit,
            )
    except MemoryError:
        return Trajectory("out_of_memory")
    except OutOfTimeError:
        return Trajectory("out_of_time")
