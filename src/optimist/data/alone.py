"""A data set that is prepared for one cell, outside the workflow.

A process of its own prepares it: this one may have loaded a user's file, or numpy with other
kernels, and the table is kept for other cells.
"""

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

from optimist import arithmetic
from optimist.data.fetch import fetch
from optimist.data.prepare import preparation
from optimist.data.sources import default_data_dir
from optimist.errors import DataError, OptimistError
from optimist.files import fingerprint, sha256
from optimist.layout import Layout, dataset_in
from optimist.plan import config as configuration
from optimist.root import workspace
from optimist.runs import code_digest

logger = logging.getLogger("optimist")


def prepared(name: str) -> Path:
    """Return a folder with a data set as this code and configuration make it.

    It is not that of the workflow, which alone knows what its tables were made with.

    Raises
    ------
    DataError
        If it cannot be fetched or prepared.
    """
    config, how = configuration.load_config(), preparation(name)
    options = how.select_options("write", config["datasets"].get(how.raw, {}))
    decisive = {
        "options": options,
        "code": code_digest.of_modules(how.module),
        "sources": sha256(default_data_dir() / "sources.csv"),
    }
    layout = Layout(config["results"], config["figures"])
    folder = workspace() / layout.data_alone(fingerprint(decisive))
    path = dataset_in(folder, name)
    if not path.exists():
        logger.info("preparing %s (once; it may take a minute)", path)
        _prepare_apart({"name": name, "data": config["data"], "options": options}, path)
    return folder


def _prepare_apart(request: dict[str, Any], path: Path) -> None:
    command = [sys.executable, "-P", "-m", "optimist.data.alone", json.dumps(request), str(path)]
    env = arithmetic.environment()
    done = subprocess.run(command, env=env, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise DataError(last or f"{path}: its preparation ended with status {done.returncode}")


def main(request: dict[str, Any], path: Path) -> None:
    """Fetch and prepare a data set; end with one line for an error."""
    arithmetic.verify()
    how = preparation(request["name"])
    try:
        frame, _ = fetch(how.raw, **request["data"])
        how.function("write")(frame, path, **request["options"])
    except OptimistError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    arithmetic.fix()
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
