"""Metrics of the timing lane. A trial of it is a turn, in which cells are played one after another.

Ratios are of cells that were timed in turns together, turn by turn, so that drift of the machine
cancels; Student's t of their logarithms decides.
"""

from collections.abc import Sequence

import numpy as np

from optimist.claims.cells import Cells, Measurement, Missing, worded
from optimist.claims.inference import TURNS, slope, turns_mean, turns_ratio
from optimist.claims.metrics.joined import Points, common, positions, two
from optimist.claims.tails import log
from optimist.statistics import window_rates


@worded("seconds of {algorithm}, {setting}", TURNS, "turns")
def time_total(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Seconds of select and update over a whole trial, geometric mean over turns."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    return cells.measured(turns_mean(log(_total(rows).to_numpy())))


@worded("time of {numerator} / {denominator}, {setting}", TURNS, "turns")
def time_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of the times of two algorithms."""
    frames = _in_turns(cells, (setting, numerator), (setting, denominator))
    return cells.measured(turns_ratio(*common(list(map(_total, frames)))))


@worded(
    "time of {numerator} / {denominator}, up to round {rounds} relative to {since}, {setting}",
    TURNS,
    "turns",
)
def time_ratio_growth(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int, since: int
) -> Measurement:
    """How much the ratio of the times of two algorithms grows between two rounds of a trial."""
    frames = _in_turns(cells, (setting, numerator), (setting, denominator))
    ends = [_until(rows, end) for end in (rounds, since) for rows in frames]
    top, bottom, base_top, base_bottom = log(common(ends))
    return cells.measured(turns_mean((top - bottom) - (base_top - base_bottom)))


@worded("time in the last / first third of the rounds of {algorithm}, {setting}", TURNS, "turns")
def time_flat_over_rounds(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Growth of the time per round within a trial."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    trials = rows.sort_values("round").groupby("trial")
    return cells.measured(turns_mean(np.array([_thirds(trial) for _, trial in trials])))


@worded("log-log slope of the time per round of {algorithm} against t, {setting}", TURNS, "turns")
def time_slope(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Mean over turns of the slope in the last decade of rounds, see `window_rates`."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    return cells.measured(slope(*window_rates(*_by_round(rows)), least=TURNS))


@worded(
    "log-log slope of the time per round of {numerator} / {denominator} against t, {setting}",
    TURNS,
    "turns",
)
def time_slope_difference(
    cells: Cells, *, numerator: str, denominator: str, setting: str
) -> Measurement:
    """Mean over turns of the difference of two algorithms' slopes, see `time_slope`.

    The numerator's time grows faster if it is above 0.
    """
    frames = _in_turns(cells, (setting, numerator), (setting, denominator))
    (rounds, tops), (others, bottoms) = map(_by_round, frames)
    turns = tops.index.intersection(bottoms.index)
    middles, top = window_rates(rounds, tops.loc[turns])
    _, bottom = window_rates(others, bottoms.loc[turns])
    with np.errstate(divide="ignore", invalid="ignore"):
        return cells.measured(slope(middles, top / bottom, least=TURNS))


# Several settings.


@worded("time of {algorithm}, {setting} / {base}", TURNS, "turns")
def time_growth(cells: Cells, *, algorithm: str, setting: str, base: str) -> Measurement:
    """Ratio of the times of one algorithm in two settings."""
    frames = _in_turns(cells, (setting, algorithm), (base, algorithm))
    return cells.measured(turns_ratio(*common(list(map(_total, frames)))))


@worded("time of {algorithm}, first / second of {settings}", TURNS, "turns")
def time_ratio_of_pair(cells: Cells, *, algorithm: str, settings: Sequence[str]) -> Measurement:
    """Ratio of the times of one algorithm in a pair of settings.

    That the longest time over settings is at most b times the shortest says that the ratio of every
    pair is within [1/b, b]: ``each: {settings: [[r, s], [r, t], [s, t]]}``, relation between, one
    check for each pair.
    """
    setting, base = two(settings)
    return time_growth(cells, algorithm=algorithm, setting=setting, base=base)


@worded("log-log slope of the time of {algorithm} over {settings}", TURNS, "turns")
def time_exponent(
    cells: Cells, *, algorithm: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Mean over turns of the slope of the time over settings; for ``points`` see `positions`.

    Of two settings it is the exponent between them.
    """
    frames = _in_turns(cells, *((setting, algorithm) for setting in settings))
    seconds = common(list(map(_total, frames))).T
    return cells.measured(slope(positions(cells, points, settings, frames), seconds, TURNS))


@worded("log-log slope of the time of {numerator} / {denominator} over {settings}", TURNS, "turns")
def time_ratio_exponent(
    cells: Cells, *, numerator: str, denominator: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Mean over turns of the slope over settings of the ratio of the times of two algorithms.

    It is the difference of the two algorithms' slopes.
    """
    cases = [(s, a) for a in (numerator, denominator) for s in settings]
    frames = _in_turns(cells, *cases)
    tops, bottoms = np.split(common(list(map(_total, frames))), 2)
    x = positions(cells, points, settings, frames[: len(settings)])
    with np.errstate(divide="ignore", invalid="ignore"):
        return cells.measured(slope(x, (tops / bottoms).T, TURNS))


@worded("log-log slope of the time on {against} of {algorithm} over {settings}", TURNS, "turns")
def time_slope_on(
    cells: Cells, *, algorithm: str, settings: Sequence[str], against: str
) -> Measurement:
    """Mean over turns of the slope over settings of the time on a column at the end of the turn."""
    frames = _in_turns(cells, *((s, algorithm) for s in settings), column=against)
    ends = [rows.sort_values("round").groupby("trial")[against].last() for rows in frames]
    points, values = np.split(common([*ends, *map(_total, frames)]), 2)
    return cells.measured(slope(points.T, values.T, TURNS))


# What they are made of.


def _in_turns(cells, *pairs, column="seconds"):
    """Return the complete rows of cells; raise Missing if their turns were not taken together."""
    frames = cells.complete("times", column, *pairs)
    groups = {one for rows in frames for one in _groups(rows)}
    if len(groups) > 1 or None in groups:
        names = ", ".join("/".join(pair) for pair in pairs)
        raise Missing([f"common turns of {names}: they were not timed in turns together"])
    return frames


def _groups(rows):
    """Return the groups whose turns some rows come from; None stands for none."""
    if "turns" not in rows:
        return [None]
    return rows["turns"].astype(object).where(rows["turns"].notna(), None).unique()


def _total(rows):
    """Return the seconds of each turn."""
    return rows.groupby("trial")["seconds"].max()


def _until(rows, rounds):
    """Return the seconds of each turn up to a round, between recorded ones by interpolation."""
    import pandas as pd

    if rows["round"].max() < rounds:
        raise Missing([f"round {rounds} in trials of {rows['round'].max()} rounds"])
    trials = rows.sort_values("round").groupby("trial")
    return pd.Series({i: np.interp(rounds, one["round"], one["seconds"]) for i, one in trials})


def _by_round(rows):
    """Return the recorded rounds, and the seconds up to each, a row for each turn."""
    totals = rows.pivot(index="trial", columns="round", values="seconds").dropna(axis=1)
    return totals.columns.to_numpy(float), totals


def _thirds(trial):
    """Return the logarithm of the time in the last third of the rounds over that in the first.

    Time up to the first recorded round, which warms caches, is left out.
    """
    rounds, seconds = trial["round"].to_numpy(), trial["seconds"].to_numpy()
    first, _, last = np.diff(np.interp(np.linspace(rounds[0], rounds[-1], 4), rounds, seconds))
    return log(last) - log(first)
