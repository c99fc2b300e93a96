"""A command in a process of its own: if a class ends that process, this one says so."""

import signal
import subprocess
import sys
from collections.abc import Sequence

from optimist.blame import status_in_words
from optimist.errors import ResultError

# How the process ends if its command does: with numbers that hardly any other process ends with.
_STATUSES = {0: 100, 1: 101, 130: 102}


def run(arguments: Sequence[str], words: str) -> int:
    """Run ``optimist`` with some arguments, which were parsed before; return its exit status.

    Raises
    ------
    ResultError
        If the process ended before its command did; ``words`` say what it was at.
    """
    process = subprocess.Popen([sys.executable, "-P", "-m", "optimist.apart", *arguments])

    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        status = _wait(process)
    finally:
        signal.signal(signal.SIGTERM, before)
        process.terminate()
        process.wait()
    for returned, ended in _STATUSES.items():
        if status == ended:
            return returned
    raise ResultError(f"{words}: its process ended with {status_in_words(status)}")


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Return the exit status; an interruption reaches both processes, and the other answers it."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    from optimist import cli

    sys.exit(_STATUSES[cli.main(sys.argv[1:], is_apart=True)])
