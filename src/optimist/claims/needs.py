"""What a check reads, known before anything has run."""

import contextlib
from collections.abc import Mapping
from typing import Any

from optimist.claims.cells import LANE_OF, Cells, Groups
from optimist.claims.metrics.table import Metric
from optimist.errors import ConfigError


class _AskedError(Exception):
    """A metric has asked for its cells."""


class _Asking(Cells):
    """Cells that note what is asked for, and have nothing."""

    def __init__(self) -> None:
        super().__init__(Groups({}))
        self.asked: list[tuple[str, str, str]] = []

    def complete(self, table: str, column: str, *pairs: tuple[str, str], also: int = 0) -> Any:
        self.asked += [(LANE_OF[table], setting, algorithm) for setting, algorithm in pairs]
        raise _AskedError

    def pick(self, table: str, *keys: tuple[str, ...]) -> Any:
        raise _AskedError

    def rows(self, study: str, **where: str) -> Any:
        raise _AskedError


def needed_cells(metric: Metric, arguments: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return lane, setting and algorithm of the cells that a metric asks for, all at once.

    Metrics of facts and studies ask for none.

    Raises
    ------
    ConfigError
        If the arguments are of a kind that the metric cannot take.
    """
    asking = _Asking()
    try:
        with contextlib.suppress(_AskedError):
            metric(asking, **arguments)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"arguments are {dict(arguments)!r}: {error}") from None
    return asking.asked
