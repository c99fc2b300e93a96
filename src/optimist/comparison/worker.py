"""A process that plays trials for another one: a request a line on its input, an answer a line.

A request is JSON with ``trials`` (`optimist.runs.trials.Trials.describe`), ``output``, the result
file to write, and the folders ``data`` and ``kept``. The answer is JSON with ``seconds`` of this
process, or with ``error``. Numbers are the workflow's, whatever the other process has loaded.
"""

import json
import logging
import sys
import time
import traceback
from pathlib import Path

from optimist import arithmetic

arithmetic.fix()

from optimist.errors import OptimistError  # noqa: E402
from optimist.records import provenance  # noqa: E402
from optimist.root import PACKAGE  # noqa: E402
from optimist.runs.job import make_results  # noqa: E402


class Places(logging.Handler):
    """Keeps where the last error that was logged came from, in a file that is not of the package.

    Attributes
    ----------
    last : str
        Such as ``mine.py, line 12``; empty if there was none.
    """

    last = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Look at the traceback of an error."""
        frames = traceback.extract_tb(record.exc_info[2]) if record.exc_info else []
        outside = [f for f in frames if PACKAGE not in Path(f.filename).parents]
        self.last = (
            f"{Path(outside[-1].filename).name}, line {outside[-1].lineno}" if outside else ""
        )


PLACES = Places(logging.ERROR)


def answer(request: dict[str, object]) -> dict[str, object]:
    """Play the trials of a request; return what is answered."""
    start = time.process_time()
    try:
        make_results(
            [request["trials"]],  # type: ignore[list-item]
            [str(request["output"])],
            str(request["data"]),
            str(request["kept"]),
            provenance.collect,
        )
    except OptimistError as error:
        return {"error": str(error)}
    except OSError as error:
        return {"error": f"{error.filename or 'system'}: {error.strerror or error}"}
    except Exception as error:
        words = " ".join(str(error).split())
        place = f" ({PLACES.last})" if PLACES.last else ""
        notes = " ".join(getattr(error, "__notes__", []))
        return {"error": f"{type(error).__name__}: {words}{place} {notes}".strip()}
    return {"seconds": time.process_time() - start}


def main() -> None:
    """Answer until there are no more requests."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what an algorithm prints is no answer
    logging.getLogger().addHandler(PLACES)  # errors are answers, and are not printed too
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
