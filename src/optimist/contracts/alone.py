"""Checks in a process of their own: a class that ends it ends no more than that."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from optimist.errors import ConfigError

LONGEST = 400  # bytes of what is under way


@dataclass(frozen=True)
class Told:
    """What the checks of one class found, as plain data and as text.

    Attributes
    ----------
    content : dict
        `optimist.contracts.report.Report.as_dict`.
    text : str
        `optimist.contracts.report.Report.to_text`.
    has_failed : bool
    """

    content: dict[str, object]
    text: str
    has_failed: bool


def check(label: str, debug: bool = False) -> list[Told]:
    """Check the classes that a label names, each with its report; see `optimist.contracts.report`.

    Nothing is imported here but in the process that checks.

    Raises
    ------
    ConfigError
        For an unknown name or option, or if a class ended the process.
    """
    context = multiprocessing.get_context("spawn")
    under_way: Any = context.Array("c", LONGEST)
    with ProcessPoolExecutor(1, context, _begin, (under_way,)) as pool:
        try:
            return pool.submit(_check, label, debug).result()
        except BrokenProcessPool:
            where = under_way.value.decode(errors="replace") or "it was loaded"
            raise ConfigError(
                f"{label} ended the process that checked it, while {where}; allowed: to raise an "
                "exception (os._exit ends a process, and so does compiled code that crashes)"
            ) from None


_under_way: Any = None


def _begin(under_way: Any) -> None:
    global _under_way
    _under_way = under_way


def _check(label: str, debug: bool) -> list[Told]:
    from optimist.contracts import report

    def tell(words: str) -> None:
        _under_way.value = words.encode()[: LONGEST - 1]

    reports = report.check(label, tell=tell)
    return [Told(one.as_dict(), one.to_text(debug), bool(one.failed)) for one in reports]
