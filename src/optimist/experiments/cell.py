"""Construct the environment, algorithm and observers of one trial of a cell, and play it."""

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from optimist.algorithms import (
    REGISTRIES,
    algorithm_class,
    canonical,
    make_algorithm,
)
from optimist.core.arguments import as_declared, check_keywords, defaults, option_names
from optimist.core.errors import ConfigError
from optimist.core.files import sha256
from optimist.core.label import Label, name_of
from optimist.core.layout import dataset_in
from optimist.core.registry import keeping_folder, short_name
from optimist.environments import (
    ENVIRONMENTS,
    environment_class,
    environment_domain,
    make_environment,
)
from optimist.environments.observer import Observer
from optimist.experiments.isolation import isolated
from optimist.experiments.loop import Coverage, Trajectory, checkpoints, play
from optimist.experiments.replay import Choices, History, replay
from optimist.experiments.setting import resolve_setting
from optimist.numerics import seeding

# Keys of a setting that inform readers and do not affect results.
ABOUT = frozenset(("title", "about"))
PLAIN = (bool, int, float, str, type(None))
# Histories of one trial, by setting, algorithm and number of rounds.
Histories = MutableMapping[tuple[str, str, int], History]


@dataclass(frozen=True)
class Cell:
    """A combination of a paper, one of its settings and an algorithm.

    Attributes
    ----------
    paper, setting, algorithm : str
        ``algorithm`` is a label, ``name[option=value,...]``.
    spec : dict
        The setting as configured: environment, parameters, problem, horizon and optionally
        dataset.
    """

    paper: str
    setting: str
    algorithm: str
    spec: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the cell, ``paper/setting/algorithm``."""
        return f"{self.paper}/{self.setting}/{self.algorithm}"

    @property
    def domain(self) -> str:
        """Domain of the cell, ``arms`` or ``box``."""
        return environment_domain(self.environment)

    @property
    def is_foreign(self) -> bool:
        """Whether the algorithm or the environment comes from outside this package."""
        # Check the environment first: if it is foreign, its domain is known only after loading.
        if ENVIRONMENTS.is_foreign(self.environment):
            return True
        return bool(self.algorithm) and self.is_foreign_algorithm(self.algorithm)

    def is_foreign_algorithm(self, label: str) -> bool:
        """Return whether an algorithm of this cell's domain comes from outside this package."""
        return REGISTRIES[self.domain].is_foreign(name_of(label))

    @property
    def environment(self) -> str:
        """Name of the environment."""
        return str(self.spec["environment"])

    @property
    def is_of_this_process(self) -> bool:
        """Whether the algorithm's class exists only in this process, not in a file or a package."""
        return any(name_of(self.algorithm) in registry.added for registry in REGISTRIES.values())

    def stream(self, trial: int, purpose: str) -> np.random.Generator:
        """Return the environment's random generator for one purpose in a trial.

        All variants of a setting get the same random numbers, so that comparisons are fair.
        """
        return seeding.stream(self.paper, name_of(self.setting), trial, purpose)

    def algorithm_stream(self, trial: int, label: str = "") -> np.random.Generator:
        """Return an algorithm's random generator for a trial.

        An empty ``label`` means this cell's algorithm. All variants of an algorithm get the same
        random numbers, wherever its file is.
        """
        return self.stream(trial, short_name(name_of(label or self.algorithm)))


def make_cell(paper: Mapping[str, Any], setting: str, algorithm: str) -> Cell:
    """Construct a cell of a loaded paper configuration, with labels in canonical form.

    The setting's label may have options that the configuration does not list.

    Raises
    ------
    ConfigError
        If the setting, the algorithm or an option is unknown.
    """
    if setting in paper["settings"]:
        label, full = setting, paper["settings"][setting]
    else:
        resolved, full = resolve_setting(paper, setting)
        label = str(resolved)
    spec = {key: value for key, value in full.items() if key not in ABOUT}
    domain = environment_domain(spec["environment"])
    return Cell(paper["paper"], label, canonical(algorithm, domain), spec)


def build(cell: Cell, trial: int, data_dir: str | Path | None = None) -> tuple[Any, Any]:
    """Construct the environment and the problem of one trial."""
    spec = cell.spec
    path = _dataset(cell, data_dir)
    environment = make_environment(
        spec["environment"],
        horizon=spec["horizon"],
        trial=trial,
        stream=partial(cell.stream, trial),
        **spec.get("parameters", {}),
        **({} if path is None else {"dataset": path}),
    )
    keywords = spec.get("problem", {})
    check_keywords("problem", keywords, environment.problem)
    told = as_declared(type(environment).problem, keywords)
    return environment, environment.problem(**told)


def resolve(cell: Cell, data_dir: str | Path | None = None) -> dict[str, Any]:
    """Return all parameters and options of a cell, including defaults, as plain data.

    The keys are ``environment`` (its parameters), ``problem`` (attributes of the problem in trial
    0), ``options`` (of the algorithm) and ``dataset`` (SHA-256 of the prepared file, or None).
    """
    spec = cell.spec
    _, problem = build(cell, 0, data_dir)
    label = Label.parse(cell.algorithm)
    defaults_of = option_names(algorithm_class(label.name, cell.domain))
    environment = defaults(environment_class(spec["environment"]).__init__)
    # Omit link functions, kernels and arrays, which follow from the environment's parameters.
    values = {key: value for key, value in vars(problem).items() if isinstance(value, PLAIN)}
    return {
        "environment": {**environment, **spec.get("parameters", {})},
        "problem": values,
        "options": {**defaults_of, **dict(label.options)},
        "dataset": dataset_digest(cell, data_dir),
    }


def dataset_digest(cell: Cell, data_dir: str | Path | None) -> str | None:
    """Return the SHA-256 of a cell's prepared data set, or None if it has none."""
    path = _dataset(cell, data_dir)
    return None if path is None else sha256(path)


def _dataset(cell: Cell, data_dir: str | Path | None) -> Path | None:
    if "dataset" not in cell.spec:
        return None
    if data_dir is None:
        raise ConfigError(f"setting {cell.setting!r} needs the data set {cell.spec['dataset']!r}")
    return dataset_in(data_dir, cell.spec["dataset"])


def play_trial(
    cell: Cell,
    trial: int,
    data_dir: str | Path | None = None,
    *,
    rounds: int | None = None,
    probe: Mapping[str, Any] | None = None,
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
    marks = checkpoints(cell.spec["horizon"], rounds)
    histories = {} if histories is None else histories

    def lead(label: str) -> Trajectory:
        algorithm = make_algorithm(label, problem, cell.algorithm_stream(trial, label))
        choices = Choices()
        observers = [Coverage(environment.truth if coverage else None, algorithm), choices]
        # Observers see the truth, so foreign algorithms must not add observers.
        if coverage and not cell.is_foreign_algorithm(label):
            observers += algorithm.observers(environment)
        trajectory = play(environment, algorithm, marks, observers=observers)
        histories[cell.setting, label, marks[-1]] = History(choices.played, trajectory.status)
        return trajectory

    if not probe:
        return lead(cell.algorithm)
    leader = cell.setting, probe["leader"], marks[-1]
    if leader not in histories:
        lead(probe["leader"])
    follower = make_algorithm(cell.algorithm, problem, cell.algorithm_stream(trial))
    every = min(probe["every"], max(1, marks[-1] // 4))
    return replay(environment, histories[leader], follower, marks, every=every)


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
        marks = checkpoints(cell.spec["horizon"], rounds)
        return play(environment, algorithm, marks, observers=[observe(environment, algorithm)])

    trajectory: Trajectory = apart(cell, watched, trial)
    return trajectory


def apart(cell: Cell, function: Callable[[], Any], trial: int = 0) -> Any:
    """Call a function, in a copy of this process if the cell has foreign code."""
    with keeping_folder():
        return isolated(function, seeding.seed(cell.name, trial)) if cell.is_foreign else function()
