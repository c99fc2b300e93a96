"""Metrics of regret: ratios, differences and growth, over the trials that count.

Two algorithms in one setting meet the same random numbers, so their trials are pairs. Regret over
that of uniform play is a ratio whose denominator is the uniform player.
"""

from collections.abc import Sequence

import numpy as np

from optimist.claims.cells import Cells, Measurement, Missing, worded
from optimist.claims.inference import (
    EXPONENT_UNITS,
    JACKKNIFE_UNITS,
    RATIO_UNITS,
    SPLITS,
    Exponent,
    Mean,
    MedianRatio,
    RatioOfMeans,
    Share,
    jackknife_values,
    median_of,
    ratio_of_ratios,
    slope_of_means,
    splits_mean,
    spread_ratio,
)
from optimist.claims.metrics.joined import (
    Points,
    by_split,
    by_trial,
    common,
    factor_between,
    positions,
    two,
)
from optimist.claims.units import fewest_pairs
from optimist.errors import ConfigError
from optimist.label import name_of

# Ratios and differences within a setting.


@worded("regret of {numerator} / {denominator}, {setting}", RATIO_UNITS, gate="bound")
def regret_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of mean final regrets over common trials."""
    return cells.measured(RatioOfMeans(*_pairs(cells, setting, numerator, denominator)))


@worded("median of regret of {numerator} / {denominator}, {setting}", fewest_pairs, gate="bound")
def median_regret_ratio(
    cells: Cells, *, setting: str, numerator: str, denominator: str
) -> Measurement:
    """Median over common trials of the ratio of final regrets: the typical trial."""
    return cells.measured(MedianRatio(*_pairs(cells, setting, numerator, denominator)))


@worded("median regret of {algorithm}, {setting}", fewest_pairs, gate="growth")
def median_regret(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Median final regret of one algorithm."""
    (regrets,) = _finals(cells, (setting, algorithm))
    return cells.measured(median_of(regrets.to_numpy()))


@worded(
    "regret of {numerator} / {denominator}, each at its best of {settings}",
    RATIO_UNITS,
    gate="tuned",
)
def tuned_regret_ratio(
    cells: Cells, *, settings: Sequence[str], numerator: str, denominator: str, tuning: int
) -> Measurement:
    """Ratio of mean final regrets where each algorithm has the best of several settings.

    The best is that of the smallest mean over the first ``tuning`` trials; the ratio is over the
    others. The settings must share their random numbers.
    """
    if len(set(map(name_of, settings))) > 1:
        raise ConfigError(f"settings of a tuning are {', '.join(settings)}; allowed: of one name")
    sides = []
    for algorithm, series in _of_two(cells, numerator, denominator, settings, also=tuning):
        means = np.array([one[one.index < tuning].mean() for one in series])
        if np.isnan(means).all():
            raise Missing([f"trial of {algorithm} to tune with"])
        best = series[int(np.nanargmin(means))]
        sides.append(best[best.index >= tuning])
    return cells.measured(RatioOfMeans(*common(sides)))


@worded(
    "regret of {numerator} / {denominator} after round {since}, {setting}",
    RATIO_UNITS,
    gate="bound",
)
def regret_ratio_since(
    cells: Cells, *, setting: str, numerator: str, denominator: str, since: int
) -> Measurement:
    """Ratio of mean regrets after some round over common trials."""
    frames = cells.complete("regrets", "regret", (setting, numerator), (setting, denominator))
    return cells.measured(RatioOfMeans(*common([_since(rows, since) for rows in frames])))


@worded(
    "spread of the regret of {numerator} / {denominator}, {setting}", RATIO_UNITS, gate="growth"
)
def regret_spread_ratio(
    cells: Cells, *, setting: str, numerator: str, denominator: str
) -> Measurement:
    """Ratio of the mean distances of final regrets from their medians, over common trials."""
    return cells.measured(spread_ratio(*_pairs(cells, setting, numerator, denominator)))


# Repeated cross-validation.


@worded(
    "regret of {one} minus that of {other}, per round after {since} up to {rounds}, over splits, "
    "{setting}",
    SPLITS,
    "splits",
    gate="growth",
)
def split_difference(
    cells: Cells,
    *,
    setting: str,
    one: str,
    other: str,
    since: int,
    rounds: int,
    folds: int,
    repeats: int,
) -> Measurement:
    """Mean difference of regrets per round between two rounds, over splits of the data.

    Trial i plays split i modulo ``folds`` times ``repeats``; trials of one split are averaged.
    ``since`` 0 counts from the first round.
    """
    tops, bottoms = _between(cells, setting, (one, other), since, rounds)
    differences = by_split(tops - bottoms, folds * repeats)
    return cells.measured(splits_mean(differences.to_numpy(), folds))


@worded(
    "regret of {algorithm} / its regret midway, over splits, {setting}",
    RATIO_UNITS,
    "splits",
    gate="growth",
)
def split_doubling(
    cells: Cells, *, algorithm: str, setting: str, folds: int, repeats: int
) -> Measurement:
    """`regret_doubling` over splits of the data, with the variance of `split_difference`."""
    (rows,) = cells.complete("finals", "regret_half", (setting, algorithm))
    end, middle = (
        by_split(by_trial(rows, column), folds * repeats).to_numpy()
        for column in ("regret", "regret_half")
    )
    method = "Fieller, corrected resampled t"
    return cells.measured(RatioOfMeans(end, middle, extra=1.0 / (folds - 1), method=method))


# Growth with the rounds of a trial.


@worded("regret of {algorithm} / its regret midway, {setting}", RATIO_UNITS, gate="growth")
def regret_doubling(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Growth of mean regret over the second half of the rounds: 2 if it is linear, 1 if it ends."""
    (rows,) = cells.complete("finals", "regret_half", (setting, algorithm))
    return cells.measured(RatioOfMeans(rows["regret"], rows["regret_half"]))


@worded(
    "regret of {algorithm} at round {rounds} / at round {since}, {setting}",
    RATIO_UNITS,
    gate="growth",
)
def regret_growth_within(
    cells: Cells, *, algorithm: str, setting: str, since: int, rounds: int
) -> Measurement:
    """Ratio of the mean regrets of the same trials at two rounds."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    ends = common([_until(rows, rounds), _until(rows, since)])
    return cells.measured(RatioOfMeans(*ends))


@worded(
    "exponent of the regret of {algorithm} in t from {since} to {rounds}, {setting}",
    EXPONENT_UNITS,
    gate="growth",
)
def regret_exponent_within(
    cells: Cells, *, algorithm: str, setting: str, since: int, rounds: int
) -> Measurement:
    """Exponent of mean regret in t, from its ratio at two rounds of the same trials.

    The rounds are the last recorded ones up to those that are named.
    """
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    ends = _recorded(rows, rounds), _recorded(rows, since)
    if not 0 < ends[1] < ends[0]:
        raise Missing([f"a recorded round after {since} and up to {rounds}, and one before"])
    late, early = common([_until(rows, end) for end in ends])
    ratio = RatioOfMeans(late, early, EXPONENT_UNITS)
    return cells.measured(Exponent(ratio, ends[0] / ends[1]))


@worded(
    "share of the regret of {algorithm} after round {since}, {setting}", RATIO_UNITS, gate="growth"
)
def late_regret(cells: Cells, *, algorithm: str, setting: str, since: int) -> Measurement:
    """Regret after some round over all of it: 0 if it ends there."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    sides = _since(rows, since), _until(rows, int(rows["round"].max()))
    return cells.measured(RatioOfMeans(*common(sides)))


@worded(
    "regret of {algorithm} per round after round {since}, {setting}", RATIO_UNITS, gate="growth"
)
def late_rate(cells: Cells, *, algorithm: str, setting: str, since: int) -> Measurement:
    """Mean regret of the rounds after some round: the simple regret of one drawn from them."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    late = _since(rows, since) / (rows["round"].max() - _recorded(rows, since))
    return cells.measured(Mean(late.to_numpy()))


# Several settings.


@worded("regret of {algorithm}, {setting} / {base}", RATIO_UNITS, gate="growth")
def regret_growth(cells: Cells, *, algorithm: str, setting: str, base: str) -> Measurement:
    """Ratio of mean final regrets of one algorithm in two settings."""
    sides = _finals(cells, (setting, algorithm), (base, algorithm))
    return cells.measured(RatioOfMeans(*common(sides)))


@worded("regret of {numerator}, {setting} / {denominator}, {base}", RATIO_UNITS, gate="growth")
def regret_ratio_across(
    cells: Cells, *, numerator: str, setting: str, denominator: str, base: str
) -> Measurement:
    """Ratio of mean final regrets of two algorithms, each in its own setting."""
    sides = _finals(cells, (setting, numerator), (base, denominator))
    return cells.measured(RatioOfMeans(*common(sides)))


@worded(
    "regret of {numerator} / {denominator}, {setting} relative to {base}",
    JACKKNIFE_UNITS,
    gate="growth",
)
def regret_ratio_growth(
    cells: Cells, *, numerator: str, denominator: str, setting: str, base: str
) -> Measurement:
    """How much the ratio of two algorithms' regrets grows from one setting to another."""
    cases = [(s, a) for s in (setting, base) for a in (numerator, denominator)]
    return cells.measured(ratio_of_ratios(*common(_finals(cells, *cases))))


@worded(
    "gap of regret ({worse} - {better}) / {scale}, {setting} minus {base}",
    JACKKNIFE_UNITS,
    gate="growth",
)
def regret_gap_difference(
    cells: Cells, *, worse: str, better: str, scale: str, setting: str, base: str
) -> Measurement:
    """Difference between two settings of a gap of mean regrets, in units of a third one's.

    The gap is absolute, unlike that in `regret_ratio_growth`; by the jackknife over common trials.
    """
    cases = [(s, a) for s in (setting, base) for a in (worse, better, scale)]

    def difference(means):
        return (means[0] - means[1]) / means[2] - (means[3] - means[4]) / means[5]

    values = jackknife_values(difference, common(_finals(cells, *cases)))
    return cells.measured(Mean(values, JACKKNIFE_UNITS, "t, jackknife"))


@worded("exponent of the mean regret of {algorithm}, {settings}", EXPONENT_UNITS, gate="growth")
def regret_exponent(
    cells: Cells, *, algorithm: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Exponent of mean final regret between two settings; for ``points`` see `positions`."""
    frames = _final_rows(cells, algorithm, two(settings))
    first, last = common([by_trial(rows, "regret") for rows in frames])
    ratio = RatioOfMeans(last, first, EXPONENT_UNITS)
    factor = factor_between(positions(cells, points, settings, frames))
    return cells.measured(Exponent(ratio, factor))


@worded("exponent of the median regret of {algorithm}, {settings}", fewest_pairs, gate="growth")
def median_regret_exponent(
    cells: Cells, *, algorithm: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Exponent of final regret between two settings in the typical pair of trials."""
    frames = _final_rows(cells, algorithm, two(settings))
    ratio = MedianRatio(*common([by_trial(rows, "regret") for rows in frames[::-1]]))
    factor = factor_between(positions(cells, points, settings, frames))
    return cells.measured(Exponent(ratio, factor))


@worded("log-log slope of the regret of {algorithm} over {settings}", RATIO_UNITS, gate="growth")
def regret_slope(
    cells: Cells, *, algorithm: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Log-log slope of mean final regret over settings.

    Trial i of all settings is one unit; it may be one instance throughout or one of each setting.
    """
    frames = _final_rows(cells, algorithm, settings)
    values = common([by_trial(rows, "regret") for rows in frames])
    return cells.measured(slope_of_means(positions(cells, points, settings, frames), values))


@worded(
    "log-log slope of the regret of {algorithm} after {since} over {settings}",
    RATIO_UNITS,
    gate="growth",
)
def late_regret_slope(
    cells: Cells, *, algorithm: str, settings: Sequence[str], points: Points, since: Sequence[int]
) -> Measurement:
    """`regret_slope` of the regret after a round, which ``since`` has for each setting."""
    cases = ((setting, algorithm) for setting in settings)
    frames = cells.complete("regrets", "regret", *cases)
    late = [_since(rows, first) for rows, first in zip(frames, since, strict=True)]
    x = positions(cells, points, settings, frames)
    return cells.measured(slope_of_means(x, common(late)))


@worded(
    "log-log slope of the regret of {numerator} / {denominator} over {settings}",
    RATIO_UNITS,
    gate="growth",
)
def regret_ratio_slope(
    cells: Cells, *, numerator: str, denominator: str, settings: Sequence[str], points: Points
) -> Measurement:
    """Log-log slope over settings of the ratio of two mean final regrets.

    It is the difference of the two algorithms' slopes.
    """
    cases = [(s, a) for a in (numerator, denominator) for s in settings]
    frames = cells.complete("finals", "regret", *cases)
    tops, bottoms = np.split(common([by_trial(rows, "regret") for rows in frames]), 2)
    x = positions(cells, points, settings, frames[: len(settings)])
    return cells.measured(slope_of_means(x, tops, bottoms))


@worded(
    "settings in which the regret of {numerator} / {denominator} is below {bound}, {settings}",
    gate="growth",
)
def share_of_settings(
    cells: Cells, *, numerator: str, denominator: str, settings: Sequence[str], bound: float
) -> Measurement:
    """Share of settings (instances) in which the ratio of mean final regrets is below a bound."""
    (_, tops), (_, bottoms) = _of_two(cells, numerator, denominator, settings)
    ratios = [RatioOfMeans(*common(pair)).value for pair in zip(tops, bottoms, strict=True)]
    return cells.measured(Share(sum(ratio < bound for ratio in ratios), len(ratios)))


# What they are made of.


def _final_rows(cells, algorithm, settings):
    return cells.complete("finals", "regret", *((setting, algorithm) for setting in settings))


def _finals(cells, *pairs, also=0):
    """Return the final regrets of cells by trial."""
    frames = cells.complete("finals", "regret", *pairs, also=also)
    return [by_trial(rows, "regret") for rows in frames]


def _of_two(cells, numerator, denominator, settings, also=0):
    """Return two algorithms, each with its final regrets by trial in several settings."""
    cases = [(s, a) for a in (numerator, denominator) for s in settings]
    found = _finals(cells, *cases, also=also)
    return (numerator, found[: len(settings)]), (denominator, found[len(settings) :])


def _pairs(cells, setting, *algorithms):
    """Return the final regrets of algorithms over the trials that all completed."""
    return common(_finals(cells, *((setting, algorithm) for algorithm in algorithms)))


def _recorded(rows, rounds):
    """Return the last recorded round that is at most ``rounds``, 0 if none is."""
    early = rows["round"][rows["round"] <= rounds]
    return int(early.max()) if len(early) else 0


def _until(rows, rounds):
    """Return the regret of each trial up to its last recorded round that is at most ``rounds``."""
    if rows["round"].max() < rounds:
        raise Missing([f"round {rounds} in trials of {rows['round'].max()} rounds"])
    early = rows[rows["round"] <= rounds].sort_values("round")
    return early.groupby("trial")["regret"].last()


def _since(rows, since):
    """Return the regret of each trial after round ``since``, at least one round."""
    total = _until(rows, max(since + 1, int(rows["round"].max())))
    return total - _until(rows, since) if since else total


def _between(cells, setting, algorithms, since, rounds):
    """Return the regret per round between two rounds, by trial, for each algorithm."""
    if not 0 <= since < rounds:
        raise ConfigError(f"since is {since}; allowed: at least 0 and below rounds, {rounds}")
    sides = []
    for rows in cells.complete("regrets", "regret", *((setting, a) for a in algorithms)):
        early = _until(rows, since) if since else 0.0
        played = _recorded(rows, rounds) - (_recorded(rows, since) if since else 0)
        if not played:
            raise Missing([f"a recorded round after {since} and up to {rounds}"])
        sides.append((_until(rows, rounds) - early) / played)
    return sides
