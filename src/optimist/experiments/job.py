"""Jobs of the workflow; each job plays trials of one cell or race and writes their results."""

import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from optimist.core import provenance
from optimist.core.errors import OutOfTimeError, ResultError
from optimist.core.layout import dataset_in, evaluations_in, parse_result
from optimist.core.observation import Observer
from optimist.experiments import interleaved_repeats, results
from optimist.experiments.cell import Cell
from optimist.experiments.limits import Meter, limited
from optimist.experiments.loop import Trajectory
from optimist.experiments.play_trial import (
    Histories,
    dataset_digest,
    isolated_if_foreign,
    resolve,
)
from optimist.experiments.trials import Player, Trials

Description = Mapping[str, object]

logger = logging.getLogger("optimist")


def make_result(
    description: Description,
    output: str,
    data_dir: str,
    seconds: float | None = None,
    is_isolated: bool | None = None,
) -> None:
    """Play trials of the regret lane and write their result file.

    Parameters
    ----------
    description : dict
        Result of `optimist.experiments.trials.Trials.describe`, plus the ``digest`` of the trials'
        inputs.
    output : str
        Path of the result file.
    data_dir : str
        Folder of the prepared data sets.
    seconds : float or None
        Wall time for all trials together; trials that exceed it end early.
    is_isolated : bool or None
        See `optimist.experiments.trials.Player`.
    """
    file, trajectories = _File(description, output, data_dir, seconds, is_isolated), {}
    for trial in range(file.trials.first, file.trials.stop):
        with file.observed(f"trial {trial}"):
            trajectories[trial] = file.player.play(trial)
        file.log(trial, trajectories[trial])
    file.write(trajectories)


def make_race(
    descriptions: Sequence[Description],
    folder: str,
    data_dir: str,
    limits: Sequence[float | None] | None = None,
) -> None:
    """Play a race of the timing lane in turns, and write its results to a folder.

    The folder appears only once all its files are complete. The parameters are as in `make_result`,
    but with one description per cell; ``limits`` contains each cell's ``seconds``.
    """
    target = Path(folder)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    # The folder's name consists of the race's number and digest.
    digest = target.name.partition(".")[2]
    limits = limits or [None] * len(descriptions)
    race = [Trials.restore(description) for description in descriptions]
    places = [target.parents[2] / trials.place(digest).path for trials in race]
    # A copy of a process plays more slowly, so all cells of a race are played in the same way.
    is_isolated = any(trials.is_foreign for trials in race)
    try:
        files = [
            _File(description, str(place), data_dir, seconds, is_isolated)
            for description, place, seconds in zip(descriptions, places, limits, strict=True)
        ]
        for file, place in zip(files, places, strict=True):
            file.output = str(draft / place.relative_to(target))
        _play_in_turns(files)
        shutil.rmtree(target, ignore_errors=True)
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


class _File:
    """A result file to be written, and the player of its trials."""

    def __init__(
        self,
        description: Description,
        output: str,
        data_dir: str,
        seconds: float | None,
        is_isolated: bool | None = None,
    ) -> None:
        decisive = {key: value for key, value in description.items() if key != "digest"}
        self.trials = Trials.restore(description)
        self.output = output
        asked, cell = self.trials, self.trials.cell
        words = asked.lane, cell.name, asked.first, asked.stop - 1
        logger.info("%s lane, %s, trials %d to %d", *words)
        if asked.code != description["code"]:
            raise ResultError(
                f"the source files of {cell.name} changed after the workflow started; run the same "
                "command again"
            )
        self._observer = Observer(
            self.trials.own_modules,
            ignored=(output, *_inputs(self.trials.cell, data_dir)),
            is_foreign=self.trials.is_foreign,
        )
        start = time.monotonic()
        with self._observer, Meter() as self._meter:
            resolved = _resolved(self.trials.cell, data_dir, seconds)
        if seconds is not None:
            seconds -= time.monotonic() - start
        self.player = Player(self.trials, data_dir, seconds, is_isolated)
        place = parse_result(output)
        self.metadata = {
            "trials": decisive,
            "digest": description["digest"],
            "name": place.digest if place else "",
            "resolved": resolved,
            "provenance": provenance.collect(),
        }

    @contextmanager
    def observed(self, step: str) -> Iterator[None]:
        """Record a step's inputs and its use of time and memory; add its name to any error."""
        try:
            with self._observer, self._meter:
                yield
        except (Exception, SystemExit) as error:
            error.add_note(f"in {self.trials.cell.name}, {step}")
            raise

    def log(self, trial: int, trajectory: Trajectory) -> None:
        """Log the status and the last row of a trial."""
        last = {name: values[-1] for name, values in trajectory.columns.items()}
        name = self.trials.cell.name
        logger.info("%s, trial %d: status %s, %s", name, trial, trajectory.status, last)

    def write(self, trajectories: Mapping[int, Trajectory], turns: str = "") -> None:
        observed = self._observer.record()
        metadata = {**self.metadata, "observed": observed, "use": self._meter.use}
        results.write(
            results.to_table(self.trials.cell, trajectories, turns), self.output, metadata
        )


def _play_in_turns(files: Sequence[_File]) -> None:
    race = [file.trials for file in files]
    of_cell = {file.trials.cell.name: file for file in files}
    trajectories: dict[str, dict[int, Trajectory]] = {name: {} for name in of_cell}
    for file in files:
        with file.observed("warming up"):
            file.player.warm_up()
    for turn in range(max(trials.stop for trials in race)):
        histories: Histories = {}
        for name in (trials.cell.name for trials in interleaved_repeats.order(race, turn)):
            file = of_cell[name]
            with file.observed(f"trial {turn}"):
                trajectories[name][turn] = file.player.play(turn, histories)
            file.log(turn, trajectories[name][turn])
    mark = interleaved_repeats.mark(race)
    for name, file in of_cell.items():
        file.write(trajectories[name], mark)


def _inputs(cell: Cell, data_dir: str) -> list[Path]:
    """Return the paths of a cell's data set and stored scores, which need not be observed."""
    if not cell.setting.dataset:
        return []
    return [dataset_in(data_dir, cell.setting.dataset), evaluations_in(data_dir)]


def _resolved(cell: Cell, data_dir: str, seconds: float | None) -> dict[str, object]:
    """Resolve the cell for the metadata; if time runs out, return only its data set's digest.

    The trials also construct the environment, so they will report that time ran out.
    """
    try:
        with limited(seconds):
            found: dict[str, object] = isolated_if_foreign(cell, partial(resolve, cell, data_dir))
            return found
    except OutOfTimeError:
        return {"dataset": dataset_digest(cell, data_dir)}
