"""Context manager that writes a log and reports errors in workflow scripts."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from optimist.core.errors import OptimistError, unwritable_named
from optimist.core.terminal import shown
from optimist.core.user_errors import in_one_line, is_cut

logger = logging.getLogger("optimist")


@contextmanager
def logged(path: str) -> Iterator[logging.Logger]:
    """Write log records to ``path``; on an error, print a one-line message and exit with status 1.

    For errors other than `OptimistError`, the log also contains the traceback.
    """
    try:
        with unwritable_named(path), _log_file(path), unwritable_named(path):
            yield logger
    except OptimistError as error:
        _end(str(error))
    except (Exception, SystemExit) as error:
        log = f"; {path} has the traceback" if Path(path).is_file() else ""
        _end(f"{_words(error)}{log}")


def _end(words: str) -> NoReturn:
    print(shown(f"error: {words}"), file=sys.stderr)  # noqa: T201
    raise SystemExit(1)


def _words(error: BaseException) -> str:
    """Describe an error in one line, with its location and, if known, its round and cell."""
    return ", ".join((in_one_line(error), *getattr(error, "__notes__", ())))


@contextmanager
def _log_file(path: str) -> Iterator[None]:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    # Ignore errors in writing the log: if the disk is full, a later error says so.
    handler.handleError = lambda record: None  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    except OptimistError as error:
        logger.error("%s", error)
        raise
    except (Exception, SystemExit) as error:
        logger.error("the job failed: %s", _words(error), exc_info=not is_cut(error))
        raise
    finally:
        logger.removeHandler(handler)
        with suppress(OSError):
            handler.close()
