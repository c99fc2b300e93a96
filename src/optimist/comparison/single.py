"""Play trials of one cell outside the workflow, for `optimist run`."""

import re
import sys
from collections.abc import Callable, Sequence

from optimist.comparison.prepared_data import prepared
from optimist.config.load import load_paper, using, with_file
from optimist.config.select import setting
from optimist.core import blas_kernels, terminal
from optimist.core.errors import ConfigError, OptimistError, ResultError, UnwritableError
from optimist.core.layout import check_length
from optimist.core.user_errors import in_one_line, of_system
from optimist.experiments.cell import Cell
from optimist.experiments.loop import Trajectory
from optimist.experiments.trials import Trials, run


def play(
    tell: Callable[[dict[str, object]], None],
    *,
    cell: str,
    first: int,
    stop: int,
    rounds: int | None = None,
    overlays: Sequence[str] = (),
    debug: bool = False,
) -> None:
    """Play trials first, ..., stop - 1 of a cell, and report each when it ends.

    Parameters
    ----------
    tell : callable
        Called with a dictionary that contains ``trial``, ``status``, ``place`` and the last value
        of each column. ``place`` is the line of the class at which a numerical error occurred, or
        "" if none occurred.
    cell : str
        ``PAPER/SETTING/ALGORITHM``, or ``world.py:World/ALGORITHM``.
    first, stop : int
    rounds : int or None
        Number of rounds after which each trial stops; None for the whole horizon.
    overlays : sequence of str
        Files that define further settings and algorithms.
    debug : bool
        Whether to raise a class's errors unchanged, and to print the traceback of a numerical
        error, which ends only its own trial.

    Raises
    ------
    ConfigError
        If a name or an option is unknown.
    ResultError
        If a class raises an error; the message names the trial.
    """
    blas_kernels.verify()
    terminal.show_log()
    with using(*overlays):
        asked = _parsed(cell)
    check_length(asked.paper, *asked.labels)
    data_dir = prepared(asked.setting.dataset) if asked.setting.dataset else None
    trial = first

    def progress(ended: int, trajectory: Trajectory) -> None:
        nonlocal trial
        trial = ended + 1
        last = {name: values[-1] for name, values in trajectory.columns.items()}
        error = trajectory.error or {"place": "", "traceback": ""}
        if debug and error["traceback"]:
            sys.stderr.write(f"trial {ended}:\n{error['traceback']}\n")
        tell({"trial": ended, "status": trajectory.status, "place": error["place"], **last})

    try:
        run(Trials("regret", asked, first, stop, rounds=rounds), data_dir, progress)
    except BaseException as error:
        if of_system(error) or isinstance(error, UnwritableError | KeyboardInterrupt):
            raise
        more = "" if debug else "; the same command after `optimist --debug` shows the traceback"
        words = str(error) if isinstance(error, OptimistError) else f"{in_one_line(error)}{more}"
        raise ResultError(f"{asked.name}, trial {trial}: {words}") from (error if debug else None)


def _parsed(text: str) -> Cell:
    in_file = re.fullmatch(r"([^:\[\]]+\.py:\w+(?:\[[^\]]*\])?)/(.+)", text)
    if in_file:
        return Cell.of(setting(in_file[1]), with_file(in_file[2]))
    parts = text.split("/", 2)
    if len(parts) != 3:
        raise ConfigError(
            f"cell is {text!r}; allowed: PAPER/SETTING/ALGORITHM, or world.py:World/ALGORITHM"
        )
    return load_paper(parts[0]).cell(parts[1], with_file(parts[2]))
