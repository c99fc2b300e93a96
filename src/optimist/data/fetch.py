"""Public data sets: fetched from their origin or from the verified copy, checked either way.

``data/sources.csv`` names each data set once, with the SHA-256 of its content. ``fetch`` asks the
origin, UCI through ucimlrepo or scikit-learn's own fetcher, in a child process, which is killed at
the time-out because ucimlrepo sets none, and falls back to the copy in ``data/mirror``. Nothing
that differs from the registered content is ever returned, so a result never depends on which of the
two answered.

The environment variable ``OPTIMIST_UCI_URL`` replaces the address of UCI's API (default
``https://archive.ics.uci.edu/api/dataset``), for a local proxy or for tests.
"""

import csv
import hashlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.errors import ConfigError, DataError, unknown_name
from optimist.files import write_atomically, write_text

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

CHOICES = ("auto", "mirror", "uci")
UCI_URL_VARIABLE = "OPTIMIST_UCI_URL"
BACKOFF = 0.5  # seconds before the first retry, doubled each time
PACKAGE_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Source:
    """One line of ``data/sources.csv``; ``data/README.md`` explains the columns."""

    name: str
    uci_id: int | None
    fetcher: str
    version: str
    rows: int
    columns: tuple[str, ...]
    mirror: str
    mirror_sha256: str
    content_sha256: str
    licence: str
    doi: str
    note: str

    @property
    def origin(self) -> str:
        """Where it is fetched from, as the child process is told; empty if nowhere."""
        return f"uci:{self.uci_id}" if self.uci_id is not None else self.fetcher


class NoAnswerError(DataError):
    """The origin gave no complete answer; another attempt may."""


def default_data_dir() -> Path:
    """Folder of ``sources.csv``: ``data`` of the checkout, else of the working directory."""
    candidates = (PACKAGE_ROOT.parent / "data", Path("data"))
    for folder in candidates:
        if (folder / "sources.csv").is_file():
            return folder
    raise DataError(f"no sources.csv in {' or '.join(map(str, candidates))}; run from the checkout")


def load_sources(path: str | Path | None = None) -> dict[str, Source]:
    """Read the registry of data sets, by name.

    Raises DataError for a missing file, a missing column, a bad number or a repeated name.
    """
    path = Path(path) if path is not None else default_data_dir() / "sources.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            entries = [_parse_source(row, path) for row in csv.DictReader(file)]
    except OSError as error:
        raise DataError(f"cannot read the registry of data sets {path}: {error.strerror}") from None
    sources = {entry.name: entry for entry in entries}
    if len(sources) < len(entries):
        raise DataError(f"{path}: a data set is listed twice")
    return sources


def _parse_source(row: dict[str, str | None], path: Path) -> Source:
    fields: dict[str, Any] = {name: row.get(name) for name in Source.__dataclass_fields__}
    absent = [name for name, value in fields.items() if value is None]
    if absent:
        raise DataError(f"{path}: {row.get('name')!r} has no {', '.join(absent)}")
    try:
        fields["uci_id"] = int(fields["uci_id"]) if fields["uci_id"] else None
        fields["rows"] = int(fields["rows"])
    except ValueError as error:
        raise DataError(f"{path}: {fields['name']!r}: {error}") from None
    fields["columns"] = tuple(fields["columns"].split(";"))
    return Source(**fields)


def canonical_digest(frame: "pd.DataFrame") -> str:
    """SHA-256 of the content of a table, whatever its number types and file format.

    The digested text is the number of rows, then each column in order, one item a line: the name
    and each text value in JSON quotes, integers in full, other numbers with 15 significant digits
    (what decimal data keep through any parser), missing values empty. Index and dtypes do not
    count; the order of rows and of columns does.
    """
    digest = hashlib.sha256(f"{len(frame)} rows\n".encode())
    for name, column in frame.items():
        lines = "\n".join([json.dumps(name), *_texts(column), ""])
        digest.update(lines.encode())
    return digest.hexdigest()


def _texts(column: "pd.Series") -> list[str]:
    import numpy as np
    import pandas as pd

    # Each distinct value is formatted once; code -1, a missing value, picks the last text.
    codes, values = pd.factorize(column)
    return np.array([*map(_text, values), ""], dtype=object)[codes].tolist()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Integral) or float(value).is_integer():
        return str(int(value))
    return f"{value:.15g}"


def fetch(
    name: str,
    *,
    source: str = "auto",
    timeout: float = 30.0,
    retries: int = 2,
    data_dir: str | Path | None = None,
) -> tuple["pd.DataFrame", dict]:
    """Return a data set whose content has been verified, and a record of where it came from.

    Parameters
    ----------
    name : a data set of ``sources.csv``.
    source : ``uci`` (only UCI), ``mirror`` (no network at all) or ``auto`` (UCI, else mirror).
    timeout : seconds for all attempts at UCI together.
    retries : further attempts when UCI gives no answer; a wrong answer is not asked for again.
    data_dir : folder of ``sources.csv`` and ``mirror``; default: that of the checkout.

    Returns
    -------
    frame : the registered columns, one row per case, in the smallest integer types that hold them.
    record : ``name, version, source, attempts, digest, rows, fetched_at`` (ready for JSON); an
        attempt is ``source, seconds, error``, with error None for the one that succeeded.

    Raises ConfigError for an unknown name or option, DataError when no verified copy can be had.
    """
    _check_options(source, timeout, retries)
    folder = Path(data_dir) if data_dir is not None else default_data_dir()
    sources = load_sources(folder / "sources.csv")
    if name not in sources:
        raise unknown_name("data set", name, sources)
    entry = sources[name]
    attempts: list[dict[str, Any]] = []
    frame = None if source == "mirror" else _from_uci(entry, timeout, retries, attempts)
    if frame is None and source == "uci":
        raise DataError(f"{name}: not available from UCI: {attempts[-1]['error']}")
    if frame is None:
        frame = _from_mirror(entry, folder, attempts)
    return frame, _record(entry, attempts)


def _check_options(source: str, timeout: float, retries: int) -> None:
    if source not in CHOICES:
        raise unknown_name("data source", source, CHOICES)
    if not timeout > 0:
        raise ConfigError(f"timeout is {timeout}; it must be a positive number of seconds")
    if retries < 0:
        raise ConfigError(f"retries is {retries}; it must be 0 or more")


def _record(entry: Source, attempts: list[dict]) -> dict:
    return {
        "name": entry.name,
        "version": entry.version,
        "source": attempts[-1]["source"],
        "attempts": attempts,
        "digest": entry.content_sha256,
        "rows": entry.rows,
        "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _attempt(source: str, start: float, error: Exception | None = None) -> dict:
    seconds = round(time.monotonic() - start, 3)
    return {"source": source, "seconds": seconds, "error": None if error is None else str(error)}


def _from_uci(
    entry: Source, timeout: float, retries: int, attempts: list[dict]
) -> "pd.DataFrame | None":
    for number, remaining in enumerate(_tries(timeout, retries), start=1):
        start = time.monotonic()
        try:
            frame = _verified(_ask_uci(entry, remaining), entry, "UCI")
        except DataError as error:
            attempts.append(_attempt("uci", start, error))
            logger.warning("%s: attempt %d at UCI failed: %s", entry.name, number, error)
            if not isinstance(error, NoAnswerError):
                return None
        else:
            attempts.append(_attempt("uci", start))
            logger.info(
                "%s: %d rows from UCI (id %d), verified", entry.name, len(frame), entry.uci_id
            )
            return frame
    return None


def _tries(timeout: float, retries: int) -> Iterator[float]:
    """Yield the seconds left for each attempt, pausing in between, until the time-out."""
    deadline = time.monotonic() + timeout
    yield timeout
    for retry in range(retries):
        pause = BACKOFF * 2**retry
        if time.monotonic() + pause >= deadline:
            return
        time.sleep(pause)
        yield deadline - time.monotonic()


def _ask_uci(entry: Source, timeout: float) -> "pd.DataFrame":
    """Download in a child process; NoAnswerError if it fails or takes longer than timeout."""
    if not entry.origin:
        raise DataError(f"{entry.name} is not on UCI")
    with tempfile.TemporaryDirectory(prefix="optimist-") as folder:
        path = Path(folder) / "uci.parquet"
        arguments = (entry.origin, str(path), str(timeout), *entry.columns)
        _run_child(arguments, timeout)
        return read(path)


def _run_child(arguments: tuple[str, ...], timeout: float) -> None:
    # Not multiprocessing: its spawn would import the caller's main script (Snakemake's) again.
    python_path = os.pathsep.join(filter(None, [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH")]))
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", "optimist.data.fetch", *arguments],
            env={**os.environ, "PYTHONPATH": python_path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        raise NoAnswerError(f"no complete answer within {timeout:.3g} s") from None
    if child.returncode:
        message = child.stderr.strip().splitlines() or [f"exit status {child.returncode}"]
        raise NoAnswerError(message[-1])


def _download(origin: str, path: str, timeout: str, *columns: str) -> None:
    """Body of the child: write those of ``columns`` that the origin has to a Parquet file."""
    # If the parent was killed, nobody else would end a child that waits for a silent server.
    watchdog = threading.Timer(float(timeout), os._exit, [1])
    watchdog.daemon = True
    watchdog.start()
    try:
        client, _, key = origin.partition(":")
        table = CLIENTS[client](key)
        table[[name for name in columns if name in table.columns]].to_parquet(path, index=False)
    except Exception as error:
        sys.exit(_one_line(error))


def _ucimlrepo_table(uci_id: str) -> "pd.DataFrame":
    import ucimlrepo.fetch as client

    client.API_BASE_URL = os.environ.get(UCI_URL_VARIABLE) or client.API_BASE_URL
    return client.fetch_ucirepo(id=int(uci_id)).data.original


def _scikit_learn_table(name: str) -> "pd.DataFrame":
    from sklearn.datasets import fetch_california_housing

    with tempfile.TemporaryDirectory(prefix="optimist-") as folder:
        return from_averages(fetch_california_housing(data_home=folder, as_frame=True).frame)


def from_averages(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Undo what scikit-learn does to California housing: averages per household back to counts."""
    import pandas as pd

    households = (frame["Population"] / frame["AveOccup"]).round()
    return pd.DataFrame(
        {
            "longitude": frame["Longitude"],
            "latitude": frame["Latitude"],
            "housingMedianAge": frame["HouseAge"],
            "totalRooms": (frame["AveRooms"] * households).round(),
            "totalBedrooms": (frame["AveBedrms"] * households).round(),
            "population": frame["Population"],
            "households": households,
            "medianIncome": frame["MedInc"],
            "medianHouseValue": (frame["MedHouseVal"] * 1e5).round(),
        }
    )


CLIENTS = {"uci": _ucimlrepo_table, "scikit-learn": _scikit_learn_table}


def _one_line(error: Exception) -> str:
    # ucimlrepo hides the HTTP status behind "Error connecting to server"; the context has it.
    cause = f" ({error.__context__})" if error.__context__ else ""
    return " ".join(f"{type(error).__name__}: {error}{cause}".split())


def _from_mirror(entry: Source, folder: Path, attempts: list[dict]) -> "pd.DataFrame":
    start = time.monotonic()
    path = folder / "mirror" / entry.mirror
    _check_file(path, entry.mirror_sha256)
    frame = _verified(read(path), entry, str(path))
    reason = f" (UCI: {attempts[-1]['error']})" if attempts else ""
    attempts.append(_attempt("mirror", start))
    logger.info("%s: %d rows from %s, verified%s", entry.name, len(frame), path, reason)
    return frame


def _check_file(path: Path, expected: str) -> None:
    if not path.is_file():
        raise DataError(f"{path} is missing (expected SHA-256 {expected}, found no file)")
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise DataError(
            f"{path} is damaged: expected SHA-256 {expected}, found {found}; "
            "restore it with `git checkout`"
        )


def _verified(frame: "pd.DataFrame", entry: Source, origin: str) -> "pd.DataFrame":
    """Return the registered columns of ``frame``; DataError unless the content is the right one."""
    missing = [name for name in entry.columns if name not in frame.columns]
    if missing:
        raise DataError(f"{entry.name} from {origin}: no column {', '.join(missing)}")
    if len(frame) != entry.rows:
        raise DataError(f"{entry.name} from {origin}: {len(frame)} rows, expected {entry.rows}")
    frame = frame[list(entry.columns)]
    found = canonical_digest(frame)
    if found != entry.content_sha256:
        raise DataError(
            f"{entry.name} from {origin}: wrong content, "
            f"expected digest {entry.content_sha256}, found {found}"
        )
    return _compact(frame)


def _compact(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Give equal tables equal dtypes: whole numbers the smallest signed integer type."""
    import pandas as pd

    def compact(column: "pd.Series") -> "pd.Series":
        numeric = pd.api.types.is_numeric_dtype(column)
        return pd.to_numeric(column, downcast="integer") if numeric else column

    return frame.reset_index(drop=True).apply(compact)


def read(path: str | Path) -> "pd.DataFrame":
    """Read a table from ``.csv`` or Parquet; DataError if it is missing or unreadable."""
    import pandas as pd

    path = Path(path)
    try:
        if path.suffix == ".csv":
            return pd.read_csv(path)
        return pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path}: {' '.join(str(error).split())}") from None


def save(
    frame: "pd.DataFrame", record: dict, parquet_path: str | Path, json_path: str | Path
) -> None:
    """Write a table as Parquet and its record as JSON, each complete or not at all."""
    text = json.dumps(record, indent=2) + "\n"
    write_atomically(parquet_path, lambda path: frame.to_parquet(path, index=False))
    write_text(text, json_path)


if __name__ == "__main__":
    _download(*sys.argv[1:])
