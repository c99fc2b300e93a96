"""Download a data set from its origin: UCI through ucimlrepo, or scikit-learn's own fetcher.

Neither client has a time-out for a stalled transfer, so another process downloads and ends when its
time is up.

The environment variable ``OPTIMIST_UCI_URL`` replaces the address of UCI's API (default
``https://archive.ics.uci.edu/api/dataset``), for a local proxy or for tests.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from optimist.core.errors import DataError, EndedError
from optimist.core.executor import call
from optimist.data.sources import Source

if TYPE_CHECKING:
    import pandas as pd

UCI_URL_VARIABLE = "OPTIMIST_UCI_URL"


def download(entry: Source, timeout: float) -> "pd.DataFrame":
    """Return the unverified table from the origin of a data set.

    Raises
    ------
    DataError
        If the data set has no origin, or if the download fails or takes longer than ``timeout``
        seconds.
    """
    if not entry.origin:
        raise DataError(f"{entry.name} is not on UCI")
    function, columns = "optimist.data.download:fetched", entry.columns
    try:
        table: pd.DataFrame = call(function, seconds=timeout, origin=entry.origin, columns=columns)
    except TimeoutError:
        raise DataError(f"no complete answer within {timeout:.3g} s") from None
    except EndedError as error:
        raise DataError(str(error)) from None
    return table


def fetched(tell: Callable[[Any], None], *, origin: str, columns: Sequence[str]) -> "pd.DataFrame":
    """Return the requested columns that an origin has, without a time limit.

    Parameters
    ----------
    tell : callable
        Not called.
    origin : str
        ``CLIENT:KEY``, with a client of `CLIENTS`.
    columns : sequence of str

    Raises
    ------
    DataError
        If the client raises an error.
    """
    client, _, key = origin.partition(":")
    try:
        table = CLIENTS[client](key)
    except Exception as error:
        raise DataError(_one_line(error)) from None
    return table[[name for name in columns if name in table.columns]].reset_index(drop=True)


def _ucimlrepo_table(uci_id: str) -> "pd.DataFrame":
    import ucimlrepo.fetch as client

    client.API_BASE_URL = os.environ.get(UCI_URL_VARIABLE) or client.API_BASE_URL
    return client.fetch_ucirepo(id=int(uci_id)).data.original


def _scikit_learn_table(name: str) -> "pd.DataFrame":
    from sklearn.datasets import fetch_california_housing

    with tempfile.TemporaryDirectory(prefix="optimist-") as folder:
        return from_averages(fetch_california_housing(data_home=folder, as_frame=True).frame)


def from_averages(frame: "pd.DataFrame") -> "pd.DataFrame":
    """Undo scikit-learn's preparation of California housing: averages per household to counts."""
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
