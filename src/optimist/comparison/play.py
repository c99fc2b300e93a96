"""Play missing trials in separate processes, and reuse the results of earlier trials."""

import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.algorithms import algorithm_class
from optimist.comparison.clock import Clock
from optimist.comparison.earlier_trials import EarlierTrials
from optimist.comparison.prepared_data import prepared
from optimist.config.load import load_config, overlays_in_use
from optimist.config.select import cells, once, settings
from optimist.core.errors import (
    BrokenEnvironmentError,
    BrokenPackageError,
    ConfigError,
    EndedError,
    OptimistError,
    ResultError,
    UnwritableError,
    check_writable,
    one_of,
    whole_number,
)
from optimist.core.executor import Call, calls
from optimist.core.layout import Layout
from optimist.core.registry import names_file
from optimist.core.root import workspace
from optimist.core.source_files import is_of_user
from optimist.core.user_errors import in_one_line, of_system
from optimist.experiments.cell import OWN, Cell, Setting
from optimist.experiments.trials import Trials

if TYPE_CHECKING:
    import pandas as pd


# Columns that every frame has; they are empty where nothing was measured.
ALWAYS = ("round", "regret", "seconds", "covered", "state_bytes")


class TrialError(ResultError):
    """Raised when a trial ends with an error in its algorithm or its process."""


@dataclass
class Progress:
    """Progress of the trials, reported after each one.

    Attributes
    ----------
    done, total : int
        Number of finished trials, and total number of trials.
    seconds_left : float
        Expected time in seconds until all processes finish.
    """

    done: int
    total: int
    seconds_left: float


Report = Callable[[Progress], None]


def play(
    where: str | Setting | Iterable[str | Setting],
    algorithms: Sequence[Any],
    *,
    trials: int = 10,
    first: int = 0,
    rounds: int | None = None,
    cores: int = 1,
    fresh: bool = False,
    committed: bool = False,
    report: Report | None = None,
    errors: str = "raise",
) -> "pd.DataFrame":
    """Play algorithms in settings, with common random numbers, and return the trials.

    In trial i, all algorithms face the same instance and noise, as in the workflow. Trials already
    played by this function, ``optimist compare`` or the workflow are read from the results folder
    if the code, configuration, data and package versions have not changed. Trials of the last full
    run are read from the table next to its figures if the code, configuration and data have not
    changed. That table contains about sixty rounds of each trial, and no times.

    All trials are played in other processes with the shared kernels (`optimist.core.blas_kernels`),
    whatever kernels numpy uses in the calling process, such as a notebook. A process that loads a
    user's class plays only one cell with that class, and each trial runs in its own copy of the
    process.

    Parameters
    ----------
    where : str, Setting, or iterable of these
        See `optimist.config.select.settings`.
    algorithms : list of str or class
        Labels, such as ``name[option=value]`` or ``file.py:Class``, or classes defined in this
        process. Such a class is pickled with cloudpickle as it is now, with all that its functions
        refer to in users' modules, and runs in another process. Its output and side effects stay in
        that process, and its trials are not kept.
    trials, first : int
        The trials first, ..., first + trials - 1 are played.
    rounds : int or None
        Number of rounds after which each trial stops; None for the whole horizon. The algorithms
        plan for the whole horizon in either case.
    cores : int
        Number of processes.
    fresh : bool
        Whether to play all trials now, so that all times come from one run.
    committed : bool
        Whether to use trials of the last full run even if another version of the code played them.
    report : callable or None
        Called with a `Progress` after each trial.
    errors : {"raise", "skip"}
        Response to an error in an algorithm: "raise" stops all trials, and "skip" continues without
        the algorithm in this setting.

    Returns
    -------
    DataFrame
        One row per recorded round, with the columns paper, setting, algorithm, trial, round,
        regret, seconds, status, covered, state_bytes, and any columns that algorithms record. If
        the maximum of a function is unknown, regret is relative to the best value in these trials.

        The dictionary ``attrs`` contains:

        - ``committed``: the number of trials from tables, by the commit of the code that played
          them.
        - ``other_code``: a dictionary with ``cells`` (the cells in tables that another version of
          the code played), ``of`` (the number of requested cells in tables) and ``taken`` (whether
          the trials of ``cells`` were used rather than played again).
        - ``reused``: the number of trials from result files; their times are from earlier runs.
        - ``processes``: the number of simultaneous processes.
        - ``isolated``: whether trials that were played now ran in copies of processes, as classes
          of users do.
        - ``kept``: whether results can be kept in the results folder.
        - ``errors``: the reasons why algorithms were left out, by ``paper/setting/algorithm``.
        - ``one_instance``: the settings, as ``paper/setting``, in which all trials share one
          instance and differ only in noise.
        - ``own_radii``: the settings, as ``paper/setting``, in which each method uses the radius
          from its theorem.
        - ``horizons``: the horizons of the settings, by ``paper/setting``.

    Raises
    ------
    ConfigError
        If a name or an option is unknown. No trial is played in this case.
    ResultError
        If a trial ended with an error (with "raise"), if all algorithms were left out (with
        "skip"), or if a file cannot be read or written.
    """
    one_of("errors", errors, ("raise", "skip"))
    for key, value, least in (("trials", trials, 1), ("first", first, 0), ("cores", cores, 1)):
        whole_number(key, value, least)
    if rounds is not None and (not isinstance(rounds, int) or rounds < 1):
        raise ConfigError(f"rounds is {rounds!r}; allowed: a whole number, at least 1, or none")
    chosen = cells(_settings(where), algorithms)
    for cell in chosen:
        if rounds is not None and rounds > (most := cell.setting.horizon):
            raise ConfigError(
                f"rounds is {rounds}; allowed in {_place(cell)}: at most {most}, the "
                "horizon, which the option horizon can change"
            )
    asked = [
        Trials("regret", cell, trial, trial + 1, rounds=rounds)
        for cell in chosen
        for trial in range(first, first + trials)
    ]
    report = report or (lambda progress: None)
    playing = _Playing(asked, cores, report, fresh, committed, errors == "skip")
    frames = playing.frames()
    if not frames:
        raise ResultError("\n".join(dict.fromkeys(playing.errors.values())))
    joined = _joined(asked, frames)
    horizons = {_place(cell): cell.setting.horizon for cell in chosen}
    joined.attrs |= playing.about | {"horizons": horizons} | _remarkable(chosen)
    return joined


def _remarkable(chosen: Iterable[Cell]) -> dict[str, list[str]]:
    """Return the settings with one shared instance, and those with radii from theorems."""
    options = {_place(cell): cell.setting.options for cell in chosen}
    return {
        "one_instance": sorted(k for k, one in options.items() if one.get("instance") == "shared"),
        "own_radii": sorted(
            k
            for k, one in options.items()
            if one.get("radius", "theory") == "theory" and one.get("factor") == 1.0
        ),
    }


def _place(cell: Cell) -> str:
    return f"{cell.paper}/{cell.setting.label}"


def _settings(where: str | Setting | Iterable[str | Setting]) -> list[Setting]:
    if isinstance(where, type):
        raise ConfigError(
            f"setting is {where!r}; allowed: a string, such as world.py:World for a class"
        )
    chosen: list[Setting] = []
    for entry in [where] if isinstance(where, str | Setting) else where:
        chosen += [entry] if isinstance(entry, Setting) else settings(entry)
    if not chosen:
        raise ConfigError("settings is empty; allowed: at least one PAPER/SETTING")
    return once(chosen)


@dataclass
class _Playing:
    """The requested trials, each read from earlier results or played now.

    Parameters
    ----------
    asked : list of Trials
        Single trials.
    cores : int
    report : callable
    is_fresh : bool
        Whether to ignore the results of earlier trials.
    takes_all : bool
        Whether to use trials from tables even if another version of the code played them.
    is_skipping : bool
        Whether to skip cells with an error; see ``errors`` in `play`.

    Attributes
    ----------
    earlier : EarlierTrials
    sources : dict
        Sources of the reused trials, by position in ``asked``; see `EarlierTrials.rows`.
    processes : int
        Number of simultaneous processes.
    is_keeping : bool
        Whether played trials are kept; this requires a writable folder.
    is_isolated : bool
        Whether trials are played in copies of processes. Copies are slower, so if any trial needs
        one, all trials are played in copies, and their times can be compared.
    errors : dict
        Error messages of skipped cells, by cell name.
    """

    asked: Sequence[Trials]
    cores: int
    report: Report
    is_fresh: bool
    takes_all: bool
    is_skipping: bool
    sources: dict[int, str] = field(default_factory=dict)
    processes: int = 0
    is_keeping: bool = True
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        layout = Layout(str(workspace() / load_config()["results"]), "")
        self.earlier = EarlierTrials(layout, takes_all=self.takes_all)
        self.is_isolated = any(trials.is_foreign for trials in self.asked)
        self._kept = Path(layout.kept)
        try:
            check_writable(layout.kept)
        except UnwritableError:
            self.is_keeping = False
        names = {trials.cell.setting.dataset for trials in self.asked} - {""}
        self._data = {name: str(prepared(name)) for name in names}

    def frames(self) -> "list[pd.DataFrame]":
        """Return the rows of each trial in the requested order, without those of skipped cells."""
        frames, missing = {}, {}
        self._leave_out_broken_packages()
        for i, trials in enumerate(self.asked):
            if self._is_left_out(i):
                continue
            if not self.is_fresh and (taken := self.earlier.rows(trials)):
                frames[i], self.sources[i] = taken
            else:
                missing[i] = trials
        clock = Clock([*missing.values()])
        names = (trials.cell.name for trials in self.asked)
        asked = Counter(name for name in names if name not in self.errors)
        ended = Counter(self.asked[i].cell.name for i in frames)
        for i, rows in self._played(missing, clock):
            name = self.asked[i].cell.name
            if rows is None:
                del asked[name], ended[name]
            else:
                frames[i] = rows
                ended[name] += 1
            self.report(Progress(ended.total(), asked.total(), clock.left / self.cores))
        kept = [i for i in sorted(frames) if not self._is_left_out(i)]
        self.sources = {i: source for i, source in self.sources.items() if not self._is_left_out(i)}
        return [frames[i] for i in kept]

    def _leave_out_broken_packages(self) -> None:
        """Leave out cells whose algorithm belongs to a package that is partly removed."""
        for trials in self.asked:
            try:
                _ = trials.code  # the search for source files raises the error
            except BrokenPackageError as error:
                if not self.is_skipping:
                    raise
                self.errors[trials.cell.name] = f"{trials.cell.name}: {error}"

    @property
    def about(self) -> dict[str, object]:
        """Where the trials came from and how they were played, as `play` describes it."""
        taken = Counter(self.sources.values())
        return {
            "reused": taken.pop("", 0),
            "committed": dict(taken),
            "other_code": {
                "cells": sorted(self.earlier.of_other_code),
                "of": len(self.earlier.committed),
                "taken": self.takes_all,
            },
            "processes": self.processes,
            "isolated": self.is_isolated,
            "kept": self.is_keeping,
            "errors": self.errors,
        }

    def _played(
        self, missing: Mapping[int, Trials], clock: Clock
    ) -> "Iterator[tuple[int, pd.DataFrame | None]]":
        """Play trials; yield the position and rows of each, with None for rows of skipped cells."""
        self.processes = max(1, min(self.cores, len(missing)))
        held = {t.cell.name: t.cell for t in missing.values() if t.cell.is_of_this_process}
        sent = {name: _added(cell) for name, cell in held.items()}
        waiting = {i: self._call(trials, sent) for i, trials in missing.items()}
        with closing(calls(waiting, self.processes)) as messages:
            for i, word, value in messages:
                trials = self.asked[i]
                if word == "error":
                    error = _failure(trials, value)
                    if not (self.is_skipping and isinstance(error, TrialError)):
                        raise error
                    self.errors.setdefault(trials.cell.name, str(error))
                    clock.drop(trials.cell)
                    for other in filter(self._is_left_out, [*waiting]):
                        del waiting[other]
                    yield i, None
                elif not self._is_left_out(i):
                    seconds, rows = value
                    clock.stop(trials, seconds)
                    yield i, rows.to_pandas()

    def _is_left_out(self, number: int) -> bool:
        return self.asked[number].cell.name in self.errors

    def _call(self, trials: Trials, sent: Mapping[str, object]) -> Call:
        """Return a call that plays a trial and, if its class has a file, keeps the result."""
        cell = trials.cell
        is_kept = self.is_keeping and not cell.is_of_this_process
        arguments = {
            "trials": trials.describe(),
            "output": str(self._kept / self.earlier.place(trials).path) if is_kept else "",
            "data": self._data.get(cell.setting.dataset, ""),
            "added": sent.get(cell.name),
            "is_isolated": self.is_isolated,
        }
        room = cell.name if cell.is_foreign else ""
        return Call("optimist.comparison.trial:play", arguments, room)


def _added(cell: Cell) -> dict[str, object]:
    """Return what another process needs to load an algorithm class as this process holds it."""
    import cloudpickle

    name = cell.algorithm.name
    try:
        with _users_modules_by_value():
            pickled = cloudpickle.dumps(algorithm_class(name, cell.domain))
    except Exception as error:
        raise ConfigError(
            f"{cell.algorithm} cannot be sent to another process ({in_one_line(error)}); allowed: "
            "a class whose references can all be pickled, or a class in a file"
        ) from None
    paths = [os.fspath(path) for path in sys.path]
    return {"domain": cell.domain, "name": name, "class": pickled, "paths": paths}


@contextmanager
def _users_modules_by_value() -> Iterator[None]:
    """Pickle classes, functions and constants of users' modules as they are in this process.

    By default, cloudpickle sends only the name of an imported module. Another process would then
    load its file, which knows nothing of a constant that was changed in a notebook.
    """
    import cloudpickle

    known = cloudpickle.list_registry_pickle_by_value()
    modules = {name: module for name, module in [*sys.modules.items()] if name not in known}
    chosen = [module for name, module in modules.items() if _is_of_user(name, module)]
    for module in chosen:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in chosen:
            cloudpickle.unregister_pickle_by_value(module)


def _is_of_user(name: str, module: Any) -> bool:
    """Return whether a module is a source file of a user; cloudpickle looks it up by its name."""
    path = str(getattr(module, "__file__", ""))
    is_found = getattr(module, "__name__", "") == name != "__main__"
    return is_found and path.endswith(".py") and is_of_user(path)


def _failure(trials: Trials, error: BaseException) -> ResultError:
    """Return the error to raise for a failed trial, perhaps with a suggested command."""
    cell, name = trials.cell, trials.cell.algorithm.name
    where = f"{cell.name}, trial {trials.first}"
    if isinstance(error, BrokenEnvironmentError):
        where, name = f"{_place(cell)}, trial {trials.first}", cell.setting.environment
    if isinstance(error, EndedError):
        return TrialError(f"{where}: {error}")
    if isinstance(error, ConfigError):
        has_file = names_file(name) and not cell.is_of_this_process
        hint = f"; optimist check {shlex.quote(name)} may explain why" if has_file else ""
        return TrialError(f"{where}: {error}{hint}")
    if isinstance(error, OptimistError) or of_system(error):
        return ResultError(of_system(error) or str(error))
    hint = "" if cell.is_of_this_process else f"; {_traced(trials)} shows the traceback"
    return TrialError(f"{where}: {in_one_line(error)}{hint}")


def _traced(trials: Trials) -> str:
    """Return the command that plays a trial and shows the traceback of its error."""
    cell, place = trials.cell, _place(trials.cell)
    if cell.paper == OWN:  # the name of the setting does not contain its file
        label = cell.setting.label
        place = cell.setting.environment + label.removeprefix(label.name)
    words = ["optimist", "--debug", "run", f"{place}/{cell.algorithm}"]
    words += ["--trials", f"{trials.first}:{trials.stop}"]
    words += [] if trials.rounds is None else ["--rounds", str(trials.rounds)]
    overlays = ["--configfile", *overlays_in_use()] if overlays_in_use() else []
    return shlex.join([*words, *overlays])


def _joined(asked: Sequence[Trials], frames: "Sequence[pd.DataFrame]") -> "pd.DataFrame":
    """Join all rows into one frame, and adjust the regret where the maximum is unknown."""
    import pandas as pd

    joined = pd.concat([rows.dropna(axis=1, how="all") for rows in frames], ignore_index=True)
    # If all trials come from tables, some columns of `ALWAYS` had no values and were dropped.
    joined = joined.reindex(columns=[*dict.fromkeys([*joined, *ALWAYS])])
    unknown = {
        (trials.cell.paper, trials.cell.setting.label)
        for trials in asked
        if not trials.cell.setting.cls.maximum_is_known
    }
    pieces = [
        _counted(rows) if place in unknown and "instance" in rows else rows
        for place, rows in joined.groupby(["paper", "setting"], sort=False)
    ]
    return pd.concat(pieces, ignore_index=True)


def _counted(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Return a setting's rows, with regret relative to each instance's best value."""
    least = rows.groupby("instance")["simple_regret"].transform("min").fillna(0.0)
    return rows.assign(
        regret=rows["regret"] - least * rows["round"], simple_regret=rows["simple_regret"] - least
    )
