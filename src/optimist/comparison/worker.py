"""A process that plays trials for another one: a request a line on its input, an answer a line.

A request is JSON with ``trials`` (`optimist.runs.trials.Trials.describe`), ``output``, the result
file to write, and the folders ``data`` and ``kept``. The answer is JSON with ``seconds`` of this
process, or with ``error``. Numbers are the workflow's, whatever the other process has loaded.
"""

import json
import sys
import time

from optimist import arithmetic

arithmetic.fix()

from optimist.errors import OptimistError  # noqa: E402
from optimist.records import provenance  # noqa: E402
from optimist.runs.job import make_results  # noqa: E402


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
        return {"error": f"{type(error).__name__}: {words} {' '.join(error.__notes__)}".strip()}
    return {"seconds": time.process_time() - start}


def main() -> None:
    """Answer until there are no more requests."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what an algorithm prints is no answer
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
