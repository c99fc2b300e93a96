"""The tables of a paper's results, and functions that compute panel rows from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.core.label import Label, write
from optimist.experiments.loop import COMPLETE
from optimist.experiments.paper import Paper
from optimist.experiments.trials import CellKey
from optimist.numerics.statistics import mean_intervals

if TYPE_CHECKING:
    import pandas as pd

# Columns that each table has even if it is empty or missing.
FRAMES = {
    "curves": (
        *("setting", "algorithm", "round", "mean", "low", "high", "trials"),
        *("lower", "median", "upper"),
    ),
    "finals": ("setting", "algorithm", "trial", "round", "regret", "status", "covered"),
    "times": (
        *("setting", "algorithm", "trial", "round", "seconds", "select_seconds", "state_bytes"),
        *("status", "selections"),
    ),
    "facts": ("name", "setting", "value"),
}
# Columns of every table of trials.
CELLS = ("setting", "algorithm", "trial", "round", "status")
# Confidence level of the intervals in tables.
TABLE_LEVEL = 0.95


def display_name(
    label: str, names: Mapping[str, str], options: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Return the name that figures show for a label, such as ``OFUGLB (SLSQP, aggregated)``.

    Parameters
    ----------
    label : str
        Label of an algorithm.
    names : mapping
        Display names of algorithms.
    options : mapping or None
        Display names of the options of each algorithm. Keys have the form ``option=value`` or
        ``option``; the display name of an ``option`` may contain the placeholder ``{value}``.
    """
    parsed = Label.parse(label)
    named = (options or {}).get(parsed.name, {})
    words = [_option_in_words(key, value, named) for key, value in parsed.options]
    return names.get(parsed.name, parsed.name) + (f" ({', '.join(words)})" if words else "")


def _option_in_words(key: str, value: Any, named: Mapping[str, str]) -> str:
    text = named.get(f"{key}={write(value)}", named.get(key))
    if text is None:
        return value if isinstance(value, str) else f"{key}={write(value)}"
    return text.format(value=write(value))


class Tables:
    """The tables of a paper, which can be read as a whole or by cell.

    If a table lacks expected columns, they are added without values.

    Parameters
    ----------
    tables : mapping of str to DataFrame, or to DataFrames by setting and algorithm
        The tables ``curves``, ``finals``, ``times`` and ``facts``, and those of studies. Any table
        may be missing or lack cells.
    paper : Paper
    cells : sequence of (str, str, str)
        Lane, setting and algorithm of each cell that a table shows.
    """

    def __init__(
        self, tables: "Mapping[str, pd.DataFrame]", paper: Paper, cells: Sequence[CellKey] = ()
    ) -> None:
        self.paper, self.keys = paper, cells
        self._tables = tables
        self._cells: dict[str, Any] = {}

    def frame(self, name: str, columns: Iterable[str] = ()) -> "pd.DataFrame":
        """Return a table; a missing table has no rows, and missing columns have no values."""
        import pandas as pd

        frame = self._tables.get(name, pd.DataFrame())
        every = dict.fromkeys([*FRAMES.get(name, ()), *columns, *frame.columns])
        return frame.reindex(columns=list(every))

    def cell(self, name: str, setting: str, algorithm: str) -> "pd.DataFrame":
        """Return a cell's rows in a table; a missing cell has none."""
        import pandas as pd

        if name not in self._cells:
            table = self._tables.get(name)
            if not isinstance(table, Mapping):
                groups = self.frame(name, CELLS).groupby(["setting", "algorithm"], sort=False)
                table = dict(iter(groups))
            self._cells[name] = table
        frame = self._cells[name].get((setting, algorithm), pd.DataFrame())
        columns = dict.fromkeys([*FRAMES.get(name, ()), *CELLS, *frame.columns])
        return frame.reindex(columns=list(columns))

    def trials(self, name: str, setting: str, algorithm: str) -> "pd.DataFrame":
        """Return the last row of each trial of a cell."""
        rows = self.cell(name, setting, algorithm).sort_values(["trial", "round"])
        return rows.drop_duplicates("trial", keep="last")

    def timed(self, setting: str, algorithm: str) -> "pd.DataFrame":
        """Return the rows of the complete trials of a timed cell.

        If a solver was timed in some rounds only, rows before its second call are left out: the
        first call includes imports, and its time is charged to all earlier rounds.
        """
        runs = complete(self.cell("times", setting, algorithm))
        return runs[runs["selections"].isna() | (runs["selections"] > 1)]


def rows(
    role: str,
    *,
    setting: str = "",
    series: str = "",
    x: Any = np.nan,
    y: Any = np.nan,
    note: str = "",
    **columns: Any,
) -> "pd.DataFrame":
    """Return rows of a panel as a frame; x, y and further columns may be arrays."""
    import pandas as pd

    empty = dict.fromkeys(("low", "high", "n"), np.nan)
    names = {"role": role, "setting": setting, "series": series, "note": note}
    return pd.DataFrame({"x": np.atleast_1d(x), "y": y, **empty, **columns}).assign(**names)


def complete(trials: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of trials that did not end early."""
    return trials[trials["status"].isin(COMPLETE)]


def fault(trials: "pd.DataFrame") -> str:
    """Say whether a cell is missing or has incomplete trials; return "" if neither is true.

    ``trials`` contains the last row of each trial.
    """
    if trials.empty:
        return "missing"
    lost = trials.loc[~trials["status"].isin(COMPLETE), "status"]
    if lost.empty:
        return ""
    words = ", ".join(sorted({status.partition(":")[0] for status in lost}))
    return f"incomplete: {len(lost)} of {len(trials)} trials {words}"


def doubt(trials: "pd.DataFrame") -> str:
    """Say how many trials did not converge; return "" if all did.

    Unconverged trials count as complete.
    """
    count = (trials["status"] == "unconverged").sum()
    return f"unconverged: {count} of {len(trials)} trials" if count else ""


def notes(setting: str, algorithm: str, *frames: "pd.DataFrame") -> "Iterator[pd.DataFrame]":
    """Yield notes on a cell.

    Each of the ``frames`` contains the last row of each trial in one lane.
    """
    texts = [text(frame) for frame in frames for text in (fault, doubt)]
    for note in dict.fromkeys(filter(None, texts)):
        yield rows("note", setting=setting, series=algorithm, note=note)


def missing(series: str, setting: str = "") -> "pd.DataFrame":
    """Return a note that a series has no results."""
    return rows("note", setting=setting, series=series, note="missing")


def mean(values: "pd.Series", paper: Paper) -> tuple[float, float, float]:
    """Return the mean and its interval, whose kind and level are set by the paper."""
    columns = values.to_numpy(float)[:, None]
    intervals = mean_intervals(columns, paper.band, paper.interval)
    return tuple(intervals[:, 0].tolist())


def over_trials(watched: "pd.DataFrame", column: str) -> dict[str, Any]:
    """Return, by round, the median and range of a column over trials, and the number of trials."""
    by_round = watched.groupby("round")[column]
    curve = by_round.agg(y="median", low="min", high="max", n="count")
    return {"x": curve.index.to_numpy(), **{name: curve[name].to_numpy() for name in curve}}


def estimate(trials: "pd.DataFrame") -> str:
    """Say how an algorithm was timed in a replay; return "" if it was not.

    See `optimist.experiments.play_trial.replay`.
    """
    replayed = trials[trials["selections"].notna()]
    if replayed.empty:
        return ""
    last = replayed.iloc[0]
    if last["selections"] == last["round"]:
        return "timed on another algorithm's history"
    return f"estimated from {last['selections']:.0f} of {last['round']:.0f} rounds"


def estimates(
    algorithms: Iterable[str], settings: Iterable[str], tables: Tables
) -> "Iterator[pd.DataFrame]":
    """Yield footnotes on algorithms timed in a replay."""
    for algorithm in algorithms:
        texts = [estimate(tables.trials("times", setting, algorithm)) for setting in settings]
        for text in dict.fromkeys(filter(None, texts)):
            yield rows("footnote", series=algorithm, note=text)


def rounded(slope: Iterable[float]) -> tuple[float, ...]:
    """Round a slope and its interval to nine decimals to remove rounding errors."""
    return tuple(round(value, 9) + 0.0 for value in slope)
