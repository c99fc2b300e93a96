"""`optimist check`: the tests of a class, each of them in another process.

Foreign code is loaded in that process alone. A class that ends it fails one test.
"""

from collections.abc import Callable, Collection
from contextlib import closing
from typing import TYPE_CHECKING, Any

from optimist.core import executor
from optimist.core.errors import ConfigError
from optimist.core.executor import Call
from optimist.core.user_errors import in_one_line

if TYPE_CHECKING:
    from optimist.checks.cases import Case
    from optimist.checks.report import Report

SECONDS = 60.0  # of a test
# By which a process may be late, as a class can ignore the end of its time there.
GRACE = 5.0


def check(
    label: str,
    tell: Callable[[str], None] = lambda words: None,
    *,
    seconds: float = SECONDS,
    is_quiet: bool = True,
    only: Collection[str] = (),
) -> "list[Report]":
    """Check the classes that a label names; see `optimist.checks.served.cases`.

    Parameters
    ----------
    label : str
    tell : callable
        Called with each step until the cases are known, in words that follow ``while``.
    seconds : float
        Time of a test.
    is_quiet : bool
        Whether the output of the class is dropped.
    only : collection of str
        Names of tests to run, without ``test_``; all if there are none.

    Returns
    -------
    list of Report
        One for each class; two where an algorithm on arms and one on a box have one name.

    Raises
    ------
    ConfigError
        For an unknown name or option, or an option that the class refuses.
    EndedError
        If the class ends the process before its cases are known.
    """
    waiting = {"": Call("optimist.checks.served:cases", {"text": label}, seconds=SECONDS)}
    with closing(executor.calls(waiting, is_quiet=is_quiet)) as messages:
        # The other process loads the class meanwhile.
        from optimist.checks.report import FAILED, TESTS, Report

        def answer() -> Any:
            for _, word, value in messages:
                if word == "error":
                    raise value
                if word == "done":
                    break
                tell(value)
            return value

        def run(test: Callable[..., None], case: "Case") -> tuple[str, ...]:
            asked = {"test": f"{test.__module__}:{test.__name__}", "case": case, "seconds": seconds}
            waiting[""] = Call("optimist.checks.served:run", asked, seconds=seconds + GRACE)
            try:
                return answer()
            except ConfigError:
                raise
            except Exception as error:
                return FAILED, in_one_line(error), "to raise an exception", ""

        reports = [Report(label, cases) for cases in answer()]
        for test in TESTS:
            if not only or test.__name__.removeprefix("test_") in only:
                for report in reports:
                    report.add(test, run)
        return reports
