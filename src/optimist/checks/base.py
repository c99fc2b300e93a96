"""What a check of a contract is, and what it found: in words, in one or two lines each."""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any, Protocol

from optimist.checks import faults
from optimist.core.errors import OutOfTimeError
from optimist.experiments.limits import limited

HELD, FAILED, HINT, PASSED_OVER, NOT_RUN = "held", "failed", "hint", "passed over", "not run"


class BrokenError(Exception):
    """What a contract promises does not hold.

    Parameters
    ----------
    seen, allowed : str
    """

    def __init__(self, seen: str, allowed: str) -> None:
        super().__init__(f"{seen}; allowed: {allowed}")
        self.seen = seen
        self.allowed = allowed


class PassedOverError(Exception):
    """A check does not concern a case; its message says why."""


def require(holds: object, seen: str, allowed: str) -> None:
    """Raise BrokenError unless ``holds`` is true."""
    if not holds:
        raise BrokenError(seen, allowed)


class Case(Protocol):
    """What is checked, and where."""

    @property
    def where(self) -> str:
        """Setting or toy, for messages; empty for the class itself."""

    @property
    def kind(self) -> str:
        """Kind of problem, empty for the class itself: a basic check is of its kind."""

    @property
    def cls(self) -> type:
        """The class that is checked."""


@dataclass(frozen=True)
class Check:
    """One promise of a contract.

    Attributes
    ----------
    function : callable
        Takes a case; raises BrokenError, or whatever the class that is checked raises. Its name
        names the check, its docstring says what is promised.
    case : type
        Cases that it takes.
    is_basic : bool
        Whether nothing else can be checked where it fails.
    is_hint : bool
        Whether it is one of style.
    compares_plays : bool
        Whether it compares plays that should be the same; that says nothing of a class that does
        not play the same twice.
    """

    function: Callable[[Any], None]
    case: type
    is_basic: bool = False
    is_hint: bool = False
    compares_plays: bool = False

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def rule(self) -> str:
        """What is promised, in a sentence."""
        return " ".join((self.function.__doc__ or "").split())


@dataclass(frozen=True)
class Finding:
    """What a check found in a case.

    Attributes
    ----------
    check, rule, where : str
        Name of the check, what it promises, and the setting or toy.
    result : {"held", "failed", "hint", "passed over", "not run"}
    seen, allowed : str
        What was seen, and what is allowed; or why it was not run.
    error : exception or None
        That the class raised.
    """

    check: str
    rule: str
    where: str
    result: str
    seen: str = ""
    allowed: str = ""
    error: BaseException | None = field(default=None, compare=False, repr=False)

    @property
    def words(self) -> str:
        """What was seen and what is allowed."""
        return f"{self.seen}; allowed: {self.allowed}" if self.allowed else self.seen

    @property
    def text(self) -> str:
        """All in one line."""
        place = f", in {self.where}" if self.where else ""
        return f"{self.result}: {self.check}{place}: {self.words}"


class Contract:
    """Checks, in the order in which they are run.

    Parameters
    ----------
    *parts : Contract
        Contracts that this one includes.
    """

    def __init__(self, *parts: "Contract") -> None:
        self.checks: list[Check] = [check for part in parts for check in part.checks]

    def check(
        self,
        case: type,
        *,
        is_basic: bool = False,
        is_hint: bool = False,
        compares_plays: bool = False,
    ) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        """Return a decorator that adds a function as a check of cases of one type."""

        def add(function: Callable[[Any], None]) -> Callable[[Any], None]:
            self.checks.append(Check(function, case, is_basic, is_hint, compares_plays))
            return function

        return add

    def of(self, case: type) -> list[Check]:
        """Return the checks of cases of one type, the basic ones first."""
        found = [check for check in self.checks if check.case is case]
        return sorted(found, key=lambda check: not check.is_basic)


def outcome(check: Check, case: Case, seconds: float | None = None) -> Finding:
    """Run a check on a case; return what it found, whatever the class raises.

    Parameters
    ----------
    check : Check
    case : Case
    seconds : float or None
        Time after which the check is stopped, and has failed.
    """
    result, seen, allowed, error = HELD, "", "", None
    try:
        with quiet(), limited(seconds):
            check.function(case)
    except PassedOverError as reason:
        result, seen = PASSED_OVER, str(reason)
    except BrokenError as broken:
        result = FAILED
        seen, allowed = faults.one_line(broken.seen), faults.one_line(broken.allowed)
    except OutOfTimeError:
        result, seen, allowed = FAILED, "it was not done in time", f"{seconds:g} s for a check"
    except KeyboardInterrupt:
        raise
    except BaseException as raised:  # sys.exit in a class is not the end of this process
        result, seen, error = FAILED, faults.describe(raised, case.cls), raised
    if result == FAILED and check.is_hint:
        result = HINT
    return Finding(check.name, check.rule, case.where, result, seen, allowed, error)


@contextmanager
def quiet() -> Iterator[None]:
    """Drop what a class prints and what it is warned of."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
