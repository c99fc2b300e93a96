"""Metrics of what trials record beside regret and time: counters, coverage and state."""

from collections.abc import Sequence

import numpy as np

from optimist.claims.cells import Cells, Measurement, worded
from optimist.claims.inference import (
    RATIO_UNITS,
    TURNS,
    Exact,
    RatioOfMeans,
    Share,
    mean_difference,
    slope,
    turns_ratio,
)
from optimist.claims.metrics.joined import (
    Points,
    by_trial,
    common,
    positions,
)
from optimist.claims.tails import log
from optimist.statistics import last_decade_slope

# Counters at the end of a trial.


@worded("{column} of {algorithm} per round, {setting}", RATIO_UNITS)
def share_of_rounds(cells: Cells, *, algorithm: str, setting: str, column: str) -> Measurement:
    """Mean over trials of a counter at the end, divided by the number of rounds."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    return cells.measured(RatioOfMeans(rows[column], rows["round"]))


@worded("{column} of {algorithm}, {setting} / {base}", RATIO_UNITS)
def column_growth(
    cells: Cells, *, algorithm: str, column: str, setting: str, base: str
) -> Measurement:
    """Ratio of the means of a column at the end of trials in two settings."""
    frames = cells.complete("finals", column, (setting, algorithm), (base, algorithm))
    return cells.measured(RatioOfMeans(*common([by_trial(rows, column) for rows in frames])))


@worded("curvature of log {column} of {algorithm} over {settings}", RATIO_UNITS)
def column_curvature(
    cells: Cells, *, algorithm: str, column: str, settings: Sequence[str]
) -> Measurement:
    """Mean over trials of the second difference of a column's logarithm over three settings.

    The settings are equally far apart; the column grows less than exponentially if it is below 0.
    """
    frames = cells.complete("finals", column, *((s, algorithm) for s in settings))
    first, second, third = log(common([by_trial(rows, column) for rows in frames]))
    return cells.measured(mean_difference(first + third, 2.0 * second))


@worded("largest {column} of {algorithm}, {setting}")
def largest(cells: Cells, *, algorithm: str, setting: str, column: str) -> Measurement:
    """Largest value over trials of a column at the end."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    return cells.measured(_largest(rows[column]))


@worded("largest {top} / {bottom} of {algorithm}, {setting}")
def largest_quotient(
    cells: Cells, *, algorithm: str, setting: str, top: str, bottom: str
) -> Measurement:
    """Largest quotient over trials of two columns at the end: distance over radius, say."""
    for column in (bottom, top):
        (rows,) = cells.complete("finals", column, (setting, algorithm))
    return cells.measured(_largest(rows[top].astype(float) / rows[bottom].astype(float)))


def _largest(values):
    """Return the largest value of the trials that have one."""
    return Exact(float(values.max()), int(values.notna().sum()), "largest of all trials")


@worded("trials of {algorithm} whose set held the truth in all rounds, {settings}")
def coverage(cells: Cells, *, algorithm: str, settings: Sequence[str]) -> Measurement:
    """Share of trials, pooled over settings, that never lost the true parameter.

    Settings of one name share their random numbers, so that their trials are not independent: pool
    only settings of different names.
    """
    frames = cells.complete("finals", "covered", *((s, algorithm) for s in settings))
    # What nobody recorded is no trial that was covered.
    covered = [bool(v == 1) for frame in frames for v in frame["covered"]]
    return cells.measured(Share(sum(covered), len(covered)))


# The state, recorded in the timing lane.


@worded("log-log slope of the state's bytes of {algorithm} against t, {setting}")
def state_slope(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Slope over the last decade of rounds of the largest trial's state."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("round")["state_bytes"].max()
    found = last_decade_slope(sizes.index, sizes)[0]
    return cells.measured(Exact(found, rows["trial"].nunique(), "largest of all trials"))


@worded("state's bytes of {algorithm}, largest / smallest over the rounds, {setting}")
def state_growth(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Largest over smallest state within a trial, largest over trials; 1 means constant."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("trial")["state_bytes"].agg(["max", "min"])
    found = float((sizes["max"] / sizes["min"]).max())
    return cells.measured(Exact(found, len(sizes), "largest of all trials"))


@worded("state's bytes of {numerator} / {denominator} at the end, {setting}", TURNS, "turns")
def state_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of the sizes of two algorithms' states at the end, by the logarithms of common trials.

    The trials need not have been timed in turns: sizes do not depend on the machine.
    """
    frames = cells.complete("times", "state_bytes", (setting, numerator), (setting, denominator))
    return cells.measured(turns_ratio(*common(list(map(_last_bytes, frames)))))


@worded("log-log slope of the state's bytes of {algorithm} over {settings}", TURNS, "turns")
def state_exponent(
    cells: Cells, *, algorithm: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Mean over trials of the log-log slope of the state's size at the end over settings."""
    frames = cells.complete("times", "state_bytes", *((s, algorithm) for s in settings))
    values = common(list(map(_last_bytes, frames))).T
    return cells.measured(slope(positions(cells, points, settings, frames), values, TURNS))


@worded(
    "log-log slope of the state's bytes on {against} of {algorithm} over {settings}", TURNS, "turns"
)
def state_slope_on(
    cells: Cells, *, algorithm: str, settings: Sequence[str], against: str
) -> Measurement:
    """Mean over trials of the log-log slope of the state's size on a column, both at the end."""
    frames = cells.complete("times", against, *((s, algorithm) for s in settings))
    ends = [rows.sort_values("round").groupby("trial")[against].last() for rows in frames]
    points, values = np.split(common([*ends, *map(_last_bytes, frames)]), 2)
    return cells.measured(slope(points.T, values.T, TURNS))


@worded("selections of {algorithm} that agree with the leader's, {setting}", TURNS, "turns")
def agreement(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Share of a probe's selections that agree with the algorithm whose history it follows."""
    (rows,) = cells.complete("times", "agreements", (setting, algorithm))
    last = rows.groupby("trial")[["agreements", "selections"]].max()
    return cells.measured(RatioOfMeans(last["agreements"], last["selections"], least=TURNS))


def _last_bytes(rows):
    return rows.sort_values("round").groupby("trial")["state_bytes"].last()
