"""One trial of a comparison, played in a process that `optimist.comparison.play` starts."""

import logging
import pickle
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optimist.algorithms import REGISTRIES
from optimist.core import blas_kernels
from optimist.experiments import results
from optimist.experiments.job import make_result
from optimist.experiments.limits import Meter
from optimist.experiments.play_trial import build
from optimist.experiments.trials import Player, Trials

if TYPE_CHECKING:
    import pyarrow as pa

_verified = cache(blas_kernels.verify)
_warm: set[str] = set()  # names of the cells that have been warmed up


def play(
    tell: Callable[[Any], None],
    *,
    trials: dict[str, Any],
    output: str,
    data: str,
    added: Mapping[str, Any] | None = None,
    is_isolated: bool | None = None,
) -> "tuple[float, pa.Table]":
    """Play a trial after an untimed warm-up, and return its time and rows.

    Parameters
    ----------
    tell : callable
        Not called.
    trials : dict
        Description of one trial, from `optimist.experiments.trials.Trials.describe`.
    output : str
        Path of the result file; "" to return the rows and write nothing.
    data : str
        Folder of the prepared data set, or "" if the cell needs none.
    added : dict or None
        For a class without a file: its ``domain`` and ``name``, the pickled ``class``, and the
        ``paths`` that the defining process searches for modules.
    is_isolated : bool or None
        See `optimist.experiments.trials.Player`.

    Returns
    -------
    seconds : float
        CPU time in seconds.
    rows : Table

    Raises
    ------
    Exception
        Any error raised by the class or the system.
    """
    logging.getLogger().addHandler(logging.NullHandler())  # errors are returned, not printed
    _verified()
    if added is not None:
        sys.path.extend(path for path in added["paths"] if path not in sys.path)
        # The class is unpickled where it plays, in a copy of this process.
        unpickle = cache(partial(pickle.loads, added["class"]))
        REGISTRIES[added["domain"]].added[added["name"]] = unpickle
    asked = Trials.restore(trials)
    player = Player(asked, data, is_isolated=is_isolated)
    if asked.cell.name not in _warm:
        _warm.add(asked.cell.name)
        with suppress(Exception, SystemExit):  # the trial will raise the error again
            player.warm_up()
            if not asked.cell.setting.is_foreign:
                build(asked.cell, asked.first, data)  # for its cache, which later forks share
    with Meter() as meter:
        if output:
            make_result({**trials, "digest": ""}, output, data, is_isolated=is_isolated)
        else:
            rows = results.to_table(asked.cell, {asked.first: player.play(asked.first)})
    return meter.cpu_seconds, results.read(Path(output)) if output else rows
