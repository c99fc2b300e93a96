"""One test of a contract on one case, run in this process: its finding, in words."""

import importlib
import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import pytest

from optimist.contracts import faults
from optimist.contracts.base import BrokenError
from optimist.contracts.cases import Case
from optimist.errors import OutOfTimeError
from optimist.runs.limits import limited

HELD, FAILED, HINT, PASSED_OVER, NOT_RUN = "held", "failed", "hint", "passed over", "not run"


@dataclass(frozen=True)
class Finding:
    """The result of a test on a case.

    Attributes
    ----------
    check, rule, where : str
        Name of the test, the promise, and the setting or toy.
    result : {"held", "failed", "hint", "passed over", "not run"}
    seen, allowed : str
        The observation and the rule for it; or the reason why the test was not run.
    trace : str
        Traceback of an error of the class, "" if there is none.
    """

    check: str
    rule: str
    where: str
    result: str = HELD
    seen: str = ""
    allowed: str = ""
    trace: str = ""

    @property
    def words(self) -> str:
        """The observation and the rule for it."""
        return f"{self.seen}; allowed: {self.allowed}" if self.allowed else self.seen


def found(function: Callable[[Any], None], case: Case, *result: str) -> Finding:
    """Return the finding of a test, a function of a case, from `Finding.result` on."""
    rule = " ".join((function.__doc__ or "").split())
    return Finding(function.__name__.removeprefix("test_"), rule, case.where, *result)


def checked(
    tell: Callable[[str], None], *, test: str, case: Case, seconds: float | None
) -> Finding:
    """Run a test on a case; return its finding, whatever the class raises.

    Parameters
    ----------
    tell : callable
        Not called.
    test : str
        ``module:function``
    case : Case
    seconds : float or None
        The test fails after so much time.
    """
    module, _, name = test.partition(":")
    function = getattr(importlib.import_module(module), name)
    result: tuple[str, ...] = (HELD,)
    try:
        with quiet(), limited(seconds):
            function(case)
    except pytest.skip.Exception as reason:
        result = PASSED_OVER, str(reason)
    except BrokenError as broken:
        result = FAILED, faults.one_line(broken.seen), faults.one_line(broken.allowed)
    except OutOfTimeError:
        result = FAILED, "it was not done in time", f"{seconds:g} s for a check"
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # sys.exit in a class is not the end of this process
        trace = "".join(traceback.format_exception(raised))
        result = FAILED, faults.describe(raised, case.cls), "", trace
    return found(function, case, *result)


@contextmanager
def quiet() -> Iterator[None]:
    """Drop the output and the warnings of a class."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
