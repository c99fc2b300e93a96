"""Printing for a terminal."""

import json
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from optimist.core import terminal


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a text that may hold a user's words, with control characters shown as escapes."""
    print(terminal.shown(text), file=stream, flush=True)


def warn(words: str) -> None:
    """Print a warning."""
    say(words, sys.stderr)


def say_written(paths: Sequence[str], options: Any) -> None:
    """Print how many files a command wrote, or their paths as JSON."""
    say(json.dumps(paths) if options.json else f"wrote {len(paths)} files: {paths[-1]}")
