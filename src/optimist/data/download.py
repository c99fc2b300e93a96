"""Download a data set from UCI with ucimlrepo.

ucimlrepo has no timeout for a stalled transfer, so the download runs in another process, which is
killed when the time limit expires.

The environment variable ``OPTIMIST_UCI_URL`` can set another address for UCI's API, such as that of
a local proxy; the default is ``https://archive.ics.uci.edu/api/dataset``. Tests also set it.
"""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from optimist.core.errors import DataError, EndedError, LateError
from optimist.core.executor import call
from optimist.data.sources import Source

if TYPE_CHECKING:
    import pandas as pd

UCI_URL_VARIABLE = "OPTIMIST_UCI_URL"


def download(entry: Source, timeout: float) -> "pd.DataFrame":
    """Download a data set's table from UCI, without verifying it.

    Raises
    ------
    DataError
        If UCI does not have the data set, or if the download fails or takes longer than ``timeout``
        seconds.
    """
    if entry.uci_id is None:
        raise DataError(f"{entry.name} is not on UCI")
    function, columns = "optimist.data.download:fetched", entry.columns
    try:
        table: pd.DataFrame = call(function, seconds=timeout, uci_id=entry.uci_id, columns=columns)
    except LateError:
        raise DataError(f"no complete answer within {timeout:.3g} s") from None
    except EndedError as error:
        raise DataError(str(error)) from None
    return table


def fetched(tell: Callable[[Any], None], *, uci_id: int, columns: Sequence[str]) -> "pd.DataFrame":
    """Download a table from UCI without a time limit; return those of ``columns`` that it has.

    Parameters
    ----------
    tell : callable
        Ignored; `optimist.core.executor.call` requires it.
    uci_id : int
    columns : sequence of str

    Raises
    ------
    DataError
        If the client raises an exception.
    """
    try:
        import ucimlrepo.fetch as client

        client.API_BASE_URL = os.environ.get(UCI_URL_VARIABLE) or client.API_BASE_URL
        table: pd.DataFrame = client.fetch_ucirepo(id=uci_id).data.original
    except Exception as error:
        # ucimlrepo says only "Error connecting to server"; ``__context__`` has the HTTP status.
        cause = f" ({error.__context__})" if error.__context__ else ""
        words = f"{type(error).__name__}: {error}{cause}"
        raise DataError(" ".join(words.split())) from None
    return table[[name for name in columns if name in table.columns]].reset_index(drop=True)
