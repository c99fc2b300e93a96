"""Fetch a public data set from its origin or from the copy in ``data/mirror``, verified either way.

``data/sources.csv`` has the SHA-256 of each content. `fetch` tries the origin and falls back to the
copy. It only returns the registered content, so that a result never depends on the source.
"""

import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.core.errors import ConfigError, DataError, unknown_name
from optimist.data.download import NoAnswerError, download
from optimist.data.sources import Source, default_data_dir, load_sources
from optimist.data.tables import read
from optimist.data.verify import check_file, verified

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

CHOICES = ("auto", "mirror", "uci")
BACKOFF = 0.5  # seconds before the first retry, doubled each time

Attempts = list[dict[str, Any]]


def fetch(
    name: str,
    *,
    source: str = "auto",
    timeout: float = 30.0,
    retries: int = 2,
    data_dir: str | Path | None = None,
) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Return a data set with verified content, and a record of its origin.

    Parameters
    ----------
    name : str
        A data set of ``sources.csv``.
    source : {"auto", "mirror", "uci"}
        ``uci``: only the origin; ``mirror``: no network at all; ``auto``: the origin, or the
        mirror if that fails.
    timeout : float
        Seconds for all attempts at the origin together.
    retries : int
        Further attempts if the origin does not answer; a wrong answer is final.
    data_dir : str, Path or None
        Folder of ``sources.csv`` and ``mirror``; None for the checkout's folder.

    Returns
    -------
    frame : DataFrame
        The registered columns, one row per case, in the smallest integer types that hold them.
    record : dict
        ``name, version, source, attempts, digest, rows, fetched_at`` (ready for JSON); an attempt
        is ``source, seconds, error``, with error None for the one that succeeded.

    Raises
    ------
    ConfigError
        For an unknown name or a wrong option.
    DataError
        If there is no verified copy.
    """
    if source not in CHOICES:
        raise unknown_name("data source", source, CHOICES)
    if not timeout > 0:
        raise ConfigError(f"timeout is {timeout}; it must be a positive number of seconds")
    if retries < 0:
        raise ConfigError(f"retries is {retries}; it must be 0 or more")
    folder = Path(data_dir) if data_dir is not None else default_data_dir()
    sources = load_sources(folder / "sources.csv")
    if name not in sources:
        raise unknown_name("data set", name, sources)
    entry = sources[name]
    attempts: Attempts = []
    frame = None if source == "mirror" else _from_uci(entry, timeout, retries, attempts)
    if frame is None and source == "uci":
        raise DataError(f"{name}: not available from UCI: {attempts[-1]['error']}")
    if frame is None:
        frame = _from_mirror(entry, folder, attempts)
    return frame, _record(entry, attempts)


def _record(entry: Source, attempts: Attempts) -> dict[str, Any]:
    return {
        "name": entry.name,
        "version": entry.version,
        "source": attempts[-1]["source"],
        "attempts": attempts,
        "digest": entry.content_sha256,
        "rows": entry.rows,
        "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _attempt(source: str, start: float, error: Exception | None = None) -> dict[str, Any]:
    seconds = round(time.monotonic() - start, 3)
    return {"source": source, "seconds": seconds, "error": None if error is None else str(error)}


def _from_uci(
    entry: Source, timeout: float, retries: int, attempts: Attempts
) -> "pd.DataFrame | None":
    for number, remaining in enumerate(_tries(timeout, retries), start=1):
        start = time.monotonic()
        try:
            frame = verified(download(entry, remaining), entry, "UCI")
        except DataError as error:
            attempts.append(_attempt("uci", start, error))
            logger.warning("%s: attempt %d at UCI failed: %s", entry.name, number, error)
            if not isinstance(error, NoAnswerError):
                return None
        else:
            attempts.append(_attempt("uci", start))
            logger.info("%s: %d rows from %s, verified", entry.name, len(frame), entry.origin)
            return frame
    return None


def _tries(timeout: float, retries: int) -> Iterator[float]:
    """Yield the seconds left for each attempt, with pauses in between, until the time-out."""
    deadline = time.monotonic() + timeout
    yield timeout
    for retry in range(retries):
        pause = BACKOFF * 2**retry
        if time.monotonic() + pause >= deadline:
            return
        time.sleep(pause)
        yield deadline - time.monotonic()


def _from_mirror(entry: Source, folder: Path, attempts: Attempts) -> "pd.DataFrame":
    start = time.monotonic()
    path = folder / "mirror" / entry.mirror
    check_file(path, entry.mirror_sha256)
    frame = verified(read(path), entry, str(path))
    reason = f" (UCI: {attempts[-1]['error']})" if attempts else ""
    attempts.append(_attempt("mirror", start))
    logger.info("%s: %d rows from %s, verified%s", entry.name, len(frame), path, reason)
    return frame
