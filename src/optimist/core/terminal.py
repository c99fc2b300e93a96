"""Fold and escape text for a terminal, and show log records and progress."""

import logging
import os
import re
import shutil
import sys
import textwrap
import threading
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, TextIO

from optimist.core.durations import in_words

CLEAR = "\r\x1b[K"  # clears the current line
QUIET = 2.0  # seconds until a progress line appears
# Characters that may need escaping; `_escape` keeps most non-ASCII characters.
_UNSHOWN = re.compile(r"[^\t\n -~]")
NARROWEST = 20  # minimum width of folded text, in columns


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can overwrite lines."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """Return the width of the terminal in columns, or None if it is unknown.

    The environment variable COLUMNS takes precedence over the terminal.
    """
    return shutil.get_terminal_size((0, 0)).columns or None


def folded(line: str, columns: int | None) -> str:
    """Fold a line at ``columns`` and align continuation lines with its last text column.

    Text columns are separated by two or more spaces. If ``columns`` is None, the line is not
    folded.
    """
    if columns is None or len(line) <= columns:
        return line
    match = re.match(r"(?:.* {2})?(?:-> )?", line)
    start = match.end() if match else 0
    if columns - start < NARROWEST:  # the last text column would be too narrow
        start = 0
    pieces = textwrap.wrap(
        line[start:], columns - (start or 4), break_long_words=False, break_on_hyphens=False
    )
    return line[:start] + f"\n{' ' * (start or 4)}".join(pieces)


def shown(text: object) -> str:
    """Escape the characters that a terminal might not display or might interpret as commands.

    Newlines, tabs and spaces are kept. For example, the escape character becomes ``\\x1b``, and
    the character that reverses the writing direction becomes ``\\u202e``.
    """
    return _UNSHOWN.sub(_escape, str(text))


def _escape(match: re.Match[str]) -> str:
    letter = match[0]
    if letter.isprintable() or unicodedata.category(letter) == "Zs":
        return letter
    return letter.encode("unicode_escape").decode()


class LogFormatter(logging.Formatter):
    """Formatter of log records for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as escaped text; see `shown`."""
        return shown(super().format(record))


def show_log() -> None:
    """Show log records on standard error, unless the root logger has a handler."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogFormatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("optimist").setLevel(logging.INFO)


class Busy:
    """Progress line for a long task.

    The line appears after two seconds, and only on a terminal.

    Parameters
    ----------
    words : str
        Description of the task.
    stream : file
        Stream to which the line is written.
    """

    def __init__(self, words: str, stream: TextIO) -> None:
        self._words = shown(words)
        self._stream = stream
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._is_shown = False
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        if is_terminal(self._stream):
            threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        with self.hidden():
            pass

    @contextmanager
    def hidden(self) -> Iterator[None]:
        """Hide the line within a block that prints other output."""
        with self._lock:
            if self._is_shown:
                self._stream.write(CLEAR)
                self._stream.flush()
            self._is_shown = False
            yield

    def _tick(self) -> None:
        pause = QUIET
        while not self._over.wait(pause):
            pause = 1.0
            line = f"{self._words}, {in_words(time.monotonic() - self._start)}"
            with self._lock:
                if not self._over.is_set():
                    self._stream.write(f"{CLEAR}{line[: (width() or 80) - 1]}\r")
                    self._stream.flush()
                    self._is_shown = True
