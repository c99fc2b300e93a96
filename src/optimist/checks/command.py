"""`optimist check`: pytest runs the tests of a class, each of them in another process.

Foreign code is loaded in that process alone. A class that ends it fails one test.
"""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from optimist.core import executor
from optimist.core.errors import ConfigError
from optimist.core.executor import Call
from optimist.core.user_errors import in_one_line

if TYPE_CHECKING:
    from optimist.checks.cases import Case
    from optimist.checks.plugin import Report

SECONDS = 60.0  # of a test
# By which a process may be late, as a class can ignore the end of its time there.
GRACE = 5.0


def check(
    label: str,
    tell: Callable[[str], None] = lambda words: None,
    *,
    seconds: float | None = SECONDS,
    is_quiet: bool = True,
    only: str = "",
) -> "list[Report]":
    """Check the classes that a label names; see `optimist.checks.served.cases`.

    Parameters
    ----------
    label : str
    tell : callable
        Called with each step until the cases are known, in words that follow ``while``.
    seconds : float or None
        Time of a test.
    is_quiet : bool
        Whether the output of the class is dropped.
    only : str
        Names of tests to run, as pytest's option -k has them; "" for all.

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
        from optimist.checks import plugin

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
            most = None if seconds is None else seconds + GRACE
            waiting[""] = Call("optimist.checks.served:run", asked, seconds=most)
            try:
                return answer()
            except ConfigError:
                raise
            except Exception as error:
                return plugin.FAILED, in_one_line(error), "to raise an exception", ""

        return plugin.run(plugin.Plugin(label, answer, run), only)
