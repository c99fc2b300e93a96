"""Fetch a public data set from UCI or from the copy in ``data/mirror``, and verify it.

``data/sources.csv`` contains the SHA-256 of each data set's content. `fetch` tries UCI first and
then the copy. It returns only content with this SHA-256, so results never depend on its origin.
"""

import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.core.errors import ConfigError, DataError, known_name
from optimist.data.download import download
from optimist.data.sources import Source, default_data_dir, load_sources
from optimist.data.tables import read
from optimist.data.verify import check_file, verified

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

CHOICES = ("auto", "mirror", "uci")


def fetch(
    name: str,
    *,
    source: str = "auto",
    timeout: float = 30.0,
    data_dir: str | Path | None = None,
) -> tuple["pd.DataFrame", dict[str, object]]:
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
    attempts: list[dict[str, object]] = []
    for origin in ("uci", "mirror") if source == "auto" else (source,):
        start, error = time.monotonic(), None
        try:
            frame, place = _read(entry, origin, timeout, folder)
        except DataError as fault:
            if origin == "mirror":
                raise
            if source == "uci":
                raise DataError(f"{name}: not available from UCI: {fault}") from None
            error = str(fault)
            logger.warning("%s: UCI failed: %s", name, error)
        seconds = round(time.monotonic() - start, 3)
        attempts.append({"source": origin, "seconds": seconds, "error": error})
        if error is None:
            break
    reason = f" (UCI: {attempts[0]['error']})" if len(attempts) > 1 else ""
    logger.info("%s: %d rows from %s, verified%s", name, len(frame), place, reason)
    return frame, _record(entry, attempts)


def _record(entry: Source, attempts: list[dict[str, object]]) -> dict[str, object]:
    return {
        "name": entry.name,
        "version": entry.version,
        "source": attempts[-1]["source"],
        "attempts": attempts,
        "digest": entry.content_sha256,
        "rows": entry.rows,
        "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _read(entry: Source, origin: str, timeout: float, folder: Path) -> "tuple[pd.DataFrame, str]":
    """Return the verified table from UCI or from the mirror, and a description of the place."""
    if origin == "uci":
        return verified(download(entry, timeout), entry, "UCI"), f"uci:{entry.uci_id}"
    path = folder / "mirror" / entry.mirror
    check_file(path, entry.mirror_sha256)
    return verified(read(path), entry, str(path)), str(path)
