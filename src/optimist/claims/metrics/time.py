"""Metrics of the timing lane: medians over trials, with the range that single trials allow."""

import math
from collections.abc import Sequence

import numpy as np

from optimist.claims.cells import Cells, Measurement, worded
from optimist.statistics import log_log_slope, rate_slope

RANGE = "range over trials"


@worded("seconds of {algorithm}, {setting}")
def time_total(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Seconds of select and update over a whole trial, median over trials."""
    (totals,) = _totals(cells, (setting, algorithm))
    return _over_trials(_spread(totals), len(totals))


@worded("time of {numerator} / {denominator}, {setting}")
def time_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of the median times of two algorithms."""
    return _ratio_of_times(*_totals(cells, (setting, numerator), (setting, denominator)))


@worded("time of {numerator} / {denominator} up to round {rounds}, {setting}")
def time_ratio_until(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int
) -> Measurement:
    """Ratio of the median times of two algorithms up to some round."""
    return _ratio_of_times(*_times_until(cells, rounds, setting, numerator, denominator))


@worded("time of {numerator} / {denominator}, up to round {rounds} relative to {since}, {setting}")
def time_ratio_growth(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int, since: int
) -> Measurement:
    """How much the ratio of the times of two algorithms grows between two rounds of a trial."""
    late = _ratio_of_times(*_times_until(cells, rounds, setting, numerator, denominator))
    early = _ratio_of_times(*_times_until(cells, since, setting, numerator, denominator))
    ends = late.low / early.high, late.value / early.value, late.high / early.low
    return _over_trials(ends, late.trials)


@worded("time of {algorithm}, {setting} / {base}")
def time_growth(cells: Cells, *, algorithm: str, setting: str, base: str) -> Measurement:
    """Ratio of the median times of one algorithm in two settings."""
    return _ratio_of_times(*_totals(cells, (setting, algorithm), (base, algorithm)))


@worded("log-log slope of the time of {algorithm} against T, {settings}")
def time_exponent(cells: Cells, *, algorithm: str, settings: Sequence[str]) -> Measurement:
    """Growth of the median time of a trial over settings that differ in their horizon."""
    frames = cells.complete("times", "seconds", *((s, algorithm) for s in settings))
    last = [frame.sort_values("round").groupby("trial").last() for frame in frames]
    horizons = [int(frame["round"].max()) for frame in last]
    seconds = [float(frame["seconds"].median()) for frame in last]
    slope = log_log_slope(horizons, seconds, cells.level)
    return Measurement(*slope, min(map(len, last)), cells.kind("least squares"))


@worded("longest / shortest time of {algorithm} over {settings}")
def time_flat_over_settings(
    cells: Cells, *, algorithm: str, settings: Sequence[str]
) -> Measurement:
    """Largest over smallest median time; the range is what single trials allow."""
    totals = _totals(cells, *((s, algorithm) for s in settings))
    lows, medians, highs = np.transpose([_spread(t) for t in totals])
    low = max(1.0, lows.max() / highs.min())
    ratios = low, medians.max() / medians.min(), highs.max() / lows.min()
    return _over_trials(ratios, min(map(len, totals)))


@worded("time in the last / first third of the rounds of {algorithm}, {setting}")
def time_flat_over_rounds(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Growth of the time per round within a trial, median over trials."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    trials = rows.sort_values("round").groupby("trial")
    ratios = [_last_to_first_third(trial) for _, trial in trials]
    return _over_trials(_spread(ratios), len(ratios))


@worded("log-log slope of the time per round of {algorithm} against t, {setting}")
def time_slope(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Slope over the last decade of rounds, see `optimist.statistics.rate_slope`."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    totals = rows.pivot(index="trial", columns="round", values="seconds").dropna(axis=1)
    slope = rate_slope(totals.columns, totals, cells.level)
    return Measurement(*slope, len(totals), cells.kind("least squares"))


def _totals(cells, *pairs):
    """Return the seconds of every complete trial, one array per (setting, algorithm)."""
    frames = cells.complete("times", "seconds", *pairs)
    return [frame.groupby("trial")["seconds"].max().to_numpy() for frame in frames]


def _times_until(cells, rounds, setting, *algorithms):
    """Return the seconds of every complete trial up to a round, one array per algorithm."""
    frames = cells.complete("times", "seconds", *((setting, a) for a in algorithms))
    return [
        np.array(
            [
                np.interp(rounds, trial["round"], trial["seconds"])
                for _, trial in frame.sort_values("round").groupby("trial")
            ]
        )
        for frame in frames
    ]


def _spread(values):
    """Return smallest, median and largest value (3,)."""
    return np.array([np.min(values), np.median(values), np.max(values)])


def _over_trials(spread, trials):
    low, value, high = map(float, spread)
    return Measurement(value, low, high, trials, RANGE)


def _ratio_of_times(top, bottom):
    return _over_trials(_spread(top) / _spread(bottom)[::-1], min(len(top), len(bottom)))


def _last_to_first_third(trial):
    """Return the time in the last third of the rounds over that in the first.

    Time up to the first recorded round, which warms caches, is left out.
    """
    rounds, seconds = trial["round"].to_numpy(), trial["seconds"].to_numpy()
    first, _, last = np.diff(np.interp(np.linspace(rounds[0], rounds[-1], 4), rounds, seconds))
    return float(last / first) if first > 0 else math.nan
