"""The command that checks a class against the contract for algorithms or environments."""

import importlib.util
import sys
from typing import Any

from optimist.checks import command
from optimist.cli.output import as_json, say
from optimist.cli.play import errors_in_one_line
from optimist.core import terminal
from optimist.core.errors import ConfigError, EndedError


def check(options: Any) -> int:
    """Check algorithm and environment classes, and print a report on each."""
    if importlib.util.find_spec("pytest") is None:
        raise ConfigError("optimist check needs pytest; install optimist[check]")
    steps = ["its process started"]
    try:
        with (
            errors_in_one_line(options, options.label),
            terminal.Busy(f"checking {options.label}", sys.stderr),
        ):
            reports = command.check(options.label, steps.append, is_quiet=not options.debug)
    except EndedError as error:
        raise ConfigError(
            f"{options.label} ended the process that checked it, while {steps[-1]}: {error}; "
            "allowed: raising an exception"
        ) from error
    if options.json:
        print(as_json([one.as_dict() for one in reports]))
    else:
        say("\n\n".join(one.to_text(options.debug, terminal.width()) for one in reports))
    return int(any(one.failed for one in reports))
