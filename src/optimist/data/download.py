"""Download a data set from its origin: UCI through ucimlrepo, or scikit-learn's own fetcher.

Neither client has a time-out for a transfer that stalls. So a child process downloads,
``python -m optimist.data.download ORIGIN PATH SECONDS COLUMN...``, and is killed when time is up.

The environment variable ``OPTIMIST_UCI_URL`` replaces the address of UCI's API (default
``https://archive.ics.uci.edu/api/dataset``), for a local proxy or for tests.
"""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.data.sources import Source
from optimist.data.tables import read
from optimist.errors import DataError
from optimist.root import PACKAGE

if TYPE_CHECKING:
    import pandas as pd

UCI_URL_VARIABLE = "OPTIMIST_UCI_URL"


class NoAnswerError(DataError):
    """The origin gave no complete answer; another attempt may."""


def download(entry: Source, timeout: float) -> "pd.DataFrame":
    """Return the table that the origin of a data set sends, not verified.

    Raises
    ------
    NoAnswerError
        If the download fails or takes longer than ``timeout`` seconds.
    DataError
        If the data set has no origin.
    """
    if not entry.origin:
        raise DataError(f"{entry.name} is not on UCI")
    with tempfile.TemporaryDirectory(prefix="optimist-") as folder:
        path = Path(folder) / "uci.parquet"
        arguments = (entry.origin, str(path), str(timeout), *entry.columns)
        _run_child(arguments, timeout)
        return read(path)


def _run_child(arguments: tuple[str, ...], timeout: float) -> None:
    # Not multiprocessing: its spawn would import the caller's main script (Snakemake's) again.
    python_path = os.pathsep.join(filter(None, [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]))
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", "optimist.data.download", *arguments],
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


# What the child process does.


def _download(origin: str, path: str, timeout: str, *columns: str) -> None:
    """Write those of ``columns`` that the origin has to a Parquet file."""
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


if __name__ == "__main__":
    _download(*sys.argv[1:])
