"""The command that checks a class against the contract for algorithms or environments."""

import sys
from typing import Any

from optimist.checks import command
from optimist.cli.output import answer
from optimist.cli.play import errors_in_one_line
from optimist.core import terminal
from optimist.core.errors import ConfigError, EndedError


def check(options: Any) -> int:
    """Check algorithm and environment classes, and print a report on each."""
    try:
        with (
            errors_in_one_line(options, options.label),
            terminal.Busy(f"checking {options.label}", sys.stderr),
        ):
            reports = command.check(options.label, is_quiet=not options.debug)
    except EndedError as error:
        raise ConfigError(
            f"{options.label} ended the process that checked it, while it was being loaded: "
            f"{error}; allowed: raising an exception"
        ) from error
    texts = [one.to_text(options.debug, terminal.width()) for one in reports]
    answer(options, [one.as_dict() for one in reports], "\n\n".join(texts))
    return int(any(one.failed for one in reports))
