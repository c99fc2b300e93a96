"""The command that plays trials of one cell, in a separate process."""

import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from optimist.cli.output import as_json, say
from optimist.core import executor, terminal, worker
from optimist.core.errors import ConfigError, EndedError, LateError, OptimistError, ResultError
from optimist.core.user_errors import in_one_line


def run(options: Any) -> int:
    """Play trials of one cell, and print each trial when it ends."""
    first, stop = _parse_trials(options.trials)
    if options.rounds is not None and options.rounds < 1:
        raise ConfigError(f"--rounds is {options.rounds}; allowed: at least 1")
    asked = {"cell": options.cell, "first": first, "stop": stop, "rounds": options.rounds}
    asked |= {"overlays": options.configfile, "debug": options.debug}
    ended = []
    with terminal.Busy(f"playing trials {options.trials}", sys.stderr) as busy:

        def show(trial):
            ended.append(trial)
            if not options.json:
                with busy.hidden():
                    _print_trial(**trial)

        call(options, options.cell, "optimist.comparison.single:play", show, **asked)
    if options.json:
        print(as_json(ended))
    return 0


def call(
    options: Any,
    name: str,
    function: str,
    tell: Callable[[Any], None] = lambda value: None,
    seconds: float | None = None,
    **arguments: Any,
) -> Any:
    """Call a function in another process and return its result.

    With ``--debug``, call it in this process instead, so that tracebacks are shown.

    Parameters
    ----------
    options : namespace
        Options of the command.
    name : str
        Name of the class that the function uses, for messages.
    function, tell, seconds, **arguments
        See `optimist.core.executor.call`.

    Raises
    ------
    ResultError
        Raised when the process ended early, the time limit expired, or a class raised an error.
    """
    if options.debug:
        return worker.called(function, tell, arguments)
    try:
        with errors_in_one_line(options, name):
            return executor.call(function, tell, seconds, **arguments)
    except LateError:
        raise ResultError(f"{name}: no answer in {seconds:g} s") from None
    except EndedError as error:
        raise ResultError(f"{name}: {error}") from error


@contextmanager
def errors_in_one_line(options: Any, name: str) -> Iterator[None]:
    """Reduce an error from another process to one line; keep it as the cause with ``--debug``."""
    try:
        yield
    except (OptimistError, OSError):
        raise
    except Exception as error:
        if options.debug:
            raise ResultError(f"{name}: {in_one_line(error)}") from error
        more = "for the traceback, run the same command with `optimist --debug`"
        raise ResultError(f"{name}: {in_one_line(error)}; {more}") from None


def _parse_trials(text):
    first, _, stop = text.partition(":") if ":" in text else ("0", "", text)
    whole = all(re.fullmatch("[0-9]{1,9}", number) for number in (first, stop))
    if not (whole and int(first) < int(stop)):
        raise ConfigError(
            f"--trials is {text!r}; allowed: a number, or FIRST:STOP with FIRST < STOP, as in 0:3"
        )
    return int(first), int(stop)


def _print_trial(trial, status, place, regret=math.nan, round=0, seconds=math.nan, **others):
    say(
        f"trial {trial}: regret {regret:.4f} after {round} rounds, {seconds:.3f} s, status {status}"
        f"{place and f' ({place})'}"
    )
