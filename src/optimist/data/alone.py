"""A data set that is prepared for one cell, outside the workflow."""

import logging
from pathlib import Path

from optimist.data.fetch import fetch
from optimist.data.prepare import preparation
from optimist.data.sources import default_data_dir
from optimist.files import fingerprint, sha256
from optimist.imports import closure
from optimist.layout import Layout, dataset_in
from optimist.plan import config as configuration
from optimist.root import workspace
from optimist.runs.sources import digest

logger = logging.getLogger("optimist")


def prepared(name: str) -> Path:
    """Return a folder with a data set as this code and configuration make it.

    It is not that of the workflow, which alone knows what its tables were made with.
    """
    config, how = configuration.load_config(), preparation(name)
    options = how.select_options("write", config["datasets"].get(how.raw, {}))
    decisive = {
        "options": options,
        "code": digest(tuple(sorted(closure(how.module)))),
        "sources": sha256(default_data_dir() / "sources.csv"),
    }
    layout = Layout(config["results"], config["figures"])
    folder = workspace() / layout.data_alone(fingerprint(decisive))
    path = dataset_in(folder, name)
    if not path.exists():
        logger.info("preparing %s (once; it may take a minute)", path)
        frame, _ = fetch(how.raw, **config["data"])
        how.function("write")(frame, path, **options)
    return folder
