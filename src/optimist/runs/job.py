"""A job: one process that makes one or more result files, from plain descriptions of them."""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from optimist.blame import without_traceback
from optimist.errors import OptimistError, OutOfTimeError, ResultError
from optimist.layout import dataset_in, evaluations_in
from optimist.observation import Observer
from optimist.runs import results, turns
from optimist.runs.cell import Cell, Histories, apart, dataset_digest, resolve
from optimist.runs.limits import Meter, limited
from optimist.runs.loop import EARLY, Trajectory
from optimist.runs.trials import Player, Trials

Description = Mapping[str, Any]

logger = logging.getLogger("optimist")


def make_results(
    descriptions: Sequence[Description],
    outputs: Sequence[str],
    data_dir: str,
    kept: str,
    collect_provenance: Callable[[], dict[str, Any]],
    limits: Sequence[Mapping[str, float]] | None = None,
) -> None:
    """Play trials and write their result files.

    Those of the regret lane are made one after the other. They are also copied into the folder of
    what is kept, and taken from there if they have been made before: by a process that was killed
    before it had all its files, or in other jobs. A file that ends in an error does not stop the
    others: the first such error is raised at the end, without its traceback; the log has all. An
    error of the system stops them.

    Those of the timing lane are one race, played in turns, always anew; they are written together
    at the end, and none of them after an error.

    Parameters
    ----------
    descriptions : list of dict
        From `optimist.runs.trials.Trials.describe`.
    outputs : list of str
        Result files, in the same order.
    data_dir, kept : str
        Folders of the prepared data sets, and of what is kept.
    collect_provenance : callable
        Returns what is written into each file about code and machine.
    limits : list of dict or None
        For each file what ends its trials early, see `optimist.runs.limits.limited`.
    """
    files = (
        partial(_File, *each, data_dir, collect_provenance)
        for each in zip(descriptions, outputs, limits or [{}] * len(outputs), strict=True)
    )
    if descriptions[0]["lane"] == "timing":
        _make_race([begin() for begin in files])
        return
    first_error = None
    for begin, output in zip(files, outputs, strict=True):
        try:
            _make_result(begin(), kept)
        except OSError:
            raise
        except (Exception, SystemExit) as error:  # sys.exit in a class is no success of the job
            known = isinstance(error, OptimistError)
            logger.error("%s is not made: %s", output, error, exc_info=not known)
            first_error = first_error or without_traceback(error)
    if first_error:
        raise first_error


class _File:
    """A result file in the making."""

    def __init__(
        self,
        description: Description,
        output: str,
        limit: Mapping[str, float],
        data_dir: str,
        collect_provenance: Callable[[], dict[str, Any]],
    ) -> None:
        self.trials = Trials.restore(description)
        self.output = output
        logger.info("%s lane, %s, trials %d to %d", *_words(self.trials))
        _check_code(self.trials, description["code"])
        self._observer = Observer(
            self.trials.own_modules,
            ignored=(output, *_inputs(self.trials.cell, data_dir)),
            is_foreign=self.trials.is_foreign,
        )
        start = time.monotonic()
        with self._observer, Meter() as self._meter:
            resolved = _resolved(self.trials.cell, data_dir, limit)
        if "seconds" in limit:
            limit = {**limit, "seconds": limit["seconds"] - (time.monotonic() - start)}
        self._player = Player(self.trials, data_dir, limit)
        self.metadata = {
            "trials": dict(description),
            "resolved": resolved,
            "provenance": collect_provenance(),
        }

    @contextmanager
    def _metered(self, trial: str) -> Iterator[None]:
        try:
            with self._observer, self._meter:
                yield
        except (Exception, SystemExit) as error:
            error.add_note(f"in {self.trials.cell.name}, {trial}")
            raise

    def warm_up(self) -> None:
        with self._metered("warming up"):
            self._player.warm_up()

    def play(self, trial: int, histories: Histories | None = None) -> Trajectory:
        with self._metered(f"trial {trial}"):
            found = self._player.play(trial, histories)
        last = {name: values[-1] for name, values in found.columns.items()}
        name = self.trials.cell.name
        logger.info("%s, trial %d: status %s, %s", name, trial, found.status, last)
        return found

    def write(self, found: Mapping[int, Trajectory], turns: str = "") -> None:
        observed = self._observer.record()
        metadata = {**self.metadata, "observed": observed, "use": self._meter.use}
        results.write(results.to_table(self.trials.cell, found, turns), self.output, metadata)


def _make_result(file: _File, kept: str) -> None:
    store = results.Store(kept, file.metadata)
    if store.take(file.output):
        logger.info("taken from %s", store.path)
        return
    found = {trial: file.play(trial) for trial in range(file.trials.first, file.trials.stop)}
    file.write(found)
    if is_reusable(file.trials.lane, [trajectory.status for trajectory in found.values()]):
        store.keep(file.output)


def _make_race(files: Sequence[_File]) -> None:
    race = [file.trials for file in files]
    of_cell = {file.trials.cell.name: file for file in files}
    found: dict[str, dict[int, Trajectory]] = {name: {} for name in of_cell}
    for file in files:
        file.warm_up()
    for turn in range(max(trials.stop for trials in race)):
        histories: Histories = {}
        for name in (trials.cell.name for trials in turns.order(race, turn)):
            found[name][turn] = of_cell[name].play(turn, histories)
    mark = turns.mark(race)
    for name, file in of_cell.items():
        file.write(found[name], mark)


def _inputs(cell: Cell, data_dir: str) -> list[Path]:
    """Return the data set of a cell, which has a checksum, and what is kept of its evaluations."""
    if "dataset" not in cell.spec:
        return []
    return [dataset_in(data_dir, cell.spec["dataset"]), evaluations_in(data_dir)]


def _words(asked: Trials) -> tuple[str, str, int, int]:
    return asked.lane, asked.cell.name, asked.first, asked.stop - 1


def _check_code(asked: Trials, code: str) -> None:
    if asked.code != code:
        raise ResultError(
            f"the source files of {asked.cell.name} changed after the workflow had started; run "
            "the same command again"
        )


def is_reusable(lane: str, statuses: Collection[str] = ()) -> bool:
    """Return whether a result, of trials that ended so, may serve other runs.

    Times belong to a machine and a moment, and what ended early may go on with more.
    """
    return lane == "regret" and not {"timeout", *EARLY}.intersection(statuses)


def _resolved(cell: Cell, data_dir: str, limit: Mapping[str, float]) -> dict[str, Any]:
    """Return what the metadata tell of a cell; less of one whose environment passes the limit.

    Its trials, which build the environment too, are left to say so.
    """
    try:
        with limited(**limit):
            found: dict[str, Any] = apart(cell, partial(resolve, cell, data_dir))
            return found
    except (MemoryError, OutOfTimeError):
        return {"dataset": dataset_digest(cell, data_dir)}
