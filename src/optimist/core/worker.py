"""Process that calls functions on behalf of another process (`optimist.core.executor`).

``python -P -m optimist.core.worker DESCRIPTOR`` reads requests from a pipe. A request consists of a
function's name, ``module:function``, and its arguments. The answers are pairs: ``progress`` with a
message from the function and, at the end, either ``done`` with its result or ``error`` with a
description from `optimist.core.user_errors.to_text`.
"""

import importlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, NoReturn

from optimist.core.user_errors import to_text

Tell = Callable[[Any], None]
Request = tuple[str, Mapping[str, object]]


def called(function: str, tell: Tell, arguments: Mapping[str, object]) -> Any:
    """Call the function ``module:function`` in this process and return its result."""
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)(tell, **arguments)


def main(descriptor: int) -> NoReturn:
    """Answer requests from a pipe until the other end is closed."""
    # The calling process decides what an interrupt does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_inheritable(descriptor, False)
    pipe: Connection[Any, Any] = Connection(descriptor)
    requests: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_watch, args=(pipe, requests), daemon=True).start()

    number = os.getpid()

    def send(message: bytes) -> None:
        if os.getpid() != number:  # a user's class forked this process; the copy must exit
            os._exit(0)
        pipe.send_bytes(message)

    def tell(value: Any) -> None:
        send(pickle.dumps(("progress", value)))

    try:
        while True:
            send(_answer(*requests.get(), tell))
    finally:
        os.kill(0, signal.SIGKILL)


def _watch(pipe: "Connection[Any, Any]", requests: "SimpleQueue[Request]") -> None:
    """Queue requests from the pipe; when it closes, kill this process and its group."""
    with suppress(Exception):
        while True:
            requests.put(pipe.recv())
    os.kill(0, signal.SIGKILL)


def _answer(function: str, arguments: Mapping[str, object], tell: Tell) -> bytes:
    """Call a function and return its result or exception as a pickled answer.

    A user's class may raise any exception.
    """
    try:
        answer = pickle.dumps(("done", called(function, tell, arguments)))
    except BaseException as error:
        answer = pickle.dumps(("error", to_text(error)))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # a user's class may have closed the stream
            stream.flush()
    return answer


if __name__ == "__main__":
    main(int(sys.argv[1]))
