"""A job: one process that makes one or more result files, from plain descriptions of them."""

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from optimist.errors import OptimistError, OutOfTimeError, ResultError
from optimist.layout import Layout
from optimist.runs import results, trials
from optimist.runs.cell import Cell, dataset_digest, resolve
from optimist.runs.limits import forget_peak_memory, limited, peak_memory
from optimist.runs.loop import EARLY, Trajectory
from optimist.runs.trials import Trials

Description = Mapping[str, Any]

logger = logging.getLogger("optimist")


def make_results(
    descriptions: Sequence[Description],
    outputs: Sequence[str],
    layout: Layout,
    collect_provenance: Callable[[], dict[str, Any]],
    limits: Sequence[Mapping[str, float]] | None = None,
) -> None:
    """Play trials and write their result files, one after the other.

    Results of the regret lane are also linked into the folder of what is kept, and taken from there
    if they have been made before: by a process that was killed before it had all its files, or in
    other jobs. Times are always taken anew. A file that ends in an error does not stop the others:
    the first such error is raised at the end, without its traceback; the log has all. An error of
    the system stops them.

    Parameters
    ----------
    descriptions : list of dict
        From `optimist.runs.trials.Trials.describe`.
    outputs : list of str
        Result files, in the same order.
    layout : Layout
        Where the prepared data and what is kept are.
    collect_provenance : callable
        Returns what is written into each file about code and machine.
    limits : list of dict or None
        For each file what ends its trials early, see `optimist.runs.limits.limited`.
    """
    first_error = None
    for description, output, limit in zip(
        descriptions, outputs, limits or [{}] * len(descriptions), strict=True
    ):
        try:
            _make_result(description, output, layout, collect_provenance(), limit)
        except OSError:
            raise
        except Exception as error:
            known = isinstance(error, OptimistError)
            logger.error("%s is not made: %s", output, error, exc_info=not known)
            # A traceback holds what the job had in memory.
            first_error = first_error or error.with_traceback(None)
    if first_error:
        raise first_error


def _make_result(
    description: Description,
    output: str,
    layout: Layout,
    provenance: dict[str, Any],
    limit: Mapping[str, float],
) -> None:
    start = time.perf_counter()
    forget_peak_memory()
    asked = Trials.restore(description)
    logger.info("%s lane, %s, trials %d to %d", *_words(asked))
    _check_code(asked, description["code"])
    metadata = {
        "trials": dict(description),
        "resolved": _resolved(asked.cell, layout.data_folder, limit),
        "provenance": provenance,
    }
    store = results.Store(layout.kept, metadata)
    if is_reusable(asked.lane) and store.take(output):
        logger.info("taken from %s", store.path)
        return
    if "seconds" in limit:
        limit = {**limit, "seconds": limit["seconds"] - (time.perf_counter() - start)}
    found = trials.run(asked, layout.data_folder, progress=_log_trial, limits=limit)
    metadata["use"] = {"seconds": time.perf_counter() - start, "peak_mb": peak_memory()}
    results.write(results.to_table(asked.cell, found), output, metadata)
    if is_reusable(asked.lane, [trajectory.status for trajectory in found.values()]):
        store.keep(output)


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
            return resolve(cell, data_dir)
    except (MemoryError, OutOfTimeError):
        return {"dataset": dataset_digest(cell, data_dir)}


def _log_trial(trial: int, trajectory: Trajectory) -> None:
    last = {name: values[-1] for name, values in trajectory.columns.items()}
    logger.info("trial %d: status %s, %s", trial, trajectory.status, last)
