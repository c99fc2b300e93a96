"""Determine the trials that a paper's configuration requests, and play them."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from optimist.core.errors import ConfigError, OutOfTimeError
from optimist.core.files import fingerprint
from optimist.core.label import name_of
from optimist.core.layout import DIGEST, Result
from optimist.core.registry import keeping_folder
from optimist.experiments import code_digest
from optimist.experiments.cell import Cell, Histories, make_cell, play_trial
from optimist.experiments.isolation import isolated
from optimist.experiments.limits import limited
from optimist.experiments.loop import Trajectory
from optimist.numerics import seeding

# Configuration keys of each lane's blocks and of the cap on its trials.
BLOCKS = {"regret": ("runs", "trials"), "timing": ("timings", "timing_trials")}
# Limits on the rounds of a warm-up trial: their number, and their share of a measured trial's
# rounds.
WARM_UP, WARM_UP_SHARE = 100, 0.25
# Fields of `Trials` that do not affect the numbers in a trial.
UNDECIDING = ("first", "stop", "group", "race")
CellKey = tuple[str, str, str]  # lane, setting, algorithm


@dataclass(frozen=True)
class Trials:
    """A range of trials of one cell in one lane.

    Attributes
    ----------
    lane : {"regret", "timing"}
    cell : Cell
    first, stop : int
        Trials first, ..., stop - 1.
    rounds : int or None
        Number of rounds after which to truncate the trials.
    probe : dict or None
        ``{"leader": label, "every": int}``: time the cell's algorithm on the leader's history.
    group : str
        Group of targets that requests the trials.
    race : str
        In the timing lane, the number of the race in the paper.
    rivals : str
        In the timing lane, the digest of all cells in the race.
    """

    lane: str
    cell: Cell
    first: int
    stop: int
    rounds: int | None = None
    probe: dict[str, Any] | None = None
    group: str = "paper"
    race: str = ""
    rivals: str = ""

    @property
    def key(self) -> CellKey:
        """Lane, setting and algorithm."""
        return self.lane, self.cell.setting, self.cell.algorithm

    @property
    def is_foreign(self) -> bool:
        """Whether a trial runs foreign code, including that of its probe's leader."""
        leader = (self.probe or {}).get("leader")
        return self.cell.is_foreign or bool(leader and self.cell.is_foreign_algorithm(leader))

    def place(self, digest: str) -> Result:
        """Return the location of the trials' result file, given the digest of their inputs."""
        cell = self.cell
        names = self.lane, cell.paper, cell.setting, cell.algorithm, digest[:DIGEST]
        if self.lane == "timing":
            return Result(*names, race=self.race)
        return Result(*names, self.first, self.stop)

    @cached_property
    def code(self) -> str:
        """Digest of the code that determines the result; "" if the algorithm has no file."""
        is_named = not self.cell.is_of_this_process
        return code_digest.of_cell(self.cell, self.probe, self.lane == "timing") if is_named else ""

    @property
    def own_modules(self) -> frozenset[str]:
        """Modules of this package that `code` covers."""
        if self.cell.is_of_this_process:
            return frozenset()
        return code_digest.own_modules(self.cell, self.probe, self.lane == "timing")

    def describe(self) -> dict[str, Any]:
        """Return all inputs of the result except the data set, as plain data."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**values, "cell": vars(self.cell), "code": self.code}

    def decisive(self) -> dict[str, Any]:
        """Return the inputs that affect a trial's numbers, except the data set, as plain data."""
        return {name: value for name, value in self.describe().items() if name not in UNDECIDING}

    def part(self, first: int, stop: int) -> Self:
        """Return trials first, ..., stop - 1 of the same cell."""
        return replace(self, first=first, stop=stop)

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> Self:
        """Rebuild trials from the output of `describe`; they use the current code."""
        values = {field.name: description[field.name] for field in fields(cls)}
        return cls(**{**values, "cell": Cell(**values["cell"])})


def expand(
    paper: Mapping[str, Any],
    caps: Mapping[str, int | None] | None = None,
    only: Mapping[str, list[str]] | None = None,
    least: Mapping[CellKey, int] | None = None,
    kept: Container[CellKey] | None = None,
) -> list[Trials]:
    """Return the trials that a paper requests in both lanes, one `Trials` per lane and cell.

    A cell in several blocks of a lane is played once. These blocks must request the same trials of
    it and, in the timing lane, belong to the same race.

    Parameters
    ----------
    paper : mapping
        A loaded paper configuration.
    caps : mapping
        Upper limits on the paper's ``rounds``, ``trials`` and ``timing_trials``; None means no
        limit.
    only : mapping
        Lists ``settings`` and ``algorithms`` of the cells to include; an empty list includes all.
    least : mapping
        Minimum number of trials for some cells, by lane, setting and algorithm.
    kept : container or None
        Cells to keep; None for all.
    """
    expanded: dict[tuple[str, str], Trials] = {}
    caps, only, least = caps or {}, only or {}, least or {}
    for lane, (blocks, cap) in BLOCKS.items():
        asked = [
            (block, cell)
            for block in paper[blocks]
            for cell in _block_cells(paper, block, only)
            if kept is None or (lane, cell.setting, cell.algorithm) in kept
        ]
        rivals: dict[Any, set[str]] = defaultdict(set)
        for block, cell in asked:
            rivals[block.get("race")].add(cell.name)
        for block, cell in asked:
            number = max(block["trials"], least.get((lane, cell.setting, cell.algorithm), 0))
            rounds = [n for n in (caps.get("rounds"), block.get("rounds")) if n is not None]
            race = block.get("race")
            trials = Trials(
                *(lane, cell, 0),
                number if caps.get(cap) is None else min(caps[cap], number),
                rounds=min(rounds, default=None),
                probe=block.get("probe"),
                group=block.get("group", "paper"),
                race="" if race is None else str(race),
                rivals="" if race is None else fingerprint({"cells": sorted(rivals[race])}),
            )
            if expanded.setdefault((lane, cell.name), trials) != trials:
                raise ConfigError(
                    f"cell {cell.name} appears twice in {blocks}, with different entries; "
                    "allowed: once"
                )
    return list(expanded.values())


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


class Player:
    """Player of the trials of one cell.

    Time spent on other cells does not count towards the time limit.

    Parameters
    ----------
    trials : Trials
    data_dir : path or None
        Folder of the prepared data sets.
    seconds : float or None
        Wall time for all trials together. With n trials left, a trial may take 2 / (n + 1) of the
        remaining time, almost twice an equal share, so a trial that hangs leaves time for others.
    """

    def __init__(
        self,
        trials: Trials,
        data_dir: str | Path | None = None,
        seconds: float | None = None,
    ) -> None:
        self._trials = trials
        self._data_dir = data_dir
        self._seconds = seconds  # wall time left
        self._left = trials.stop - trials.first

    def warm_up(self) -> None:
        """Play the first rounds of the first trial, to load modules and fill caches.

        A cell with foreign code is instead warmed up in each copy of this process that plays a
        trial.
        """
        if not self._trials.is_foreign:
            self._play(self._trials.first, self._start)

    @property
    def _start(self) -> int:
        """The number of warm-up rounds."""
        trials = self._trials
        most: float = min(trials.cell.spec["horizon"], trials.rounds or math.inf)
        return min(WARM_UP, math.ceil(WARM_UP_SHARE * most))

    def play(self, trial: int, histories: Histories | None = None) -> Trajectory:
        """Play one trial; for ``histories``, see `optimist.experiments.cell.play_trial`."""
        trajectory = self._play(trial, self._trials.rounds, histories)
        self._left -= 1
        return trajectory

    def _play(
        self, trial: int, rounds: int | None, histories: Histories | None = None
    ) -> Trajectory:
        if self._seconds is None:
            return self._play_limited(None, trial, rounds, histories)
        if self._seconds <= 0:
            return Trajectory("out_of_time")
        start = time.monotonic()
        try:
            share = 2.0 * self._seconds / (self._left + 1)
            return self._play_limited(share, trial, rounds, histories)
        finally:
            self._seconds -= time.monotonic() - start

    def _play_limited(
        self, seconds: float | None, trial: int, rounds: int | None, histories: Histories | None
    ) -> Trajectory:
        """Play a trial, in a copy of this process if it runs foreign code."""
        is_foreign = self._trials.is_foreign

        def play() -> tuple[Trajectory, Histories | None]:
            try:
                with limited(seconds):
                    if is_foreign:  # warm up; the next trial will raise its own errors
                        with suppress(Exception, SystemExit):
                            self._play_here(trial + 1, self._start, None)
                    return self._play_here(trial, rounds, histories), histories
            except OutOfTimeError:
                return Trajectory("out_of_time"), None

        if not is_foreign:
            return play()[0]
        trajectory: Trajectory
        trajectory, played = isolated(play, seeding.seed(self._trials.cell.name, trial))
        if histories is not None:
            histories.update(played or {})
        return trajectory

    @keeping_folder()
    def _play_here(self, trial: int, rounds: int | None, histories: Histories | None) -> Trajectory:
        trials = self._trials
        return play_trial(
            trials.cell,
            trial,
            self._data_dir,
            rounds=rounds,
            probe=trials.probe,
            coverage=trials.lane == "regret",
            histories=histories,
        )


def run(
    trials: Trials,
    data_dir: str | Path | None = None,
    progress: Callable[[int, Trajectory], None] | None = None,
) -> dict[int, Trajectory]:
    """Play trials one after another; return a mapping from trial index to `Trajectory`.

    ``progress(trial, trajectory)`` is called after each trial.
    """
    player = Player(trials, data_dir)
    trajectories = {}
    for trial in range(trials.first, trials.stop):
        trajectories[trial] = player.play(trial)
        if progress is not None:
            progress(trial, trajectories[trial])
    return trajectories
