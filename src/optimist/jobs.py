"""What the scripts of the workflow call: jobs from parameters to files, with a log."""

import json
import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path

from optimist.errors import OptimistError

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
    """Send log records to the file ``path``; turn our own errors into one message and exit 1."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield logger
    except OptimistError as error:
        logger.error("%s", error)
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        raise SystemExit(1) from None
    except Exception:
        logger.exception("the job failed")
        raise
    finally:
        logger.removeHandler(handler)
        handler.close()


def run_jobs(specs, outputs, data_dir):
    """Run jobs described by plain dicts one after the other and write their result files."""
    for spec, output in zip(specs, outputs, strict=True):
        _run_job(spec, output, data_dir)


def _run_job(spec, output, data_dir):
    from optimist import provenance, results
    from optimist.experiment import Job, run
    from optimist.trials import Cell, resolve

    job = Job(**{**spec, "cell": Cell(**spec["cell"])})
    logger.info("%s lane, %s, trials %s", job.lane, job.cell.name, job.chunk)
    metadata = {
        "job": spec,
        "resolved": resolve(job.cell, data_dir),
        "provenance": provenance.collect(),
    }
    json.dumps(metadata)  # what cannot be written must not cost the trials
    trajectories = run(job, data_dir, progress=_log_trial)
    results.write(results.to_table(job.cell, trajectories), output, metadata)


def _log_trial(trial, trajectory):
    last = {name: values[-1] for name, values in trajectory.columns.items()}
    logger.info("trial %d: status %s, %s", trial, trajectory.status, last)
