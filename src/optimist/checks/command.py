"""`optimist check`: run the tests on a class in a separate process.

Only that process loads the user's code. A class that ends it fails one test, and the next test
starts another process.
"""

from collections.abc import Callable, Collection
from contextlib import closing
from typing import TYPE_CHECKING, Any

from optimist.core import executor
from optimist.core.errors import ConfigError, LateError
from optimist.core.executor import Call
from optimist.core.user_errors import in_one_line

if TYPE_CHECKING:
    from optimist.checks.cases import Case
    from optimist.checks.report import Report

SECONDS = 60.0  # time limit of a test


def check(
    label: str,
    *,
    seconds: float | None = SECONDS,
    is_quiet: bool = True,
    only: Collection[str] = (),
) -> "list[Report]":
    """Check the classes named by a label; see `optimist.checks.served.cases`.

    Parameters
    ----------
    label : str
    seconds : float or None
        Time limit of a test; None for no limit.
    is_quiet : bool
        Whether to discard the class's output.
    only : collection of str
        Names of the tests to run, without the prefix ``test_``; empty for all tests.

    Returns
    -------
    list of Report
        A report for each class. There are two if an algorithm on arms and one on a box have the
        same name.

    Raises
    ------
    ConfigError
        If a name or option is unknown, or if the class refuses an option.
    EndedError
        If the class ends the process before its cases are known.
    """
    waiting = {"": Call("optimist.checks.served:cases", {"text": label}, seconds=SECONDS)}
    with closing(executor.calls(waiting, is_quiet=is_quiet)) as messages:
        # The separate process loads the class during these imports.
        from optimist.checks.cases import FAILED, takes
        from optimist.checks.report import TESTS, Report

        def answer() -> Any:
            _, word, value = next(messages)
            if word == "error":
                raise value
            return value

        def run(test: Callable[..., None], case: "Case") -> tuple[str, ...]:
            asked = {"test": f"{test.__module__}:{test.__name__}", "case": case}
            waiting[""] = Call("optimist.checks.served:run", asked, seconds=seconds)
            try:
                return answer()
            except ConfigError:
                raise
            except LateError:
                return FAILED, "it took too long", f"at most {seconds:g} s for a test", ""
            except Exception as error:
                return FAILED, in_one_line(error), "raising an exception", ""

        reports = [Report(label, cases) for cases in answer()]
        for test in TESTS:
            if only and test.__name__.removeprefix("test_") not in only:
                continue
            for report in reports:
                for case in report.cases:
                    if takes(test, case):
                        report.add(test, case, run)
        return reports
