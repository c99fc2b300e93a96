"""A command in a process of its own: if a class ends that process, this one says so."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from optimist.blame import status_in_words
from optimist.errors import ResultError

PATIENCE = 3.0  # seconds that a process has to end once it was asked to


def run(arguments: Sequence[str], words: str) -> int:
    """Run ``optimist`` with some arguments, which were parsed before; return its exit status.

    What ends this process, but SIGKILL, ends the other one too. A signal that this process ignores,
    as one under nohup does, ends neither.

    Raises
    ------
    ResultError
        If the process ended before its command did; ``words`` say what it was at.
    """

    def stop(number: int, frame: object) -> None:
        sys.exit(128 + number)

    asked = (signal.SIGTERM, signal.SIGHUP)
    heard = [number for number in asked if signal.getsignal(number) != signal.SIG_IGN]  # nohup
    before = {number: signal.signal(number, stop) for number in heard}
    told, tells = os.pipe()  # the process writes there once its command has ended
    process = None
    try:
        command = [sys.executable, "-P", "-m", "optimist.apart", str(tells), *arguments]
        process = subprocess.Popen(command, pass_fds=[tells])
        status = _wait(process)
        os.set_blocking(told, False)
        try:
            has_ended = bool(os.read(told, 1))
        except BlockingIOError:
            has_ended = False
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for descriptor in (told, tells):
            os.close(descriptor)
        if process is not None:
            end(process)
    if has_ended:
        return status
    raise ResultError(f"{words}: its process ended with {status_in_words(status)}")


def _wait(process: subprocess.Popen[bytes]) -> int:
    """Return the exit status; the process answers an interruption, which may have reached it."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            try:
                return process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)


def end(process: subprocess.Popen[Any]) -> None:
    """End a process, also one that ignores the first request."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    from optimist import arithmetic, cli

    arithmetic.fix()

    class AskedToEndError(BaseException):
        """Not an Exception: no command takes it for the error of a class."""

    def leave(number: int, frame: object) -> None:
        raise AskedToEndError

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, leave)

    _, tells, *arguments = sys.argv
    try:
        status = cli.main(arguments)
    except AskedToEndError:
        os._exit(1)
    os.write(int(tells), b".")
    sys.exit(status)
