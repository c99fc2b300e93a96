"""Metrics of tables beside the runs: facts, and the cost of the parts of an update."""

import math

from optimist.claims.cells import Cells, Measurement, Missing, worded
from optimist.claims.inference import TURNS, Exact, slope


@worded("{name}, {setting}")
def fact(cells: Cells, *, name: str, setting: str) -> Measurement:
    """A value of the table of facts."""
    (found,) = cells.pick("facts", (name, setting))
    return cells.measured(Exact(found.value, found.trials))


@worded("log-log slope of the time of the {part} part against d, d >= {smallest}", TURNS, "turns")
def scaling_slope(cells: Cells, *, part: str, smallest: int) -> Measurement:
    """Growth of a part of the update with the dimension, from dimension ``smallest`` on.

    Mean over the repetitions (column ``repetition``) of their slopes.
    """
    rows = cells.rows("scaling", part=part)
    if "repetition" not in rows:
        raise Missing([f"repetitions of {part} in scaling"])
    rows = rows[rows["dimension"] >= smallest]
    seconds = rows.pivot(index="repetition", columns="dimension", values="seconds").dropna()
    return cells.measured(slope(seconds.columns.to_numpy(float), seconds.to_numpy(), TURNS))


@worded(
    "log-log slope of the time of a pass of {algorithm} over its history, from round {smallest} "
    "on, {setting}",
    TURNS,
    "turns",
)
def pass_slope(cells: Cells, *, setting: str, algorithm: str, smallest: int) -> Measurement:
    """Growth of the time of one pass over a stored history with its length, mean over turns."""
    rows = cells.rows("passes", setting=setting, algorithm=algorithm)
    rows = rows[rows["length"] >= smallest]
    rows = rows.assign(pass_seconds=rows["seconds"] / rows["passes"])
    seconds = rows.pivot(index="repetition", columns="length", values="pass_seconds").dropna()
    return cells.measured(slope(seconds.columns.to_numpy(float), seconds.to_numpy(), TURNS))


@worded("{what}, not run as the tuning fails otherwise")
def not_run(cells: Cells, *, what: str) -> Measurement:
    """What was not run for a tuning that fails otherwise: it may fail, and cannot hold."""
    return cells.measured(Exact(math.nan, 0, f"{what} are not run"))
