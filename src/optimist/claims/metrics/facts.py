"""Metrics of tables beside the runs: facts, and the cost of the parts of an update."""

import math

from optimist.claims.cells import Cells, Measurement, worded
from optimist.statistics import log_log_slope


@worded("{name}, {setting}")
def fact(cells: Cells, *, name: str, setting: str) -> Measurement:
    """A value of the table of facts."""
    (found,) = cells.pick("facts", (name, setting))
    return Measurement(found.value, trials=found.trials)


@worded("{name} of {numerator} / {denominator}")
def fact_ratio(cells: Cells, *, name: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of one fact of two settings (or algorithms, if the fact is about those)."""
    top, bottom = cells.pick("facts", (name, numerator), (name, denominator))
    ratio = top.value / bottom.value if bottom.value else math.nan
    return Measurement(ratio, trials=min(filter(None, (top.trials, bottom.trials)), default=None))


@worded("log-log slope of the time of the {part} part against d, d >= {smallest}")
def scaling_slope(cells: Cells, *, part: str, smallest: int) -> Measurement:
    """Growth of a part of the update with the dimension, from dimension ``smallest`` on."""
    rows = cells.rows("scaling", part=part)
    rows = rows[rows["dimension"] >= smallest]
    slope = log_log_slope(rows["dimension"], rows["seconds"], cells.level)
    return Measurement(*slope, interval=cells.kind("least squares"))
