"""Ranking of algorithms by regret, with the same statistical methods as for claims."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from optimist.claims.evidence import RATIO_UNITS, Mean
from optimist.claims.rule import holm
from optimist.config.select import algorithm
from optimist.core.errors import ConfigError, known_name, proportion
from optimist.experiments.loop import COMPLETE

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("paper", "setting", "rank", "algorithm", "trials", "mean", "low", "high", "median"),
    *("difference", "difference_low", "difference_high", "p", "wins", "losses"),
    *("better_than", "worse_than", "seconds", "failed", "faults"),
)
NEEDED = ("paper", "setting", "algorithm", "trial", "round", "regret", "status", "seconds")


def rank(
    played: "pd.DataFrame", *, level: float = 0.95, reference: str | None = None
) -> "pd.DataFrame":
    """Return a table with a row for each algorithm in each setting, ranked by mean regret.

    Regret is taken at the end of each complete trial. Each pair of algorithms is compared on the
    trials that both completed, by Student's t test on the differences, as for claims. If there are
    fewer than ten such trials, neither algorithm wins. The probability that any decision among the
    pairs of a setting is wrong is at most 1 - ``level`` (Holm 1979).

    An algorithm with a failed trial ranks last, whatever its mean, and is not compared with any
    other algorithm, because the trials that it completed may be the easy ones.

    Parameters
    ----------
    played : DataFrame
        The result of `optimist.comparison.play.play`.
    level : float
        Confidence level of the intervals.
    reference : str or None
        Label of the algorithm whose regret is subtracted in ``difference``; None for the
        first-ranked algorithm of each setting.

    Returns
    -------
    DataFrame
        ``attrs["reference"]`` is ``reference``. The columns are:

        - paper, setting, rank and algorithm.
        - trials: number of complete trials.
        - mean, low, high and median: mean regret with its interval, and median regret.
        - difference, difference_low and difference_high: mean difference from the reference's
          regret, with its interval.
        - p: two-sided p-value for this pair alone.
        - wins and losses: numbers of algorithms in the same setting that the algorithm beats and
          loses to; better_than and worse_than are the lists of their labels.
        - seconds: mean time of a trial, which other processes may have slowed down.
        - failed: number of failed trials; faults describes how these trials ended.

    Raises
    ------
    ConfigError
        If the level is invalid, the table lacks a column, or the reference is not in the table.
    """
    import pandas as pd

    proportion("level", level)
    missing = [name for name in NEEDED if name not in played]
    if missing:
        raise ConfigError(f"the table has no column {', '.join(missing)}; use the result of play")
    if reference is not None:
        reference = known_name("reference", algorithm(reference), {*played["algorithm"]})
    rows: list[dict[str, object]] = []
    for (paper, setting), trials in played.groupby(["paper", "setting"], sort=False):
        ends = trials.loc[trials.groupby(["algorithm", "trial"], sort=False)["round"].idxmax()]
        for place, row in enumerate(_of_setting(ends, level, reference), 1):
            rows.append({"paper": paper, "setting": setting, "rank": place, **row})
    table = pd.DataFrame(rows, columns=COLUMNS)
    table.attrs["reference"] = reference
    return table


def _of_setting(
    ends: "pd.DataFrame", level: float, reference: str | None
) -> Iterator[dict[str, object]]:
    labels = [*dict.fromkeys(ends["algorithm"])]
    well = ends[ends["status"].isin(COMPLETE)]
    regrets = {label: _by_trial(well, label, "regret") for label in labels}
    failed = {
        label: int((ends["algorithm"] == label).sum()) - len(regrets[label]) for label in labels
    }
    means = {label: regrets[label].mean() for label in labels}
    order = sorted(labels, key=lambda k: (failed[k] > 0, np.isnan(means[k]), means[k]))
    sound = {label: regrets[label] for label in order if not failed[label]}
    better = _better(sound, 1.0 - level)
    base = order[0] if reference is None else reference
    for label in order:
        values = regrets[label]
        is_compared = label != base and label in sound and base in sound
        difference = _difference(values, sound[base]) if is_compared else Mean(np.empty(0))
        better_than = [loser for winner, loser in better if winner == label]
        worse_than = [winner for winner, loser in better if loser == label]
        low, high = _interval(Mean(values.to_numpy()), level)
        difference_low, difference_high = _interval(difference, level)
        yield {
            "algorithm": label,
            "trials": len(values),
            "mean": means[label],
            "low": low,
            "high": high,
            "median": values.median(),
            "difference": difference.value,
            "difference_low": difference_low,
            "difference_high": difference_high,
            # With fewer trials, the pair is not tested.
            "p": two_sided(difference) if difference.n >= RATIO_UNITS else np.nan,
            "wins": len(better_than),
            "losses": len(worse_than),
            "better_than": sorted(better_than, key=order.index),
            "worse_than": sorted(worse_than, key=order.index),
            "seconds": _by_trial(well, label, "seconds").mean(),
            "failed": failed[label],
            "faults": _faults(ends[ends["algorithm"] == label]["status"]),
        }


def _faults(statuses: "pd.Series") -> str:
    """Describe how failed trials ended, as in ``2 failed: Singular matrix``."""
    counts = statuses[~statuses.isin(COMPLETE)].value_counts()
    return "; ".join(f"{count} {status}" for status, count in counts.items())


def _by_trial(ends: "pd.DataFrame", label: str, column: str) -> "pd.Series":
    return ends[ends["algorithm"] == label].set_index("trial")[column].astype(float)


def _interval(evidence: Mean, level: float) -> tuple[float, float]:
    return (evidence.pieces(level) or [(np.nan, np.nan)])[0]


def _difference(one: "pd.Series", other: "pd.Series") -> Mean:
    """Return the evidence on the difference of two series, from the trials in both."""
    return Mean((one - other).dropna().to_numpy())


def two_sided(evidence: Mean) -> float:
    """Return the two-sided p-value for a difference of zero."""
    return min(1.0, 2.0 * min(evidence.p_values(0.0)))


def _better(regrets: "dict[str, pd.Series]", error: float) -> Sequence[tuple[str, str]]:
    """Return pairs (winner, loser) that are all correct with probability at least 1 - ``error``."""
    pairs = list(combinations(regrets, 2))
    evidence = [_difference(regrets[one], regrets[other]) for one, other in pairs]
    adjusted = holm([two_sided(one) if one.n else 1.0 for one in evidence])
    decided = zip(pairs, evidence, adjusted, strict=True)
    return [pair if one.value < 0.0 else pair[::-1] for pair, one, p in decided if p <= error]
