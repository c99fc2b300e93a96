"""Statistics: evidence about one number from the values of trials or turns.

Means over trials are arithmetic; their ratios are tested by Student's t on y - b x. Means over
turns are geometric; they are tested by Student's t on logarithms. The table metrics.csv lists the
quantities and the arguments of each function.
"""

import math
from typing import Any

import numpy as np

from optimist.claims import inference
from optimist.claims.cells import Missing, common, last, recorded
from optimist.claims.evidence import (
    RATIO_UNITS,
    Evidence,
    Exact,
    Mean,
    MedianRatio,
    RatioOfMeans,
    Share,
)
from optimist.claims.inference import EXPONENT_UNITS, JACKKNIFE_UNITS, TURNS
from optimist.claims.metrics.quantities import Asked
from optimist.claims.tails import log
from optimist.numerics.statistics import last_decade_slope, log_log_slopes, window_rates

# A trial has found the maximum if less than this share of its regret comes later.
FOUND = 0.01

# Values and means.


def value(of: Asked) -> Exact:
    """A value from the table of facts."""
    (fact,) = of.cells.pick("facts", (of["name"], of["setting"]))
    return Exact(*fact)


def not_run(of: Asked) -> Exact:
    """A placeholder for a cell that was not run because its tuning fails in other checks.

    A reading that contains such a check can fail but cannot hold.
    """
    return Exact(math.nan, 0, f"{of['what']} are not run")


def mean(of: Asked) -> Evidence:
    """Mean of the final value over trials or turns."""
    (values,) = of.common()
    return inference.turns_mean(log(values)) if of.is_timed else Mean(values)


def median(of: Asked) -> Evidence:
    """Median of a value or of a ratio over common trials; it describes the typical trial."""
    top, *bottom = of.common()
    return MedianRatio(top, bottom[0] if bottom else np.ones(len(top)))


def largest(of: Asked) -> Exact:
    """Largest value over trials, taken at the end or, in a study, over all recorded rounds."""
    (rows,) = of.frames()
    values = rows[of.column]
    if "bottom" in of:
        (rows,) = of.frames(of["bottom"])
        values = values.astype(float) / rows[of["bottom"]].astype(float)
    return Exact(
        float(values.max()), rows["trial"][values.notna()].nunique(), "largest of all trials"
    )


# Shares and rates.


def rate(of: Asked) -> Evidence:
    """Mean of a counter's final value, divided by the number of rounds.

    For a probe, the statistic is the share of its selections that agree with the leader's.
    """
    (rows,) = of.frames()
    bottom, least = ("selections", TURNS) if of.is_timed else ("round", RATIO_UNITS)
    return RatioOfMeans(of.end(rows), of.end(rows, bottom), least)


def late_per_round(of: Asked) -> Evidence:
    """Mean regret per round after a given round.

    This is the expected simple regret of a round drawn at random from the later ones.
    """
    (rows,) = of.frames()
    played = rows["round"].max() - recorded(rows, of["since"])
    return Mean((of.after(rows, of["since"]) / played).to_numpy())


def late_share(of: Asked) -> Evidence:
    """Share of the total regret incurred after a given round."""
    (rows,) = of.frames()
    return RatioOfMeans(*common([of.after(rows, since) for since in (of["since"], 0)]))


def share_found(of: Asked) -> Share:
    """Share of trials in which less than a hundredth of the regret comes after a given round."""
    (rows,) = of.frames()
    late, total = common([of.after(rows, since) for since in (of["since"], 0)])
    return Share(int((late < FOUND * total).sum()), len(total))


def share_of_settings(of: Asked) -> Evidence:
    """Share of settings (instances) in which the ratio of two mean regrets is below a bound."""
    series, size = of.series(of.frames()), len(of.settings)
    pairs = zip(series[:size], series[size:], strict=True)
    ratios = [RatioOfMeans(*common(pair)).value for pair in pairs]
    return Share(sum(ratio < of["bound"] for ratio in ratios), len(ratios))


def share_covered(of: Asked) -> Evidence:
    """Share of trials in which every round's confidence set contained the true parameter.

    The trials of all settings are pooled. Pool only settings with different names, because trials
    in settings with the same name share random numbers and are not independent.
    """
    # A trial whose coverage was not recorded does not count as covered.
    covered = [bool(v == 1) for frame in of.frames() for v in frame[of.column]]
    return Share(sum(covered), len(covered))


# Ratios.


def ratio(of: Asked) -> Evidence:
    """Ratio of two means over the cells' common trials or turns.

    The claim "the longest time over settings is at most b times the shortest" means that the ratio
    of every pair of settings lies in [1/b, b]. To write one check per pair, use
    ``each: {settings: [[r, s], [r, t], [s, t]]}`` and the relation ``between``.
    """
    return (inference.turns_ratio if of.is_timed else RatioOfMeans)(*of.common())


def ratio_of_spreads(of: Asked) -> Evidence:
    """Ratio of the spreads of two algorithms' regret over common trials.

    A spread is the mean distance from the median.
    """
    return inference.spread_ratio(*of.common())


def tuned_ratio(of: Asked) -> Evidence:
    """Ratio of two algorithms' mean regrets, with each algorithm in its own best setting.

    The best setting is the one with the smallest mean regret over the first ``tuning`` trials. The
    ratio uses the remaining trials. The settings must share their random numbers.
    """
    tuning, sides = of["tuning"], []
    every, size = of.series(of.frames(also=tuning)), len(of.settings)
    for algorithm, series in zip(of.algorithms, (every[:size], every[size:]), strict=True):
        means = np.array([one[one.index < tuning].mean() for one in series])
        if np.isnan(means).all():
            raise Missing([f"trial of {algorithm} to tune with"])
        best = series[int(np.nanargmin(means))]
        sides.append(best[best.index >= tuning])
    return RatioOfMeans(*common(sides))


def doubling(of: Asked) -> Evidence:
    """Mean regret at the end, divided by mean regret halfway through the rounds.

    The ratio is 2 if regret grows linearly. If the units are splits of the data, which share most
    training rows, the test is corrected as in `splits_mean`.
    """
    (rows,) = of.frames("regret_half")
    columns = ("regret", "regret_half")
    end, middle = common([of.by_unit(of.end(rows, column)) for column in columns])
    if "folds" not in of:
        return RatioOfMeans(end, middle)
    extra = 1.0 / (of["folds"] - 1)
    return RatioOfMeans(end, middle, extra=extra, method="Fieller, corrected resampled t")


def thirds(of: Asked) -> Evidence:
    """Time per round in the last third of a turn, divided by the time per round in the first third.

    The thirds begin at the first recorded round, because the rounds before it warm the caches.
    """
    (rows,) = of.frames()
    ends = np.linspace(rows["round"].min(), rows["round"].max(), 4)
    first, _, final = np.diff(common([of.at(rows, t) for t in ends]), axis=0)
    return inference.turns_ratio(final, first)


def range_within(of: Asked) -> Exact:
    """Largest value in a trial divided by the smallest, maximised over trials; 1 if constant."""
    (rows,) = of.frames()
    sizes = rows.groupby("trial")[of.column].agg(["max", "min"])
    return Exact(float((sizes["max"] / sizes["min"]).max()), len(sizes), "largest of all turns")


# Growth of ratios, and differences.


def growth(of: Asked) -> Evidence:
    """Factor by which the ratio of two algorithms' means grows between two settings or rounds."""
    return (inference.turns_ratio if of.is_timed else inference.ratio_of_ratios)(*of.common())


def gap_difference(of: Asked) -> Evidence:
    """Difference between two settings in the scaled gap between two algorithms' mean regrets.

    The gap in a setting is the mean regret of ``worse`` minus that of ``better``, divided by the
    mean regret of ``scale`` in the same setting. Unlike `growth`, the statistic compares
    differences of regrets, not ratios. The evidence comes from the jackknife over common trials.
    """

    def difference(means: np.ndarray) -> Any:
        return (means[0] - means[1]) / means[2] - (means[3] - means[4]) / means[5]

    values = inference.jackknife_values(difference, of.common())
    return Mean(values, JACKKNIFE_UNITS, "t, jackknife")


def difference_over_splits(of: Asked) -> Evidence:
    """Mean over data splits of the difference between two algorithms' regret per round.

    The regret per round is taken between the rounds ``since`` and ``rounds``; if ``since`` is 0, it
    includes the first round. There are ``folds`` times ``repeats`` splits. Trial i plays split i
    modulo this product, and trials on the same split are averaged.
    """
    since, rounds, sides = of["since"], of["rounds"], []
    for rows in of.frames():
        played = recorded(rows, rounds) - recorded(rows, since)
        if not played:
            raise Missing([f"a recorded round after {since} and up to {rounds}"])
        sides.append((of.at(rows, rounds) - (of.at(rows, since) if since else 0.0)) / played)
    return inference.splits_mean(of.by_unit(sides[0] - sides[1]).to_numpy(), of["folds"])


def curvature(of: Asked) -> Evidence:
    """Mean over trials of the second difference of a column's logarithm over three settings.

    The settings must be equally spaced. A negative value means that the column grows more slowly
    than an exponential function.
    """
    first, second, third = log(of.common())
    return inference.mean_difference(first + third, 2.0 * second)


# Exponents; ``points`` holds the positions of the settings on their axis.


def exponent(of: Asked) -> Evidence:
    """Growth exponent of mean regret between two settings, or in t between two rounds."""
    late, early, factor = _between(of)
    return inference.exponent_between(RatioOfMeans(late, early, EXPONENT_UNITS), factor)


def median_exponent(of: Asked) -> Evidence:
    """Median growth exponent of regret between two settings, over common trials."""
    late, early, factor = _between(of)
    return inference.exponent_between(MedianRatio(late, early), factor)


def _between(of: Asked) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the regrets at the second and at the first point, and second point / first point.

    The points are rounds or positions of settings.
    """
    frames = of.frames()
    if "points" in of:
        (early, late), (first, final) = common(of.series(frames)), of.positions(frames)
    else:
        first, final = (recorded(frames[0], of[key]) for key in ("since", "rounds"))
        if not 0 < first < final:
            named = f"after {of['since']} and up to {of['rounds']}"
            raise Missing([f"a recorded round {named}, and one before"])
        late, early = common(of.series(frames))
    return late, early, float(final / first) if first > 0.0 and final > 0.0 else math.nan


def exponent_difference(of: Asked) -> Evidence:
    """Mean over trials of the difference between two columns' exponents.

    Each exponent describes growth in t from the round ``since`` to the end.
    """
    ends = []
    for name in (of["column"], of["against"]):
        (rows,) = of.frames(name)
        first, final = recorded(rows, of["since"]), int(rows["round"].max())
        ends += [of.at(rows, final, name), of.at(rows, of["since"], name)]
    top, top_since, bottom, bottom_since = log(common(ends)) / np.log(final / first)
    return inference.mean_difference(top - top_since, bottom - bottom_since)


# Log-log slopes.


def slope_over_settings(of: Asked) -> Evidence:
    """Log-log slope over settings, or the difference between the slopes of two algorithms.

    The slope is taken over the positions of the settings, or against another column's final value
    in each trial. The trials with the same number in all settings form one unit, whether or not
    they play the same instance in all settings. ``since`` is a list with one round for each
    setting.
    """
    slope = inference.slope if of.is_timed else inference.slope_of_means
    if "against" in of:
        frames = of.frames(of["against"])
        columns = [last(rows, name) for name in (of["against"], of.column) for rows in frames]
        return slope(*np.split(common(columns), 2))
    frames = of.frames()
    sides = np.split(common(of.series(frames)), len(of.algorithms))
    return slope(of.positions(frames), *sides)


def slope_of_largest_quotient(of: Asked) -> Exact:
    """Log-log slope, over settings, of the largest quotient of two columns in all trials."""
    frames = of.frames(of["top"])
    tops, bottoms = ([last(rows, of[name]) for rows in frames] for name in ("top", "bottom"))
    largest_of = [float((a / b).max()) for a, b in zip(tops, bottoms, strict=True)]
    slope = log_log_slopes(of.positions(frames), np.array([largest_of]))
    trials = min(len(rows) for rows in tops)
    return Exact(float(slope[0]), trials, "largest of all trials")


def slope_in_rounds(of: Asked) -> Evidence:
    """Mean over turns of the slope in the last decade of rounds (see `window_rates`).

    For two algorithms, the value is the slope of the numerator minus that of the denominator, so it
    is positive if the numerator's time grows faster.
    """
    tables = [
        rows.pivot(index="trial", columns="round", values=of.column).dropna(axis=1)
        for rows in of.frames()
    ]
    turns = tables[0].index.intersection(tables[-1].index)
    rates_by_side = [window_rates(t.columns.to_numpy(float), t.loc[turns]) for t in tables]
    return inference.slope(rates_by_side[0][0], *(rates.T for _, rates in rates_by_side))


def slope_of_largest(of: Asked) -> Exact:
    """Log-log slope of the largest value over trials, in the last decade of rounds."""
    (rows,) = of.frames()
    sizes = rows.groupby("round")[of.column].max()
    slope = last_decade_slope(sizes.index, sizes)[0]
    return Exact(slope, rows["trial"].nunique(), "largest of all turns")


def slope_of_repetitions(of: Asked) -> Evidence:
    """Log-log slope of the time of a pass or of part of an update, averaged over repetitions.

    The slope is taken over history lengths for a pass and over dimensions for part of an update, in
    both cases from ``smallest`` on.
    """
    where = {key: of[key] for key in ("part", "setting", "algorithm") if key in of}
    rows = of.cells.rows(of.quantity.table, **where)
    if "repetition" not in rows:
        raise Missing([f"repetitions of {' of '.join(where.values())} in {of.quantity.table}"])
    rows = rows[rows[of.column] >= of["smallest"]]
    rows = rows.assign(seconds=rows["seconds"] / rows.get("passes", 1))
    seconds = rows.pivot(index="repetition", columns=of.column, values="seconds").dropna()
    return inference.slope(seconds.columns.to_numpy(float), seconds.to_numpy().T)
