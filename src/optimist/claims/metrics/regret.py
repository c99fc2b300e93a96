"""Metrics of regret: ratios, differences and growth, over the trials that count."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from optimist.claims.cells import Cells, Measurement, Missing, worded
from optimist.statistics import (
    bootstrap_slope,
    deviation_ratio_interval,
    mean_estimate,
    median_ratio_interval,
    quotient,
    ratio_estimate,
)

STATISTICS: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median}


def _joined(top, bottom):
    """Return the regrets, columns top and bottom, of the trials in both."""
    both = top.set_index("trial")["regret"].to_frame("top")
    both["bottom"] = bottom.set_index("trial")["regret"]
    both = both.dropna()
    if both.empty:
        raise Missing(["trial that both algorithms completed"])
    return both


def _paired(top, bottom):
    """Return the estimated ratio of mean regrets over the trials in both, and their number."""
    both = _joined(top, bottom)
    return ratio_estimate(both["top"], both["bottom"]), len(both)


@worded("regret of {numerator} / {denominator}, {setting}")
def regret_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of mean final regrets over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    return cells.sampled(*_paired(*cells.complete("finals", "regret", *pairs)))


@worded("median regret of {numerator} / {denominator}, {setting}")
def median_regret_ratio(
    cells: Cells, *, setting: str, numerator: str, denominator: str
) -> Measurement:
    """Ratio of median final regrets over common trials, by a bootstrap over them."""
    pairs = (setting, numerator), (setting, denominator)
    both = _joined(*cells.complete("finals", "regret", *pairs))
    ratio = median_ratio_interval(both["top"], both["bottom"], cells.level)
    return Measurement(*ratio, len(both), cells.kind("bootstrap"))


@worded("regret of {numerator} / {denominator}, each at its best of {settings}")
def tuned_regret_ratio(
    cells: Cells, *, settings: Sequence[str], numerator: str, denominator: str, tuning: int
) -> Measurement:
    """Ratio of mean final regrets where each algorithm has the best of several settings.

    The best is that of the smallest mean over the first ``tuning`` trials; the ratio is over the
    others. The settings must share their noise.
    """
    sides = []
    for algorithm in (numerator, denominator):
        frames = cells.complete("finals", "regret", *((s, algorithm) for s in settings))
        means = [frame.loc[frame["trial"] < tuning, "regret"].mean() for frame in frames]
        best = frames[int(np.nanargmin(means))]
        sides.append(best[best["trial"] >= tuning])
    return cells.sampled(*_paired(*sides))


@worded("regret of {numerator} / {denominator} up to round {rounds}, {setting}")
def regret_ratio_until(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int
) -> Measurement:
    """Ratio of mean regrets up to some round over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    frames = cells.complete("regrets", "regret", *pairs)
    until = [_regret_until(rows, rounds).reset_index() for rows in frames]
    return cells.sampled(*_paired(*until))


@worded("regret of {numerator} / {denominator} after round {since}, {setting}")
def regret_ratio_since(
    cells: Cells, *, setting: str, numerator: str, denominator: str, since: int
) -> Measurement:
    """Ratio of mean regrets after some round over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    late = [
        _regret_since(rows, since)[1].rename("regret").reset_index()
        for rows in cells.complete("regrets", "regret", *pairs)
    ]
    return cells.sampled(*_paired(*late))


@worded("regret of {numerator}, {setting} / {denominator}, {base}")
def regret_ratio_across(
    cells: Cells, *, numerator: str, setting: str, denominator: str, base: str
) -> Measurement:
    """Ratio of mean final regrets over common trials of two settings that share their noise."""
    return cells.sampled(
        *_paired(*cells.complete("finals", "regret", (setting, numerator), (base, denominator)))
    )


@worded("regret of {numerator} / {denominator}, {setting} relative to {base}")
def regret_ratio_growth(
    cells: Cells, *, numerator: str, denominator: str, setting: str, base: str
) -> Measurement:
    """How much the ratio of two algorithms' regrets grows from one setting to another."""
    pairs = [(s, a) for s in (setting, base) for a in (numerator, denominator)]
    frames = cells.complete("finals", "regret", *pairs)
    (there, n), (here, m) = _paired(*frames[:2]), _paired(*frames[2:])
    return cells.sampled(quotient(there, here), min(n, m))


@worded("regret of {algorithm}, {setting} / {base}")
def regret_growth(cells: Cells, *, algorithm: str, setting: str, base: str) -> Measurement:
    """Ratio of mean final regrets of one algorithm in two settings, whose trials are unrelated."""
    top, bottom = cells.complete("finals", "regret", (setting, algorithm), (base, algorithm))
    estimate = quotient(mean_estimate(top["regret"]), mean_estimate(bottom["regret"]))
    return cells.sampled(estimate, min(len(top), len(bottom)))


@worded("regret of {one} minus that of {other}, per round, {setting}")
def regret_difference(cells: Cells, *, setting: str, one: str, other: str) -> Measurement:
    """Difference of mean final regrets over common trials, divided by the number of rounds."""
    frames = cells.complete("finals", "regret", (setting, one), (setting, other))
    both = _joined(*frames)
    differences = (both["top"] - both["bottom"]) / frames[0]["round"].max()
    return cells.sampled(mean_estimate(differences), len(both))


@worded("standard deviation of the regret of {numerator} / {denominator}, {setting}")
def regret_spread_ratio(
    cells: Cells, *, setting: str, numerator: str, denominator: str
) -> Measurement:
    """Ratio of the standard deviations of final regrets, by a bootstrap over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    both = _joined(*cells.complete("finals", "regret", *pairs))
    ratio = deviation_ratio_interval(both["top"], both["bottom"], cells.level)
    return Measurement(*ratio, len(both), cells.kind("bootstrap"))


@worded("lower end of {worse} minus upper end of {better}, {setting}")
def interval_gap(cells: Cells, *, setting: str, worse: str, better: str) -> Measurement:
    """Distance between the intervals of two mean final regrets; negative if they overlap."""
    frames = cells.complete("finals", "regret", (setting, worse), (setting, better))
    top, bottom = (mean_estimate(f["regret"]).interval(cells.level) for f in frames)
    return Measurement(top[1] - bottom[2], trials=min(map(len, frames)))


@worded("regret of {algorithm} / its regret midway, {setting}")
def regret_doubling(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Growth of mean regret over the second half of the rounds: 2 if it is linear, 1 if it ends."""
    (frame,) = cells.complete("finals", "regret_half", (setting, algorithm))
    return cells.sampled(ratio_estimate(frame["regret"], frame["regret_half"]), len(frame))


@worded("share of the regret of {algorithm} after round {since}, {setting}")
def late_regret(cells: Cells, *, algorithm: str, setting: str, since: int) -> Measurement:
    """Regret after some round over all of it: 0 if it ends there."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    total, late = _regret_since(rows, since)
    return cells.sampled(ratio_estimate(late, total), len(total))


@worded("regret of {algorithm} per round after round {since}, {setting}")
def late_rate(cells: Cells, *, algorithm: str, setting: str, since: int) -> Measurement:
    """Mean regret of the rounds after some round: the simple regret of one drawn from them."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    _, late = _regret_since(rows, since)
    return cells.sampled(mean_estimate(late / (rows["round"].max() - since)), len(late))


@worded("log-log slope of the {statistic} regret of {algorithm} against T, {settings}")
def regret_exponent(
    cells: Cells, *, algorithm: str, settings: Sequence[str], statistic: str
) -> Measurement:
    """Growth of the mean or median final regret over settings that differ in their horizon."""
    frames = cells.complete("finals", "regret", *((s, algorithm) for s in settings))
    horizons = [frame["round"].max() for frame in frames]
    samples = [frame["regret"].to_numpy(float) for frame in frames]
    slope = bootstrap_slope(horizons, samples, STATISTICS[statistic], cells.level)
    return Measurement(*slope, min(map(len, frames)), cells.kind("bootstrap"))


def _regret_until(rows, rounds):
    """Return the regret of each trial up to its last recorded round that is at most ``rounds``."""
    if rows["round"].max() < rounds:
        raise Missing([f"round {rounds} in trials of {rows['round'].max()} rounds"])
    early = rows[rows["round"] <= rounds].sort_values("round")
    return early.groupby("trial")["regret"].last()


def _regret_since(rows, since):
    """Return the regret of each trial, and what of it came after round ``since``."""
    total = _regret_until(rows, max(since + 1, rows["round"].max()))
    return total, total - _regret_until(rows, since)
