"""Checks in a process of their own: a class that ends it ends no more than that.

The process reads a request, a line of JSON with the arguments of `check`, and answers with lines of
JSON: ``under_way`` before each check, and at last ``told``, a list, or ``error``, a text.
"""

import json
import os
import subprocess
import sys
import traceback
from dataclasses import asdict, dataclass
from typing import Any

from optimist import arithmetic
from optimist.blame import status_in_words
from optimist.errors import ConfigError, UnreadableError


@dataclass(frozen=True)
class Told:
    """What the checks of one class found, as plain data and as text.

    Attributes
    ----------
    content : dict
        `optimist.contracts.report.Report.as_dict`.
    text : str
        `optimist.contracts.report.Report.to_text`.
    has_failed : bool
    """

    content: dict[str, object]
    text: str
    has_failed: bool


def check(label: str, debug: bool = False, columns: int | None = None) -> list[Told]:
    """Check the classes that a label names, each with its report; see `optimist.contracts.report`.

    Nothing is imported here but in the process that checks.

    Raises
    ------
    ConfigError
        For an unknown name or option, or if a class ended the process.
    """
    command = [sys.executable, "-P", "-m", "optimist.contracts.alone"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    under_way = "its process started"
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            request = {"label": label, "debug": debug, "columns": columns}
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                answer = json.loads(line)
                if "error" in answer:
                    raise ConfigError(answer["error"])
                if "told" in answer:
                    return [Told(**one) for one in answer["told"]]
                under_way = answer["under_way"]
            status = process.wait()
        finally:
            process.kill()
    raise ConfigError(
        f"{label} ended the process that checked it, while {under_way}: {status_in_words(status)}; "
        "allowed: to raise an exception"
    )


def main() -> None:
    """Answer one request; what a class prints is no answer."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(**answer: object) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    request = json.loads(sys.stdin.readline())
    tell(under_way="it was loaded")
    arithmetic.fix()  # before anything imports numpy
    from optimist.contracts import report

    try:
        found = report.check(request["label"], tell=lambda words: tell(under_way=words))
    except (ConfigError, UnreadableError) as error:
        if request["debug"]:
            traceback.print_exc()
        tell(error=str(error))
        return
    form = request["debug"], request["columns"] or report.WIDTH
    told = [Told(one.as_dict(), one.to_text(*form), bool(one.failed)) for one in found]
    tell(told=[asdict(one) for one in told])


if __name__ == "__main__":
    main()
