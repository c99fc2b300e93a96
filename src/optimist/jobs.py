"""What every script of the workflow does around its work: a log, and one line for an error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from optimist.errors import OptimistError, unwritable_named

logger = logging.getLogger("optimist")


@contextmanager
def logged(path: str) -> Iterator[logging.Logger]:
    """Send log records to the file ``path``; end with one message and exit status 1 for errors
    the user can fix.

    Those are our own errors, and a file system that takes no more files.
    """
    try:
        with unwritable_named(path), _log_file(path), unwritable_named(path):
            yield logger
    except OptimistError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        raise SystemExit(1) from None


@contextmanager
def _log_file(path: str) -> Iterator[None]:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    # On a full disk the log is lost, and the error that follows says why.
    handler.handleError = lambda record: None  # type: ignore[method-assign]
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
