"""A process that plays trials for another one: a request a line on its input, an answer a line.

A request is JSON with ``trials`` (`optimist.runs.trials.Trials.describe`), ``output``, the result
file to write, and the folder ``data``. For a class of the other process it has ``added`` too: its
domain and name, the class as cloudpickle writes it, and the paths where that process looks for
modules. The answer is JSON with ``seconds``
of this process, or with ``error`` and its ``kind``: ``contract`` if an algorithm broke it,
``environment`` if the environment did, ``ended`` if a class ended its process, ``system`` if it is
about files and their contents, and ``other``. Numbers are the workflow's, whatever the other
process has loaded.
"""

import base64
import json
import logging
import os
import signal
import sys
from typing import Any

from optimist import arithmetic

if __name__ == "__main__":
    arithmetic.fix()

from optimist.algorithms import REGISTRIES
from optimist.blame import in_one_line, of_system
from optimist.comparison.warm import WarmUp
from optimist.errors import BrokenEnvironmentError, ConfigError, EndedError, OptimistError
from optimist.records import provenance
from optimist.runs.job import make_result
from optimist.runs.limits import Meter
from optimist.runs.trials import Trials

_warm_up = WarmUp()


def answer(request: dict[str, Any]) -> dict[str, object]:
    """Play the trials of a request; return what is answered."""
    if "added" in request:
        _add(request["added"])
    described: dict[str, object] = request["trials"]
    trials, output = Trials.restore(described), str(request["output"])
    where = f"{trials.cell.name}, trial {trials.first}"
    try:
        _warm_up.play(trials, str(request["data"]))
        with Meter() as meter:
            make_result(
                {**described, "digest": ""}, output, str(request["data"]), provenance.collect
            )
    except BrokenEnvironmentError as error:
        where = f"{trials.cell.paper}/{trials.cell.setting}, trial {trials.first}"
        return {"error": f"{where}: {error}", "kind": "environment"}
    except ConfigError as error:
        return {"error": f"{where}: {error}", "kind": "contract"}
    except EndedError as error:
        return {"error": f"{where}: {error}", "kind": "ended"}
    except OptimistError as error:
        return {"error": f"{where}: {error}", "kind": "system"}
    except (Exception, SystemExit) as error:
        if words := of_system(error):
            return {"error": words, "kind": "system"}
        return {"error": f"{where}: {in_one_line(error)}", "kind": "other"}
    return {"seconds": meter.cpu_seconds}


def _add(added: dict[str, Any]) -> None:
    """Make the class of the other process known here, for copies of this one to load."""
    sys.path.extend(path for path in added["paths"] if path not in sys.path)
    REGISTRIES[added["domain"]].added[added["name"]] = base64.b64decode(added["class"])


def main() -> None:
    """Answer until the requests end; the process that asks decides on an interruption."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # An algorithm that prints or reads must not meet requests and answers.
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    logging.getLogger().addHandler(logging.NullHandler())  # errors are answers, not printed too
    fault = _fault()
    for line in requests:
        answers.write(json.dumps(fault or answer(json.loads(line))) + "\n")
        answers.flush()


def _fault() -> dict[str, object] | None:
    """Return the answer to all requests where this process computes wrongly."""
    try:
        arithmetic.verify()
    except OptimistError as error:
        return {"error": str(error), "kind": "system"}
    return None


if __name__ == "__main__":
    main()
