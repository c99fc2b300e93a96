"""A process that plays trials for another one: a request a line on its input, an answer a line.

A request is JSON with ``trials`` (`optimist.runs.trials.Trials.describe`), ``output``, the result
file to write, the folders ``data`` and ``kept``, and ``replaced``, a folder in which the result is
kept in place of an older one, or "". The answer is JSON with ``seconds`` of this
process, or with ``error`` and its ``kind``: ``contract`` if a class broke it, ``system`` if it is
about files and their contents, and ``other``. Numbers are the workflow's, whatever the other
process has loaded.
"""

import json
import logging
import signal
import sys
import time

from optimist import arithmetic

arithmetic.fix()

from optimist.blame import in_one_line, of_system  # noqa: E402
from optimist.comparison.warm import WarmUp  # noqa: E402
from optimist.errors import ConfigError, OptimistError  # noqa: E402
from optimist.records import provenance  # noqa: E402
from optimist.runs import results  # noqa: E402
from optimist.runs.job import make_results  # noqa: E402
from optimist.runs.trials import Trials  # noqa: E402

_warm_up = WarmUp()


def answer(request: dict[str, object]) -> dict[str, object]:
    """Play the trials of a request; return what is answered."""
    described: dict[str, object] = request["trials"]  # type: ignore[assignment]
    trials = Trials.restore(described)
    where = f"{trials.cell.name}, trial {trials.first}"
    try:
        _warm_up.play(trials, str(request["data"]))
        start = time.process_time()
        make_results(
            [described],
            [str(request["output"])],
            str(request["data"]),
            str(request["kept"]),
            provenance.collect,
        )
        if request["replaced"]:
            metadata = results.read_metadata(str(request["output"]))
            results.Store(str(request["replaced"]), metadata).keep(str(request["output"]))
    except ConfigError as error:
        return {"error": f"{where}: {error}", "kind": "contract"}
    except OptimistError as error:
        return {"error": f"{where}: {error}", "kind": "system"}
    except (Exception, SystemExit) as error:
        if words := of_system(error):
            return {"error": words, "kind": "system"}
        return {"error": f"{where}: {in_one_line(error)}", "kind": "other"}
    return {"seconds": time.process_time() - start}


def main() -> None:
    """Answer until there are no more requests; who asks decides on an interruption."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, sys.stdout = sys.stdout, sys.stderr  # what an algorithm prints is no answer
    logging.getLogger().addHandler(logging.NullHandler())  # errors are answers, not printed too
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
