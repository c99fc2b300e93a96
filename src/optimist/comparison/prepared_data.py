"""Preparation of a data set for one cell, outside the workflow.

A separate process prepares the table, because other cells reuse it and the current process may have
loaded a user's file or other numpy kernels.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from optimist.config import load as configuration
from optimist.config.models import Data
from optimist.core import blas_kernels
from optimist.core.errors import DataError, EndedError
from optimist.core.executor import call
from optimist.core.layout import Layout, dataset_in
from optimist.core.root import workspace
from optimist.data.fetch import fetch
from optimist.data.prepare import preparation
from optimist.plan.data import digest_of

logger = logging.getLogger("optimist")


def prepared(name: str) -> Path:
    """Prepare a data set if the current code has not yet prepared it, and return its folder.

    The folder depends on the code, the preparation's options and the source. The workflow keeps a
    separate copy of the prepared table, because only the workflow tracks its inputs.

    Raises
    ------
    DataError
        If the data set cannot be fetched or prepared.
    """
    config, how = configuration.load_config(), preparation(name)
    configured: Any = config["datasets"].get(how.raw, {})
    options = how.select_options("write", configured)
    layout = Layout(config["results"], config["figures"])
    folder = workspace() / layout.data_alone(digest_of(name, config["datasets"]))
    path = dataset_in(folder, name)
    if not path.exists():
        logger.info("preparing %s (once; it may take a minute)", path)
        function = "optimist.comparison.prepared_data:prepare"
        try:
            call(function, name=name, data=config["data"], options=options, path=str(path))
        except EndedError as error:
            raise DataError(f"{path}: {error}") from None
    return folder


def prepare(
    tell: Callable[[Any], None],
    *,
    name: str,
    data: Data,
    options: Mapping[str, object],
    path: str,
) -> None:
    """Fetch and prepare a data set in this process.

    Parameters
    ----------
    tell : callable
        Not called.
    name : str
    data : dict
        Arguments of `optimist.data.fetch.fetch`.
    options : dict
        Options of the preparation.
    path : str
        Path of the file to write.

    Raises
    ------
    OptimistError
        If the data set cannot be fetched or prepared.
    """
    blas_kernels.verify()
    how = preparation(name)
    frame, _ = fetch(how.raw, **data)
    how.function("write")(frame, Path(path), **options)
