"""What the scripts of the workflow call: jobs from parameters to files, with a log."""

import logging
import os
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from optimist.errors import OptimistError, ResultError, unwritable_named

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)

logger = logging.getLogger("optimist")


def one_blas_thread():
    """Fix BLAS and OpenMP to one thread; call before numpy is imported."""
    for name in THREAD_VARIABLES:
        os.environ[name] = "1"


@contextmanager
def logged(path):
    """Send log records to the file ``path``; end with one message and status 1 for what users mend.

    That is our own errors, and a file system that takes no more files.
    """
    try:
        with unwritable_named(path), _log_file(path), unwritable_named(path):
            yield logger
    except OptimistError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        raise SystemExit(1) from None


@contextmanager
def _log_file(path):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    # On a full disk the log is lost, and the error that follows says why.
    handler.handleError = lambda record: None
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    except OptimistError as error:
        logger.error("%s", error)
        raise
    except Exception:
        logger.exception("the job failed")
        raise
    finally:
        logger.removeHandler(handler)
        with suppress(OSError):
            handler.close()


def run_jobs(descriptions, outputs, *, results, limits=None):
    """Run jobs described by plain dicts one after the other and write their result files.

    Results of the regret lane are also linked into ``kept``, and taken from there if they have been
    made before: by a process that was killed before it had all its files, or in other batches.
    Times are always taken anew. A job that raises an error does not stop the others: the first such
    error is raised at the end, without its traceback; the log has all. An error of the system stops
    them.

    Parameters
    ----------
    descriptions : list of dict
        From `optimist.runs.trials.Job.describe`.
    outputs : list of str
        Result files, in the same order.
    results : str
        The results folder, with the prepared ``data`` and what is ``kept``.
    limits : list of dict or None
        For each job what ends its trials early, see `optimist.runs.limits.limited`.
    """
    limits = limits or [{}] * len(descriptions)
    first_error = None
    for description, output, limit in zip(descriptions, outputs, limits, strict=True):
        try:
            _run_job(description, output, f"{results}/data", f"{results}/kept", limit)
        except OSError:
            raise
        except Exception as error:
            known = isinstance(error, OptimistError)
            logger.error("%s is not made: %s", output, error, exc_info=not known)
            # A traceback holds what the job had in memory.
            first_error = first_error or error.with_traceback(None)
    if first_error:
        raise first_error


def _run_job(description, output, data_dir, kept, limit):
    from optimist.records import provenance
    from optimist.runs import results
    from optimist.runs.limits import forget_peak_memory, peak_memory
    from optimist.runs.trials import Job, run

    start = time.perf_counter()
    forget_peak_memory()
    job = Job.restore(description)
    logger.info("%s lane, %s, trials %s", job.lane, job.cell.name, job.chunk)
    if job.code != description["code"]:
        raise ResultError(
            f"the source files of {job.cell.name} changed after the workflow had started; run the "
            "same command again"
        )
    metadata = {
        "job": description,
        "resolved": _resolved(job.cell, data_dir, limit),
        "provenance": provenance.collect(),
    }
    store = results.Store(kept, metadata)
    if is_reusable(job.lane) and store.take(output):
        logger.info("taken from %s", store.path)
        return
    if "seconds" in limit:
        limit = {**limit, "seconds": limit["seconds"] - (time.perf_counter() - start)}
    trajectories = run(job, data_dir, progress=_log_trial, limit=limit)
    metadata["use"] = {"seconds": time.perf_counter() - start, "peak_mb": peak_memory()}
    results.write(results.to_table(job.cell, trajectories), output, metadata)
    if is_reusable(job.lane, [trajectory.status for trajectory in trajectories.values()]):
        store.keep(output)


def is_reusable(lane, statuses=()):
    """Return whether a result, of trials that ended so, may serve other runs.

    Times belong to a machine and a moment, and what ended early may go on with more.
    """
    from optimist.runs.loop import EARLY

    return lane == "regret" and not {"timeout", *EARLY}.intersection(statuses)


def _resolved(cell, data_dir, limit):
    """Return what the metadata tell of a cell; less of one whose environment passes the limit.

    Its trials, which build the environment too, are left to say so.
    """
    from optimist.errors import OutOfTimeError
    from optimist.runs.cell import dataset_digest, resolve
    from optimist.runs.limits import limited

    try:
        with limited(**limit):
            return resolve(cell, data_dir)
    except (MemoryError, OutOfTimeError):
        return {"dataset": dataset_digest(cell, data_dir)}


def _log_trial(trial, trajectory):
    last = {name: values[-1] for name, values in trajectory.columns.items()}
    logger.info("trial %d: status %s, %s", trial, trajectory.status, last)
