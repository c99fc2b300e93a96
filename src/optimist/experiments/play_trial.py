"""Construct the environment, algorithm and observers of one trial of a cell, and play it."""

from collections.abc import Callable, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

from optimist.algorithms import make_algorithm
from optimist.core.arguments import as_declared, check_keywords, defaults, option_names
from optimist.core.errors import ConfigError
from optimist.core.files import sha256
from optimist.core.label import Label
from optimist.core.layout import dataset_in
from optimist.core.registry import keeping_folder
from optimist.environments import make_environment
from optimist.environments.observer import Observer
from optimist.experiments.cell import Cell, Probe
from optimist.experiments.isolation import isolated
from optimist.experiments.loop import Coverage, Trajectory, checkpoints, rounds_of
from optimist.experiments.replay import Choices, History, replay
from optimist.numerics import seeding

PLAIN = (bool, int, float, str, type(None))
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
