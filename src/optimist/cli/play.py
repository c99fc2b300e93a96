"""Commands that play trials of one cell or class, each in its own process."""

import json
import math
import re
import sys
from typing import Any

from optimist.cli.output import say
from optimist.core import executor, terminal, worker
from optimist.core.errors import ConfigError, EndedError, OptimistError, ResultError
from optimist.core.user_errors import in_one_line


def run(options: Any) -> int:
    """Play trials of one cell, and print each at its end."""
    first, stop = _parse_trials(options.trials)
    if options.rounds is not None and options.rounds < 1:
        raise ConfigError(f"--rounds is {options.rounds}; allowed: at least 1")
    asked = {"cell": options.cell, "first": first, "stop": stop, "rounds": options.rounds}
    ended = []
    with terminal.Busy(f"playing trials {options.trials}", sys.stderr) as busy:

        def show(trial):
            ended.append(trial)
            if not options.json:
                with busy.hidden():
                    _print_trial(**trial)

        asked |= {"overlays": options.configfile, "debug": options.debug}
        try:
            _call(options, options.cell, "optimist.comparison.single:play", show, **asked)
        except EndedError as error:
            raise ResultError(f"{options.cell}: {error}") from error
    if options.json:
        print(json.dumps(ended, indent=1))
    return 0


def check(options: Any) -> int:
    """Check an algorithm or an environment."""
    asked = {"label": options.label, "debug": options.debug, "columns": terminal.width()}
    while_ = ["its process started"]
    try:
        with terminal.Busy(f"checking {options.label}", sys.stderr):
            told = _call(
                options, options.label, "optimist.checks.report:told", while_.append, **asked
            )
    except EndedError as error:
        raise ConfigError(
            f"{options.label} ended the process that checked it, while {while_[-1]}: {error}; "
            "allowed: to raise an exception"
        ) from error
    if options.json:
        print(json.dumps([content for content, _, _ in told], indent=1))
    else:
        say("\n\n".join(text for _, text, _ in told))
    return int(any(has_failed for _, _, has_failed in told))


def _call(options, name, function, tell, **arguments):
    """Call a function in another process, or in this one for a traceback; return its result."""

    if options.debug:
        return worker.called(function, tell, arguments)
    try:
        return executor.call(function, tell, **arguments)
    except (OptimistError, OSError):
        raise
    except Exception as error:
        more = "the same command after `optimist --debug` shows how it came to that"
        raise ResultError(f"{name}: {in_one_line(error)}; {more}") from None


def _parse_trials(text):
    first, _, stop = text.partition(":") if ":" in text else ("0", "", text)
    whole = all(re.fullmatch("[0-9]{1,9}", number) for number in (first, stop))
    if not (whole and int(first) < int(stop)):
        raise ConfigError(
            f"--trials is {text!r}; allowed: how many, or FIRST:STOP with FIRST < STOP, as in 0:3"
        )
    return int(first), int(stop)


def _print_trial(trial, status, regret=math.nan, round=0, seconds=math.nan, **others):
    say(
        f"trial {trial}: regret {regret:.4f} after {round} rounds, {seconds:.3f} s, status {status}"
    )
