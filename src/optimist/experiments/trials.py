"""Determine the trials that a paper's configuration requests, and play them."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import Any, Self

from optimist.core.errors import ConfigError, OutOfTimeError
from optimist.core.files import fingerprint
from optimist.core.label import Label
from optimist.core.layout import DIGEST, Result
from optimist.core.registry import keeping_folder
from optimist.experiments import code_digest
from optimist.experiments.cell import Cell, Probe
from optimist.experiments.isolation import isolated
from optimist.experiments.limits import limited
from optimist.experiments.loop import Trajectory
from optimist.experiments.paper import Block, Paper
from optimist.experiments.play_trial import Histories, play_trial
from optimist.numerics import seeding

# The cap on the trials of each lane.
CAPS = {"regret": "trials", "timing": "timing_trials"}
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
    probe : Probe or None
        How the cell's algorithm is timed on the history of another one.
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
    probe: Probe | None = None
    group: str = "paper"
    race: str = ""
    rivals: str = ""

    @property
    def key(self) -> CellKey:
        """Lane, setting and algorithm."""
        setting, algorithm = map(str, self.cell.labels)
        return self.lane, setting, algorithm

    @property
    def is_foreign(self) -> bool:
        """Whether a trial runs foreign code, including that of its probe's leader."""
        cell, probe = self.cell, self.probe
        return cell.is_foreign or bool(probe and cell.is_foreign_algorithm(probe.leader))

    def place(self, digest: str) -> Result:
        """Return the location of the trials' result file, given the digest of their inputs."""
        setting, algorithm = map(str, self.cell.labels)
        names = self.lane, self.cell.paper, setting, algorithm, digest[:DIGEST]
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

    def describe(self) -> dict[str, object]:
        """Return all inputs of the result except the data set, as plain data."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        probe = self.probe and self.probe.describe()
        return {**values, "cell": self.cell.describe(), "probe": probe, "code": self.code}

    def decisive(self) -> dict[str, object]:
        """Return the inputs that affect a trial's numbers, except the data set, as plain data."""
        return {name: value for name, value in self.describe().items() if name not in UNDECIDING}

    def part(self, first: int, stop: int) -> Self:
        """Return trials first, ..., stop - 1 of the same cell."""
        return replace(self, first=first, stop=stop)

    @classmethod
    def restore(cls, description: Mapping[str, Any]) -> Self:
        """Rebuild trials from the output of `describe`; they use the current code."""
        values = {field.name: description[field.name] for field in fields(cls)}
        probe = values["probe"] and Probe.restore(values["probe"])
        return cls(**{**values, "cell": Cell.restore(values["cell"]), "probe": probe})


def expand(
    paper: Paper,
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
    paper : Paper
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
    for lane, blocks in (("regret", paper.runs), ("timing", paper.timings)):
        asked = [
            (block, cell)
            for block in blocks
            for cell in _cells(paper, block, only)
            if kept is None or (lane, *cell.labels) in kept
        ]
        rivals: dict[int | None, set[str]] = defaultdict(set)
        for block, cell in asked:
            rivals[block.race].add(cell.name)
        for block, cell in asked:
            number = max(block.trials, least.get((lane, *cell.labels), 0))
            cap = caps.get(CAPS[lane])
            rounds = [n for n in (caps.get("rounds"), block.rounds) if n is not None]
            in_race = block.race is not None
            trials = Trials(
                lane,
                cell,
                first=0,
                stop=number if cap is None else min(cap, number),
                rounds=min(rounds, default=None),
                probe=block.probe,
                group=block.group,
                race=str(block.race) if in_race else "",
                rivals=fingerprint({"cells": sorted(rivals[block.race])}) if in_race else "",
            )
            if expanded.setdefault((lane, cell.name), trials) != trials:
                key = "runs" if lane == "regret" else "timings"
                raise ConfigError(
                    f"cell {cell.name} appears twice in {key}, with different entries; "
                    "allowed: once"
                )
    return list(expanded.values())


def _cells(paper: Paper, block: Block, only: Mapping[str, list[str]]) -> Iterator[Cell]:
    """Yield the cells of a block that ``only`` includes."""

    def is_wanted(key: str, label: Label) -> bool:
        names = only.get(key)
        return not names or label in names or label.name in names

    for setting, algorithm in product(block.settings, block.algorithms):
        if is_wanted("settings", setting.label) and is_wanted("algorithms", algorithm):
            yield Cell(setting, algorithm)


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
    is_isolated : bool or None
        Whether each trial is played in a copy of this process; by default, only trials that run
        foreign code are.
    """

    def __init__(
        self,
        trials: Trials,
        data_dir: str | Path | None = None,
        seconds: float | None = None,
        is_isolated: bool | None = None,
    ) -> None:
        self._trials = trials
        self._options: dict[str, Any] = {
            "data_dir": data_dir,
            "probe": trials.probe,
            "coverage": trials.lane == "regret",
        }
        self._is_isolated = trials.is_foreign if is_isolated is None else is_isolated
        self._seconds = seconds  # wall time left
        self._left = trials.stop - trials.first

    def warm_up(self) -> None:
        """Play the first rounds of the first trial, to load modules and fill caches.

        If trials are isolated, each copy of this process warms up before its trial instead.
        """
        if not self._is_isolated:
            with suppress(OutOfTimeError), self._share() as seconds, limited(seconds):
                self._start(self._trials.first)

    def _start(self, trial: int) -> None:
        """Play the first rounds of a trial."""
        trials = self._trials
        most: float = min(trials.cell.setting.horizon, trials.rounds or math.inf)
        rounds = min(WARM_UP, math.ceil(WARM_UP_SHARE * most))
        with keeping_folder():
            play_trial(trials.cell, trial, rounds=rounds, **self._options)

    def play(self, trial: int, histories: Histories | None = None) -> Trajectory:
        """Play one trial, in a copy of this process if it is isolated.

        For ``histories``, see `optimist.experiments.play_trial.play_trial`.
        """
        cell, rounds = self._trials.cell, self._trials.rounds
        try:
            with self._share() as seconds:
                if not self._is_isolated:
                    with limited(seconds), keeping_folder():
                        return play_trial(
                            cell, trial, rounds=rounds, histories=histories, **self._options
                        )
                in_copy = partial(self._after_warm_up, trial, seconds, histories)
                trajectory: Trajectory
                trajectory, played = isolated(in_copy, seeding.seed(cell.name, trial))
                if histories is not None:
                    histories.update(played)
                return trajectory
        except OutOfTimeError:
            return Trajectory("out_of_time")
        finally:
            self._left -= 1

    def _after_warm_up(
        self, trial: int, seconds: float | None, histories: Histories | None
    ) -> tuple[Trajectory, Histories]:
        """Warm up and play a trial in a copy of this process; return the histories with it."""
        cell, rounds, histories = self._trials.cell, self._trials.rounds, histories or {}
        try:
            with limited(seconds):
                with suppress(Exception, SystemExit):  # the trial raises its own errors
                    self._start(trial + 1)
                with keeping_folder():
                    trajectory = play_trial(
                        cell, trial, rounds=rounds, histories=histories, **self._options
                    )
                return trajectory, histories
        except OutOfTimeError:
            return Trajectory("out_of_time"), {}

    @contextmanager
    def _share(self) -> Iterator[float | None]:
        """Give a trial its share of the time that is left, and take the time that it needs."""
        if self._seconds is not None and self._seconds <= 0:
            raise OutOfTimeError
        start = time.monotonic()
        try:
            yield None if self._seconds is None else 2.0 * self._seconds / (self._left + 1)
        finally:
            if self._seconds is not None:
                self._seconds -= time.monotonic() - start


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
