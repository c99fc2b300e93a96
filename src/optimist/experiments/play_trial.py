"""Construct the environment, algorithm and observers of one trial of a cell, and play it.

A slow solver can be timed on the history of a fast one; see `replay`.
"""

import time
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from optimist.algorithms import make_algorithm
from optimist.core.arguments import as_declared, check_keywords, defaults, option_names
from optimist.core.errors import ConfigError
from optimist.core.files import sha256
from optimist.core.label import Label
from optimist.core.layout import dataset_in
from optimist.core.registry import keeping_folder
from optimist.environments import make_environment
from optimist.environments.base import FiniteArmEnvironment
from optimist.environments.observer import Observer
from optimist.experiments.cell import Cell, Probe
from optimist.experiments.isolation import isolated
from optimist.experiments.loop import (
    COMPLETE,
    ArmRounds,
    Coverage,
    Round,
    Trajectory,
    ask,
    check_index,
    checkpoints,
    draw_reward,
    rounds_of,
)
from optimist.numerics import seeding

PLAIN = (bool, int, float, str, type(None))


class Choices(Observer):
    """Observer that stores the choice of each round."""

    def __init__(self) -> None:
        self.played: list[Any] = []

    def after(
        self, t: int, arms: np.ndarray | None, choice: Any, reward: float, regret: float
    ) -> None:
        self.played.append(choice)


@dataclass(frozen=True)
class History:
    """A leader's choices in a trial, replayed by its followers.

    Attributes
    ----------
    played : sequence of int
        Index of the arm chosen in each round.
    status : str
        Status with which the trial ended.
    """

    played: Sequence[int]
    status: str


# Histories of one trial, by setting, algorithm and number of rounds.
Histories = MutableMapping[tuple[Label, Label, int], History]


def build(cell: Cell, trial: int, data_dir: str | Path | None = None) -> tuple[Any, Any]:
    """Construct the environment and the problem of one trial."""
    setting, path = cell.setting, _dataset(cell, data_dir)
    environment = make_environment(
        setting.environment,
        horizon=setting.horizon,
        trial=trial,
        stream=partial(cell.stream, trial),
        **setting.parameters,
        **({} if path is None else {"dataset": path}),
    )
    check_keywords("problem", setting.problem, environment.problem)
    told = as_declared(type(environment).problem, setting.problem)
    return environment, environment.problem(**told)


def resolve(cell: Cell, data_dir: str | Path | None = None) -> dict[str, object]:
    """Return all parameters and options of a cell, including defaults, as plain data.

    The keys are ``environment`` (its parameters), ``problem`` (attributes of the problem in trial
    0), ``options`` (of the algorithm) and ``dataset`` (SHA-256 of the prepared file, or None).
    """
    _, problem = build(cell, 0, data_dir)
    # Omit link functions, kernels and arrays, which follow from the environment's parameters.
    values = {key: value for key, value in vars(problem).items() if isinstance(value, PLAIN)}
    return {
        "environment": {**defaults(cell.setting.cls.__init__), **cell.setting.parameters},
        "problem": values,
        "options": {**option_names(cell.cls), **dict(cell.algorithm.options)},
        "dataset": dataset_digest(cell, data_dir),
    }


def dataset_digest(cell: Cell, data_dir: str | Path | None) -> str | None:
    """Return the SHA-256 of a cell's prepared data set, or None if it has none."""
    path = _dataset(cell, data_dir)
    return None if path is None else sha256(path)


def _dataset(cell: Cell, data_dir: str | Path | None) -> Path | None:
    setting = cell.setting
    if not setting.dataset:
        return None
    if data_dir is None:
        raise ConfigError(f"setting {str(setting.label)!r} needs the data set {setting.dataset!r}")
    return dataset_in(data_dir, setting.dataset)


def play_trial(
    cell: Cell,
    trial: int,
    data_dir: str | Path | None = None,
    *,
    rounds: int | None = None,
    probe: Probe | None = None,
    coverage: bool = True,
    histories: Histories | None = None,
) -> Trajectory:
    """Play one trial of a cell.

    For ``rounds`` and ``probe``, see `optimist.experiments.trials.Trials`.

    If ``coverage`` is False, slow checks of the theory are skipped, such as whether the confidence
    set contains the truth. ``histories`` contains the trial's histories so far; each algorithm that
    plays adds its own. A probe needs its leader's history; if it is absent, the leader plays first.
    """
    environment, problem = build(cell, trial, data_dir)
    marks = checkpoints(cell.setting.horizon, rounds)
    histories = {} if histories is None else histories
    label = probe.leader if probe else cell.algorithm
    place = cell.setting.label, label, marks[-1]
    if probe is None or place not in histories:
        algorithm = make_algorithm(label, problem, cell.algorithm_stream(trial, label))
        choices = Choices()
        observers = [Coverage(environment.truth if coverage else None, algorithm), choices]
        # Observers see the truth, so foreign algorithms must not add observers.
        if coverage and not cell.is_foreign_algorithm(label):
            observers += algorithm.observers(environment)
        trajectory = rounds_of(environment, algorithm, observers).run(marks)
        histories[place] = History(choices.played, trajectory.status)
    if probe is None:
        return trajectory
    follower = make_algorithm(cell.algorithm, problem, cell.algorithm_stream(trial))
    every = min(probe.every, max(1, marks[-1] // 4))
    return replay(environment, histories[place], follower, marks, every=every)


def watch(
    cell: Cell,
    trial: int,
    observe: Callable[[Any, Any], Observer],
    *,
    rounds: int | None = None,
    data_dir: str | Path | None = None,
) -> Trajectory:
    """Play one trial of a cell with an observer, exactly as in the workflow.

    A cell with foreign code is played in a copy of this process.

    Parameters
    ----------
    cell : Cell
    trial : int
    observe : callable
        Takes the trial's environment and algorithm, and returns the observer.
    rounds : int or None
        Number of rounds after which to truncate the trial.
    data_dir : path or None
        Folder of the prepared data sets.
    """

    def watched() -> Trajectory:
        environment, problem = build(cell, trial, data_dir)
        algorithm = make_algorithm(cell.algorithm, problem, cell.algorithm_stream(trial))
        marks = checkpoints(cell.setting.horizon, rounds)
        return rounds_of(environment, algorithm, [observe(environment, algorithm)]).run(marks)

    trajectory: Trajectory = isolated_if_foreign(cell, watched, trial)
    return trajectory


def isolated_if_foreign(cell: Cell, function: Callable[[], Any], trial: int = 0) -> Any:
    """Call a function, in a copy of this process if the cell has foreign code."""
    with keeping_folder():
        return isolated(function, seeding.seed(cell.name, trial)) if cell.is_foreign else function()


class _ReplayRounds(ArmRounds):
    """Running totals of a follower on a leader's history; see `replay`."""

    def __init__(
        self, environment: FiniteArmEnvironment, history: History, follower: Any, every: int
    ) -> None:
        super().__init__(environment, follower, [Coverage(None, follower)])
        self.history = history
        self.every = every
        # Seconds that prepare and select took when last timed; None before the first timing.
        self.rates: tuple[float, float] | None = None
        self.selections = 0
        self.agreements = 0

    @property
    def status(self) -> str:
        """The leader's status if the leader did not complete the trial or the follower is ok.

        Otherwise, this is the follower's status.
        """
        if self.history.status not in COMPLETE:
            return self.history.status
        return self.history.status if super().status == "ok" else super().status

    def round(self, t: int) -> Round:
        arms, follower = self.arms(t), self.algorithm
        index = self.history.played[t]
        if t % self.every == self.every // 2:
            start = time.perf_counter()
            follower.prepare()
            middle = time.perf_counter()
            choice = follower.select(arms)
            end = time.perf_counter()
            check_index(choice, len(arms), t, follower)
            rounds = t if self.rates is None else 0  # number of earlier rounds not yet charged
            self.rates = middle - start, end - middle
            self._charge(rounds, *self.rates)
            self.selections += 1
            self.agreements += choice == index
        reward = draw_reward(self.environment, t, index)
        context = ask(self.environment, "context", t, t)
        start = time.perf_counter()
        follower.update(arms, index, reward, **context)
        self.seconds += time.perf_counter() - start
        if self.rates:
            self._charge(1, *self.rates)
        return arms, index, reward, self.regret_of(t, index, arms)

    def _charge(self, rounds: int, preparing: float, selecting: float) -> None:
        self.seconds += rounds * (preparing + selecting)
        self.select_seconds += rounds * selecting

    def totals(self) -> dict[str, object]:
        return {**super().totals(), "selections": self.selections, "agreements": self.agreements}


def replay(
    environment: FiniteArmEnvironment,
    history: History,
    follower: Any,
    marks: Sequence[int],
    *,
    every: int,
) -> Trajectory:
    """Time a slow solver on the history of a fast one.

    The ``follower`` learns from the leader's arms and rewards, and selects an arm only once every
    ``every`` rounds. The time of a selection is charged to every round until the next selection,
    so ``seconds`` estimates the time of a full trial on this history. The trial ends early if the
    leader's trial ended early.

    Returns
    -------
    Trajectory
        The columns of `Rounds.run`, with the leader's regret and the follower's times, and two
        more: ``selections``, the follower's number of selections, and ``agreements``, the number of
        these that chose the leader's arm.
    """
    reached = [mark for mark in marks if mark <= len(history.played)]
    if not reached:
        return Trajectory(history.status)
    return _ReplayRounds(environment, history, follower, every).run(reached)
