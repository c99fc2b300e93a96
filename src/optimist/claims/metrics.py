"""The table `METRICS` of what can be measured, and how each metric reads the tables.

A metric is a function of `Cells`, which looks up what it reads, and of keyword arguments, which a
check sets; it returns a `Measurement` or raises `Missing`.
"""

import inspect
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimist.errors import unknown_name
from optimist.runs.loop import COMPLETE
from optimist.statistics import (
    Estimate,
    bootstrap_slope,
    deviation_ratio_interval,
    last_decade_slope,
    log_log_slope,
    mean_estimate,
    median_ratio_interval,
    proportion_interval,
    quotient,
    rate_slope,
    ratio_estimate,
)

LANES = {"finals": "regret lane", "regrets": "regret lane", "times": "timing lane"}
RANGE = "range over trials"
# Facts that come from a single trial; the others are properties of the setting, or, as their notes
# say, the worst over several watched trials.
FACTS_OF_ONE_TRIAL = ("region_area",)


class Missing(Exception):
    """Cells, facts or columns that a check needs and the tables lack."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__("; ".join(names))


@dataclass(frozen=True)
class Measurement:
    """A measured value; ``interval`` names what ``low`` and ``high`` are (empty: there are none).

    ``trials`` is the number of trials behind it, the smaller one if cells differ. ``estimate``
    allows a test against a bound.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    trials: int | None = None
    interval: str = ""
    estimate: Estimate | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The two numbers that decide: the interval, or twice the value if it has none."""
        return (self.low, self.high) if self.interval else (self.value, self.value)


class Cells:
    """What one check reads: looks up cells, notes absent ones, lengths and how trials ended.

    Parameters
    ----------
    groups : dict of dict
        For each table its entries by key, see `group`.
    level : float
        Confidence level of every interval.
    """

    def __init__(self, groups: Any, level: float) -> None:
        self.groups = groups
        self.level = level
        self.notes: list[str] = []
        self.rounds: list[Any] = []

    def pick(self, table: str, *keys: Any) -> Any:
        """Return the entries of a table; raise Missing naming every absent one."""
        entries = self.groups[table]
        absent = [f"{' of '.join(key)} in {table}" for key in keys if key not in entries]
        if absent:
            raise Missing(absent)
        return [entries[key] for key in keys]

    def complete(self, table: str, column: str, *pairs: Any) -> Any:
        """Return the rows of complete trials per (setting, algorithm), ``column`` present."""
        known = self.groups[table]
        frames = [self._complete(known.get(pair), column, pair) for pair in pairs]
        absent = [
            f"{setting}/{algorithm} ({LANES[table]}{why})"
            for (setting, algorithm), (frame, why) in zip(pairs, frames, strict=True)
            if frame is None
        ]
        if absent:
            raise Missing(absent)
        self.rounds += [int(frame["round"].max()) for frame, _ in frames]
        return [frame for frame, _ in frames]

    def _complete(self, rows, column, pair):
        if rows is None:
            return None, ""
        status = rows.groupby("trial")["status"].last()
        broken = status[~status.isin(COMPLETE)]
        reasons = ", ".join(f"{n} {s}" for s, n in sorted(Counter(broken).items()))
        self._note(pair, status, len(broken), f"left out ({reasons})")
        self._note(pair, status, (status == "unconverged").sum(), "unconverged")
        rows = rows[rows["status"].isin(COMPLETE)]
        if rows.empty:
            return None, f", no complete trial: {reasons}"
        if column not in rows or rows[column].isna().all():
            return None, f", no column {column}"
        return rows, ""

    def _note(self, pair, status, count, words):
        if count:
            self.notes.append(f"{'/'.join(pair)}: {count} of {len(status)} trials {words}")

    def kind(self, method: str) -> str:
        """Name the intervals of a method: ``95% t``."""
        return f"{self.level:.0%} {method}"

    def sampled(self, estimate: Any, trials: Any) -> Measurement:
        """Return the measurement of an `Estimate` with its t interval."""
        value, low, high = estimate.interval(self.level)
        return Measurement(value, low, high, trials, self.kind("t"), estimate)


def group(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of the tables by key, as `Cells` wants them; absent tables are empty."""
    facts = _group(tables, "facts", ["name", "setting"])
    return {
        "finals": _group(tables, "finals", ["setting", "algorithm"]),
        "regrets": _group(tables, "regrets", ["setting", "algorithm"]),
        "times": _group(tables, "times", ["setting", "algorithm"]),
        "facts": {key: rows["value"].iloc[0] for key, rows in facts.items()},
        "scaling": _group(tables, "scaling", ["part"]),
    }


def _group(tables, name, keys):
    frame = tables.get(name)
    return {} if frame is None or frame.empty else dict(iter(frame.groupby(keys, sort=False)))


METRICS: dict[str, Any] = {}


def metric(template: str) -> Any:
    """Register a function of `Cells` and keyword arguments; ``template`` words its label."""

    def register(function):
        METRICS[function.__name__] = (function, template)
        return function

    return register


def metric_arguments(name: str) -> list[str]:
    """Return the argument names of the metric called ``name``."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    parameters = inspect.signature(METRICS[name][0]).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


# Regret.


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


@metric("regret of {numerator} / {denominator}, {setting}")
def regret_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of mean final regrets over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    return cells.sampled(*_paired(*cells.complete("finals", "regret", *pairs)))


@metric("median regret of {numerator} / {denominator}, {setting}")
def median_regret_ratio(
    cells: Cells, *, setting: str, numerator: str, denominator: str
) -> Measurement:
    """Ratio of median final regrets over common trials, by a bootstrap over them."""
    pairs = (setting, numerator), (setting, denominator)
    both = _joined(*cells.complete("finals", "regret", *pairs))
    ratio = median_ratio_interval(both["top"], both["bottom"], cells.level)
    return Measurement(*ratio, len(both), cells.kind("bootstrap"))


@metric("regret of {numerator} / {denominator}, each at its best of {settings}")
def tuned_regret_ratio(
    cells: Cells, *, settings: list[str], numerator: str, denominator: str, tuning: int
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


@metric("regret of {algorithm} / its regret midway, {setting}")
def regret_doubling(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Growth of mean regret over the second half of the rounds: 2 if it is linear, 1 if it ends."""
    (frame,) = cells.complete("finals", "regret_half", (setting, algorithm))
    return cells.sampled(ratio_estimate(frame["regret"], frame["regret_half"]), len(frame))


@metric("share of the regret of {algorithm} after round {since}, {setting}")
def late_regret(cells: Cells, *, algorithm: str, setting: str, since: int) -> Measurement:
    """Regret after some round over all of it: 0 if it ends there."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    total, late = _regret_since(rows, since)
    return cells.sampled(ratio_estimate(late, total), len(total))


@metric("regret of {algorithm} per round after round {since}, {setting}")
def late_rate(cells: Cells, *, algorithm: str, setting: str, since: int) -> Measurement:
    """Mean regret of the rounds after some round: the simple regret of one drawn from them."""
    (rows,) = cells.complete("regrets", "regret", (setting, algorithm))
    _, late = _regret_since(rows, since)
    return cells.sampled(mean_estimate(late / (rows["round"].max() - since)), len(late))


@metric("regret of {numerator} / {denominator} up to round {rounds}, {setting}")
def regret_ratio_until(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int
) -> Measurement:
    """Ratio of mean regrets up to some round over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    frames = cells.complete("regrets", "regret", *pairs)
    until = [_regret_until(rows, rounds).reset_index() for rows in frames]
    return cells.sampled(*_paired(*until))


@metric("regret of {numerator} / {denominator} after round {since}, {setting}")
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


@metric("regret of {one} minus that of {other}, per round, {setting}")
def regret_difference(cells: Cells, *, setting: str, one: str, other: str) -> Measurement:
    """Difference of mean final regrets over common trials, divided by the number of rounds."""
    frames = cells.complete("finals", "regret", (setting, one), (setting, other))
    both = _joined(*frames)
    differences = (both["top"] - both["bottom"]) / frames[0]["round"].max()
    return cells.sampled(mean_estimate(differences), len(both))


@metric("standard deviation of the regret of {numerator} / {denominator}, {setting}")
def regret_spread_ratio(
    cells: Cells, *, setting: str, numerator: str, denominator: str
) -> Measurement:
    """Ratio of the standard deviations of final regrets, by a bootstrap over common trials."""
    pairs = (setting, numerator), (setting, denominator)
    both = _joined(*cells.complete("finals", "regret", *pairs))
    ratio = deviation_ratio_interval(both["top"], both["bottom"], cells.level)
    return Measurement(*ratio, len(both), cells.kind("bootstrap"))


@metric("log-log slope of the time of {algorithm} against T, {settings}")
def time_exponent(cells: Cells, *, algorithm: str, settings: list[str]) -> Measurement:
    """Growth of the median time of a trial over settings that differ in their horizon."""
    frames = cells.complete("times", "seconds", *((s, algorithm) for s in settings))
    last = [frame.sort_values("round").groupby("trial").last() for frame in frames]
    horizons = [int(frame["round"].max()) for frame in last]
    seconds = [float(frame["seconds"].median()) for frame in last]
    slope = log_log_slope(horizons, seconds, cells.level)
    return Measurement(*slope, min(map(len, last)), cells.kind("least squares"))


@metric("log-log slope of the {statistic} regret of {algorithm} against T, {settings}")
def regret_exponent(
    cells: Cells, *, algorithm: str, settings: list[str], statistic: str
) -> Measurement:
    """Growth of the mean or median final regret over settings that differ in their horizon."""
    frames = cells.complete("finals", "regret", *((s, algorithm) for s in settings))
    horizons = [frame["round"].max() for frame in frames]
    samples = [frame["regret"].to_numpy(float) for frame in frames]
    middle = {"mean": np.mean, "median": np.median}[statistic]
    slope = bootstrap_slope(horizons, samples, middle, cells.level)
    return Measurement(*slope, min(map(len, frames)), cells.kind("bootstrap"))


@metric("regret of {numerator}, {setting} / {denominator}, {base}")
def regret_ratio_across(
    cells: Cells, *, numerator: str, setting: str, denominator: str, base: str
) -> Measurement:
    """Ratio of mean final regrets over common trials of two settings that share their noise."""
    return cells.sampled(
        *_paired(*cells.complete("finals", "regret", (setting, numerator), (base, denominator)))
    )


@metric("regret of {algorithm}, {setting} / {base}")
def regret_growth(cells: Cells, *, algorithm: str, setting: str, base: str) -> Measurement:
    """Ratio of mean final regrets of one algorithm in two settings, whose trials are unrelated."""
    top, bottom = cells.complete("finals", "regret", (setting, algorithm), (base, algorithm))
    estimate = quotient(mean_estimate(top["regret"]), mean_estimate(bottom["regret"]))
    return cells.sampled(estimate, min(len(top), len(bottom)))


@metric("regret of {numerator} / {denominator}, {setting} relative to {base}")
def regret_ratio_growth(
    cells: Cells, *, numerator: str, denominator: str, setting: str, base: str
) -> Measurement:
    """How much the ratio of two algorithms' regrets grows from one setting to another."""
    pairs = [(s, a) for s in (setting, base) for a in (numerator, denominator)]
    frames = cells.complete("finals", "regret", *pairs)
    (there, n), (here, m) = _paired(*frames[:2]), _paired(*frames[2:])
    return cells.sampled(quotient(there, here), min(n, m))


@metric("{column} of {algorithm} per round, {setting}")
def share_of_rounds(cells: Cells, *, algorithm: str, setting: str, column: str) -> Measurement:
    """Mean over trials of a counter at the end, divided by the number of rounds."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    shares = rows[column].astype(float) / rows["round"]
    return cells.sampled(mean_estimate(shares), len(rows))


@metric("largest {column} of {algorithm}, {setting}")
def largest(cells: Cells, *, algorithm: str, setting: str, column: str) -> Measurement:
    """Largest value over trials of a column at the end."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    return Measurement(float(rows[column].max()), trials=len(rows))


@metric("largest {top} / {bottom} of {algorithm}, {setting}")
def largest_quotient(
    cells: Cells, *, algorithm: str, setting: str, top: str, bottom: str
) -> Measurement:
    """Largest quotient over trials of two columns at the end."""
    for column in (bottom, top):
        (rows,) = cells.complete("finals", column, (setting, algorithm))
    quotients = rows[top].astype(float) / rows[bottom].astype(float)
    return Measurement(float(quotients.max()), trials=len(rows))


@metric("lower end of {worse} minus upper end of {better}, {setting}")
def interval_gap(cells: Cells, *, setting: str, worse: str, better: str) -> Measurement:
    """Distance between the intervals of two mean final regrets; negative if they overlap."""
    frames = cells.complete("finals", "regret", (setting, worse), (setting, better))
    top, bottom = (mean_estimate(f["regret"]).interval(cells.level) for f in frames)
    return Measurement(top[1] - bottom[2], trials=min(map(len, frames)))


@metric("trials of {algorithm} with the parameter in the set in all rounds, {settings}")
def coverage(cells: Cells, *, algorithm: str, settings: list[str]) -> Measurement:
    """Share of trials, pooled over settings, that never lost the true parameter."""
    frames = cells.complete("finals", "covered", *((s, algorithm) for s in settings))
    covered = [bool(value) for frame in frames for value in frame["covered"]]
    share = proportion_interval(sum(covered), len(covered), cells.level)
    return Measurement(*share, len(covered), cells.kind("Clopper-Pearson"))


# Time.


def _totals(cells, *pairs):
    """Return the seconds of every complete trial, one array per (setting, algorithm)."""
    frames = cells.complete("times", "seconds", *pairs)
    return [frame.groupby("trial")["seconds"].max().to_numpy() for frame in frames]


def _spread(values):
    """Return smallest, median and largest value (3,)."""
    return np.array([np.min(values), np.median(values), np.max(values)])


def _over_trials(spread, trials):
    low, value, high = map(float, spread)
    return Measurement(value, low, high, trials, RANGE)


def _ratio_of_times(top, bottom):
    return _over_trials(_spread(top) / _spread(bottom)[::-1], min(len(top), len(bottom)))


@metric("seconds of {algorithm}, {setting}")
def time_total(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Seconds of select and update over a whole trial, median over trials."""
    (totals,) = _totals(cells, (setting, algorithm))
    return _over_trials(_spread(totals), len(totals))


@metric("time of {numerator} / {denominator}, {setting}")
def time_ratio(cells: Cells, *, setting: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of the median times of two algorithms."""
    return _ratio_of_times(*_totals(cells, (setting, numerator), (setting, denominator)))


@metric("time of {numerator} / {denominator} up to round {rounds}, {setting}")
def time_ratio_until(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int
) -> Measurement:
    """Ratio of the median times of two algorithms up to some round."""
    return _ratio_of_times(*_times_until(cells, rounds, setting, numerator, denominator))


@metric("time of {numerator} / {denominator}, up to round {rounds} relative to {since}, {setting}")
def time_ratio_growth(
    cells: Cells, *, setting: str, numerator: str, denominator: str, rounds: int, since: int
) -> Measurement:
    """How much the ratio of the times of two algorithms grows between two rounds of a trial."""
    late = _ratio_of_times(*_times_until(cells, rounds, setting, numerator, denominator))
    early = _ratio_of_times(*_times_until(cells, since, setting, numerator, denominator))
    ends = late.low / early.high, late.value / early.value, late.high / early.low
    return _over_trials(ends, late.trials)


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


@metric("time of {algorithm}, {setting} / {base}")
def time_growth(cells: Cells, *, algorithm: str, setting: str, base: str) -> Measurement:
    """Ratio of the median times of one algorithm in two settings."""
    return _ratio_of_times(*_totals(cells, (setting, algorithm), (base, algorithm)))


@metric("longest / shortest time of {algorithm} over {settings}")
def time_flat_over_settings(cells: Cells, *, algorithm: str, settings: list[str]) -> Measurement:
    """Largest over smallest median time; the range is what single trials allow."""
    totals = _totals(cells, *((s, algorithm) for s in settings))
    lows, medians, highs = np.transpose([_spread(t) for t in totals])
    low = max(1.0, lows.max() / highs.min())
    ratios = low, medians.max() / medians.min(), highs.max() / lows.min()
    return _over_trials(ratios, min(map(len, totals)))


def _last_to_first_third(trial):
    """Return the time in the last third of the rounds over that in the first.

    Time up to the first recorded round, which warms caches, is left out.
    """
    rounds, seconds = trial["round"].to_numpy(), trial["seconds"].to_numpy()
    first, _, last = np.diff(np.interp(np.linspace(rounds[0], rounds[-1], 4), rounds, seconds))
    return float(last / first) if first > 0 else math.nan


@metric("time in the last / first third of the rounds of {algorithm}, {setting}")
def time_flat_over_rounds(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Growth of the time per round within a trial, median over trials."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    trials = rows.sort_values("round").groupby("trial")
    ratios = [_last_to_first_third(trial) for _, trial in trials]
    return _over_trials(_spread(ratios), len(ratios))


@metric("log-log slope of the time per round of {algorithm} against t, {setting}")
def time_slope(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Slope over the last decade of rounds, see `optimist.statistics.rate_slope`."""
    (rows,) = cells.complete("times", "seconds", (setting, algorithm))
    totals = rows.pivot(index="trial", columns="round", values="seconds").dropna(axis=1)
    slope = rate_slope(totals.columns, totals, cells.level)
    return Measurement(*slope, len(totals), cells.kind("least squares"))


# State.


@metric("log-log slope of the state's bytes of {algorithm} against t, {setting}")
def state_slope(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Slope over the last decade of rounds of the timing lane, largest trial."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("round")["state_bytes"].max()
    return Measurement(last_decade_slope(sizes.index, sizes)[0], trials=rows["trial"].nunique())


@metric("state's bytes of {algorithm}, largest / smallest over the rounds, {setting}")
def state_growth(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Largest over smallest state within a trial, largest over trials; 1 means constant."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("trial")["state_bytes"].agg(["max", "min"])
    return Measurement(float((sizes["max"] / sizes["min"]).max()), trials=len(sizes))


# Everything else.


@metric("selections of {algorithm} that agree with the leader's, {setting}")
def agreement(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Share of a probe's selections that agree with the algorithm whose history it follows."""
    (rows,) = cells.complete("times", "agreements", (setting, algorithm))
    last = rows.groupby("trial")[["agreements", "selections"]].max()
    share = last["agreements"].sum() / last["selections"].sum()
    return Measurement(float(share), trials=len(last))


@metric("{name}, {setting}")
def fact(cells: Cells, *, name: str, setting: str) -> Measurement:
    """A value of the table of facts."""
    return Measurement(float(*cells.pick("facts", (name, setting))), trials=_trials_of_fact(name))


@metric("{name} of {numerator} / {denominator}")
def fact_ratio(cells: Cells, *, name: str, numerator: str, denominator: str) -> Measurement:
    """Ratio of one fact of two settings (or algorithms, if the fact is about those)."""
    top, bottom = cells.pick("facts", (name, numerator), (name, denominator))
    ratio = float(top) / float(bottom) if bottom else math.nan
    return Measurement(ratio, trials=_trials_of_fact(name))


def _trials_of_fact(name):
    return 1 if name in FACTS_OF_ONE_TRIAL else None


@metric("log-log slope of the time of the {part} part against d, d >= {smallest}")
def scaling_slope(cells: Cells, *, part: str, smallest: float) -> Measurement:
    """Growth of a part of the update with the dimension, from dimension ``smallest`` on."""
    (rows,) = cells.pick("scaling", (part,))
    rows = rows[rows["dimension"] >= smallest]
    slope = log_log_slope(rows["dimension"], rows["seconds"], cells.level)
    return Measurement(*slope, interval=cells.kind("least squares"))
