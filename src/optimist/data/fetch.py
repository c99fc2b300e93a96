"""Fetch a public data set from UCI or from the copy in ``data/mirror``, and verify it.

``data/sources.csv`` contains the SHA-256 of each data set's content. `fetch` tries UCI first and
then the copy. It returns only content with this SHA-256, so results never depend on its origin.
"""

import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.core.errors import ConfigError, DataError, known_name
from optimist.data.download import download
from optimist.data.sources import Source, default_data_dir, load_sources
from optimist.data.tables import read
from optimist.data.verify import check_file, verified

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

CHOICES = ("auto", "mirror", "uci")

Attempts = list[dict[str, Any]]


def fetch(
    name: str,
    *,
    source: str = "auto",
    timeout: float = 30.0,
    data_dir: str | Path | None = None,
) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Return the verified content of a data set, and a record of its origin.

    Parameters
    ----------
    name : str
        Name of a data set in ``sources.csv``.
    source : {"auto", "mirror", "uci"}
        ``uci``: only UCI; ``mirror``: only the mirror, without network access; ``auto``: UCI, or
        the mirror if UCI fails.
    timeout : float
        Time limit for the download from UCI, in seconds.
    data_dir : str, Path or None
        Folder that contains ``sources.csv`` and ``mirror``; None for `default_data_dir`.

    Returns
    -------
    frame : DataFrame
        The registered columns, with one row per case; whole numbers have the smallest possible
        integer type.
    record : dict
        Dict of plain data with keys ``name``, ``version``, ``source``, ``attempts``,
        ``digest``, ``rows`` and ``fetched_at``. Each attempt is a dict with keys ``source``,
        ``seconds`` and ``error``; the attempt that succeeded has the error None.

    Raises
    ------
    ConfigError
        If the name is unknown or an option is invalid.
    DataError
        If no verified copy is available.
    """
    known_name("data source", source, CHOICES)
    if not timeout > 0:
        raise ConfigError(f"timeout is {timeout}; allowed: a positive number of seconds")
    folder = Path(data_dir) if data_dir is not None else default_data_dir()
    sources = load_sources(folder / "sources.csv")
    entry = sources[known_name("data set", name, sources)]
    attempts: Attempts = []
    frame = None if source == "mirror" else _from_uci(entry, timeout, attempts)
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


def _from_uci(entry: Source, timeout: float, attempts: Attempts) -> "pd.DataFrame | None":
    start = time.monotonic()
    try:
        frame = verified(download(entry, timeout), entry, "UCI")
    except DataError as error:
        attempts.append(_attempt("uci", start, error))
        logger.warning("%s: UCI failed: %s", entry.name, error)
        return None
    attempts.append(_attempt("uci", start))
    logger.info("%s: %d rows from uci:%s, verified", entry.name, len(frame), entry.uci_id)
    return frame


def _from_mirror(entry: Source, folder: Path, attempts: Attempts) -> "pd.DataFrame":
    start = time.monotonic()
    path = folder / "mirror" / entry.mirror
    check_file(path, entry.mirror_sha256)
    frame = verified(read(path), entry, str(path))
    reason = f" (UCI: {attempts[-1]['error']})" if attempts else ""
    attempts.append(_attempt("mirror", start))
    logger.info("%s: %d rows from %s, verified%s", entry.name, len(frame), path, reason)
    return frame
