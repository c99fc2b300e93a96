"""Tables of kind ``theory``, which compare orders of growth in the paper with measured ones.

The measured orders are the log-log slopes of the time per round and of the bytes of state against
the round, over the last decade of rounds. Their 95 % intervals use Student's t over trials for
time, and least squares for bytes.
"""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, ClassVar, NotRequired

from annotated_types import MinLen

from optimist.core.keys import Keys
from optimist.figures.base import Labels
from optimist.figures.rows import TABLE_LEVEL, Tables, complete, doubt, fault, rounded
from optimist.figures.tables.base import HIGH, LOW, Table
from optimist.numerics.statistics import last_decade_slope, rate_slope

# Column of the table for each of the paper's statements.
STATED = {key: key for key in ("method", "regret", "time", "memory")}
STATED |= {"efficient": "jointly_efficient", "remark": "remark"}


class Row(Keys):
    method: str  #: Name used in the paper.
    regret: str  #: Order of the regret.
    time: str  #: Order of the time per round.
    memory: str  #: Order of the memory.
    algorithm: NotRequired[str]  #: Label of the algorithm to measure, if any.
    efficient: NotRequired[bool]  #: Whether the paper calls the method jointly efficient.
    remark: NotRequired[str]  #: Further remark by the paper.


class Theory(Table):
    """Stated and measured orders of growth for each method in each setting."""

    settings: Labels  #: Labels of the settings to show.
    rows: Annotated[list[Row], MinLen(1)]  #: One row per method, with the paper's statements.

    lanes = ("timing",)
    meanings: ClassVar = {
        "method": "name as in the paper",
        "regret": "order of the regret, as stated",
        "time": "order of the time of a round, as stated",
        "memory": "order of the memory, as stated",
        "jointly_efficient": "whether the paper calls it so",
        "time_slope": "measured log-log slope of the time of a round: 0 is constant, 1 linear",
        "memory_slope": "measured log-log slope of the bytes kept",
        "median_seconds": "seconds of select and update in a trial",
        "median_state_bytes": "bytes kept at the end of a trial",
        "note": "what is to be known of the measurement",
    }

    @property
    def cells(self) -> list[tuple[str, str]]:
        """Cells of the algorithms that are run."""
        algorithms = [row["algorithm"] for row in self.rows if "algorithm" in row]
        return list(product(self.settings, algorithms))

    def tabulate(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield a row for each method and setting, with the paper's statements and measurements."""
        for row, setting in product(self.rows, self.settings):
            words = {column: row.get(key) for key, column in STATED.items() if key in row}
            yield {**words, "setting": setting, **_measured(tables, setting, row.get("algorithm"))}


def _measured(tables: Tables, setting: str, algorithm: str | None) -> dict[str, Any]:
    ended = tables.trials("times", setting, algorithm or "")
    trials, runs = complete(ended), complete(tables.cell("times", setting, algorithm or ""))
    state = runs[runs["trial"] == runs["trial"].min()]
    totals = runs.pivot(index="trial", columns="round", values="seconds").dropna(axis=1)
    slopes = {
        "time_slope": rate_slope(totals.columns, totals, TABLE_LEVEL),
        "memory_slope": last_decade_slope(state["round"], state["state_bytes"], TABLE_LEVEL),
    }
    columns: dict[str, Any] = {}
    for name, slope in slopes.items():
        columns |= zip((name, f"{name}{LOW}", f"{name}{HIGH}"), rounded(slope), strict=True)
    note = "; ".join(filter(None, (fault(ended), doubt(ended)))) if algorithm else "not run"
    ends = {f"median_{name}": trials[name].median() for name in ("seconds", "state_bytes")}
    return {**columns, **ends, "trials": len(trials), "note": note}
