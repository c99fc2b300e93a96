"""Printing to a terminal."""

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from optimist.core import terminal

MOST_PATHS = 12


def say(text: str, stream: TextIO | None = None) -> None:
    """Print text that may contain user input, with control characters shown as escapes."""
    print(terminal.shown(text), file=stream, flush=True)


def as_json(content: Any) -> str:
    """Return plain data as strict JSON, in which numbers that are not finite are null."""
    finite = json.loads(json.dumps(content), parse_constant=lambda name: None)
    return json.dumps(finite, indent=1)


def warn(words: str) -> None:
    """Print a warning to standard error."""
    say(words, sys.stderr)


def answer(options: Any, data: Any, text: str) -> None:
    """Print the result of a command: with the option --json ``data``, otherwise ``text``."""
    say(as_json(data) if options.json else text)


def say_written(paths: Sequence[str], options: Any) -> None:
    """Print the paths of the files that a command wrote, or their number if there are many."""
    if options.json:
        say(as_json(paths))
    elif not paths:
        return
    elif len(paths) > MOST_PATHS:
        say(f"wrote {len(paths)} files in {os.path.commonpath(paths)}")
    else:
        say("\n".join(f"wrote {path}" for path in paths))
