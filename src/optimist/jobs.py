"""What every script of the workflow does around its work: a log, and one line for an error."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from optimist.blame import Places, in_one_line
from optimist.errors import OptimistError, unwritable_named

logger = logging.getLogger("optimist")


@contextmanager
def logged(path: str) -> Iterator[logging.Logger]:
    """Send log records to the file ``path``; end with one message and exit status 1 for an error.

    The log has the traceback, once, of what is not our own error.
    """
    try:
        with unwritable_named(path), _log_file(path), unwritable_named(path):
            yield logger
    except OptimistError as error:
        _end(str(error))
    except Exception as error:
        _end(f"{_words(error)}; {path} has the traceback")


def _end(words: str) -> NoReturn:
    print(f"error: {words}", file=sys.stderr)  # noqa: T201
    raise SystemExit(1)


def _words(error: Exception) -> str:
    """Return what happened and where, as far as the error has not lost it."""
    return ", ".join((in_one_line(error, _places.of(error)), *getattr(error, "__notes__", ())))


_places = Places()


@contextmanager
def _log_file(path: str) -> Iterator[None]:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, mode="w")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    # On a full disk the log is lost, and the error that follows says why.
    handler.handleError = lambda record: None  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.addHandler(_places)
    logger.setLevel(logging.INFO)
    try:
        yield
    except OptimistError as error:
        logger.error("%s", error)
        raise
    except Exception as error:
        logger.error("the job failed: %s", _words(error), exc_info=not _places.has(error))
        raise
    finally:
        logger.removeHandler(_places)
        logger.removeHandler(handler)
        with suppress(OSError):
            handler.close()
