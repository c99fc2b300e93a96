"""Base class of tables; a subclass defines the keys, inputs and rows of one kind of table."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from optimist.core.keys import Group
from optimist.experiments.paper import Paper
from optimist.figures.base import Part
from optimist.figures.rows import Tables, display_name

if TYPE_CHECKING:
    import pandas as pd

# Suffixes of columns that contain the lower and upper ends of an interval.
LOW, HIGH = "_low95", "_high95"


# Meanings of columns that occur in several kinds of tables.
MEANINGS = {
    "setting": "label of the setting",
    "algorithm": "label of the algorithm",
    "method": "what figures call it",
    "rounds": "rounds of a trial",
    "trials": "complete trials, which statistics are over",
    "statuses": "number of trials by how they ended",
    "note": "how times were measured, if not as those of all others",
}


class Table(Part, ABC):
    """Base class of the tables of a paper.

    Column names include units. The columns ``x_low95`` and ``x_high95`` contain the ends of the
    95 % interval of ``x``.

    Attributes
    ----------
    meanings : dict
        Meanings of columns not listed in `MEANINGS`.
    """

    kind: str  #: Kind of the table; see below.
    title: str  #: Title of the table.
    caption: str  #: Caption in the report.
    group: Group = "paper"  #: Group of targets to which the table belongs; default `paper`.

    meanings: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def tabulate(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """Yield the rows, as mappings from columns to values."""

    def frame(self, tables: Tables) -> "pd.DataFrame":
        """Return the rows as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.tabulate(tables))

    def document(self, frame: "pd.DataFrame", shortened: str = "") -> str:
        """Return a Markdown document: title, caption, table, and what each column means.

        If the run was shortened, ``shortened`` says how.
        """
        every = {**MEANINGS, **self.meanings}
        meanings = [f"- `{c}`: {every[c]}\n" for c in _without_ends(frame) if c in every]
        parts = [f"# {self.title}\n", self.caption.strip() + "\n"]
        if shortened:
            parts.append(f"**Shortened run ({shortened}): nothing here is a result.**\n")
        parts.append(to_markdown(frame))
        if any(column.endswith(LOW) for column in frame):
            parts.append("Numbers in brackets are the ends of 95 % intervals.\n")
        return "\n".join([*parts, "".join(meanings)]).rstrip() + "\n"


def cell_columns(
    setting: str, algorithm: str, trials: "pd.DataFrame", paper: Paper
) -> dict[str, Any]:
    """Return the columns that identify which cell a row belongs to."""
    return {
        "setting": setting,
        "algorithm": algorithm,
        "method": display_name(algorithm, paper.names, paper.options),
        "rounds": trials["round"].max(),
    }


def statuses(trials: "pd.DataFrame") -> str:
    """Count trials by status, as in ``ok 18, failed 2``; if there are none, return ``missing``."""
    words = trials["status"].str.partition(":")[0] if len(trials) else trials["status"]
    counts = words.value_counts().sort_index()
    return ", ".join(f"{status} {count}" for status, count in counts.items()) or "missing"


def to_markdown(frame: "pd.DataFrame") -> str:
    """Format a table as Markdown.

    Columns ``name``, ``name_low95`` and ``name_high95`` become one column, such as
    ``1.02 [0.97, 1.07]``. Numbers are rounded to three significant digits; missing ones are left
    blank.
    """
    names = _without_ends(frame)
    lines = [names, ["---"] * len(names)]
    lines += [[_item(row, name) for name in names] for row in frame.to_dict("records")]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _without_ends(frame: "pd.DataFrame") -> list[str]:
    return [column for column in frame.columns if not column.endswith((LOW, HIGH))]


def _item(row: Mapping[str, Any], name: str) -> str:
    text, low, high = (_text(row.get(f"{name}{end}")) for end in ("", LOW, HIGH))
    return f"{text} [{low}, {high}]" if text and low else text


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return (value or "").replace("|", "\\|")
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if np.isnan(value):
        return ""
    return f"{value:.0f}" if abs(value) >= 1000 or value == round(value) else f"{value:.3g}"
