"""Metrics of what trials record beside regret and time: counters, coverage and state."""

from collections.abc import Sequence

from optimist.claims.cells import Cells, Measurement, worded
from optimist.statistics import last_decade_slope, mean_estimate, proportion_interval


@worded("{column} of {algorithm} per round, {setting}")
def share_of_rounds(cells: Cells, *, algorithm: str, setting: str, column: str) -> Measurement:
    """Mean over trials of a counter at the end, divided by the number of rounds."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    shares = rows[column].astype(float) / rows["round"]
    return cells.sampled(mean_estimate(shares), len(rows))


@worded("largest {column} of {algorithm}, {setting}")
def largest(cells: Cells, *, algorithm: str, setting: str, column: str) -> Measurement:
    """Largest value over trials of a column at the end."""
    (rows,) = cells.complete("finals", column, (setting, algorithm))
    return Measurement(float(rows[column].max()), trials=len(rows))


@worded("largest {top} / {bottom} of {algorithm}, {setting}")
def largest_quotient(
    cells: Cells, *, algorithm: str, setting: str, top: str, bottom: str
) -> Measurement:
    """Largest quotient over trials of two columns at the end."""
    for column in (bottom, top):
        (rows,) = cells.complete("finals", column, (setting, algorithm))
    quotients = rows[top].astype(float) / rows[bottom].astype(float)
    return Measurement(float(quotients.max()), trials=len(rows))


@worded("trials of {algorithm} with the parameter in the set in all rounds, {settings}")
def coverage(cells: Cells, *, algorithm: str, settings: Sequence[str]) -> Measurement:
    """Share of trials, pooled over settings, that never lost the true parameter."""
    frames = cells.complete("finals", "covered", *((s, algorithm) for s in settings))
    covered = [bool(value) for frame in frames for value in frame["covered"]]
    share = proportion_interval(sum(covered), len(covered), cells.level)
    return Measurement(*share, len(covered), cells.kind("Clopper-Pearson"))


@worded("log-log slope of the state's bytes of {algorithm} against t, {setting}")
def state_slope(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Slope over the last decade of rounds of the timing lane, largest trial."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("round")["state_bytes"].max()
    return Measurement(last_decade_slope(sizes.index, sizes)[0], trials=rows["trial"].nunique())


@worded("state's bytes of {algorithm}, largest / smallest over the rounds, {setting}")
def state_growth(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Largest over smallest state within a trial, largest over trials; 1 means constant."""
    (rows,) = cells.complete("times", "state_bytes", (setting, algorithm))
    sizes = rows.groupby("trial")["state_bytes"].agg(["max", "min"])
    return Measurement(float((sizes["max"] / sizes["min"]).max()), trials=len(sizes))


@worded("selections of {algorithm} that agree with the leader's, {setting}")
def agreement(cells: Cells, *, algorithm: str, setting: str) -> Measurement:
    """Share of a probe's selections that agree with the algorithm whose history it follows."""
    (rows,) = cells.complete("times", "agreements", (setting, algorithm))
    last = rows.groupby("trial")[["agreements", "selections"]].max()
    share = last["agreements"].sum() / last["selections"].sum()
    return Measurement(float(share), trials=len(last))
