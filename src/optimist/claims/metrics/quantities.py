"""Quantities: values measured in a trial or a turn, and the tables that contain them.

A trial of the timing lane is called a turn; in each turn, cells are played one after another.
Times are compared only between cells that were timed in the same turns, so that changes in the
machine's speed cancel. State sizes do not depend on the machine. All algorithms in a setting face
the same random numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from optimist.claims.cells import LANE_OF, Cells, Missing, by_split, common, last
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.experiments.loop import COMPLETE
from optimist.experiments.trials import CellKey

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Quantity:
    """A value measured in a trial or a turn.

    Attributes
    ----------
    table : str
        The table that contains the quantity at the end of trials; "studies" refers to the table
        named by the argument ``study``.
    column : str
        The column of the table. ``{argument}`` is replaced by the value of the argument.
    words : str
        The name of the quantity in labels. ``{argument}`` is replaced by the value of the argument.
    unit : {"trials", "turns"}
        The unit that is counted. Means over trials are arithmetic, means over turns geometric.
    arguments : tuple of str
        Names of arguments that all statistics of the quantity have.
    is_gated : bool
        Whether checks of the quantity can be decided only if some method beats uniform play.
    is_together : bool
        Whether cells can be compared only if they were timed in the same turns.
    """

    table: str
    column: str = ""
    words: str = ""
    unit: str = "trials"
    arguments: tuple[str, ...] = ()
    is_gated: bool = False
    is_together: bool = False


QUANTITIES = {
    "regret": Quantity("finals", "regret", "regret", is_gated=True),
    "column": Quantity("finals", "{column}", "{column}", arguments=("column",)),
    "quotient": Quantity("finals", "{top}", "{top} / {bottom}", arguments=("top", "bottom")),
    "coverage": Quantity("finals", "covered"),
    "time": Quantity("times", "seconds", "time", "turns", is_together=True),
    "state": Quantity("times", "state_bytes", "state's bytes", "turns"),
    "agreement": Quantity("times", "agreements", unit="turns"),
    "watched": Quantity("studies", "{column}", "{column}", arguments=("study", "column")),
    "part_time": Quantity("scaling", "dimension", unit="turns"),
    "pass_time": Quantity("passes", "length", unit="turns"),
    "fact": Quantity("facts"),
    "not_run": Quantity("facts"),
}


@dataclass(frozen=True)
class Asked:
    """A quantity, evaluated in the cells named by a check's arguments."""

    cells: Cells
    quantity: Quantity
    arguments: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def __contains__(self, name: str) -> bool:
        return name in self.arguments

    @property
    def is_timed(self) -> bool:
        """Whether the units are turns, over which means are geometric."""
        return self.quantity.unit == "turns"

    @property
    def column(self) -> str:
        """The column of the table that contains the quantity."""
        return self.quantity.column.format(**self.arguments)

    @property
    def settings(self) -> list[str]:
        """The settings, in the label's order."""
        if "settings" in self:
            return list(self["settings"])
        return [self[key] for key in ("setting", "base") if key in self]

    @property
    def algorithms(self) -> list[str]:
        """The algorithms, in the label's order."""
        keys = ("algorithm", "numerator", "denominator", "one", "other", "worse", "better", "scale")
        return [self[key] for key in keys if key in self]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The cells as pairs (setting, algorithm).

        If the check has the argument ``settings``, each algorithm is paired with each setting.
        """
        if "settings" in self:
            return [(setting, one) for one, setting in product(self.algorithms, self.settings)]
        if "algorithm" in self and "other" in self:
            return list(zip(self.settings, self.algorithms, strict=True))
        return list(product(self.settings, self.algorithms))

    @property
    def needed(self) -> list[CellKey]:
        """The lane, setting and algorithm of each cell; empty for facts and studies."""
        lane = LANE_OF.get(self.quantity.table)
        return [(lane, *pair) for pair in dict.fromkeys(self.pairs)] if lane else []

    def check(self, number: int) -> None:
        """Raise ConfigError if the arguments are inconsistent.

        ``number`` is the required length of the list of settings; 0 allows any length.
        """
        settings, since = self.settings, self.arguments.get("since")
        numbers = {
            "points": self.arguments.get("points", settings),
            "since": since if isinstance(since, list) else settings,
        }
        if "settings" in self and number not in (0, len(settings)):
            raise ConfigError(f"settings has {len(settings)} names; allowed: {number}")
        for name, numbers_given in numbers.items():
            if not isinstance(numbers_given, str) and len(numbers_given) != len(settings):
                words = f"{name} has {len(numbers_given)} numbers"
                raise ConfigError(f"{words}; allowed: {len(settings)}, one for each setting")
        if "tuning" in self and len(set(map(Label.name_of, settings))) > 1:
            names = ", ".join(settings)
            raise ConfigError(
                f"the settings for tuning are {names}; allowed: settings that have the same name"
            )
        if "rounds" in self and not 0 <= self["since"] < self["rounds"]:
            raise ConfigError(
                f"since is {self['since']}; allowed: at least 0 and below the value of rounds, "
                f"{self['rounds']}"
            )

    def frames(self, column: str = "", also: int = 0) -> "list[pd.DataFrame]":
        """Return the rows of each cell's complete trials, which must have the column.

        If the quantity is in ``finals`` and the check names a round, the rows include all recorded
        rounds; otherwise they come from the quantity's own table. Trials with numbers below
        ``also`` are always included.

        Raises
        ------
        Missing
            If cells lack such rows or were not timed in the same turns; the message names the
            cells.
        """
        table, column, pairs = self.quantity.table, column or self.column, self.pairs
        if table == "studies":
            return [self._watched(pair, column) for pair in pairs]
        if table == "finals" and "since" in self:
            table = "regrets"
        frames = self.cells.complete(table, column, *pairs, also=also)
        if self.quantity.is_together and len(pairs) > 1:
            turns = [rows.get("turns") for rows in frames]
            groups = {one for column in turns if column is not None for one in column.unique()}
            if len(groups) > 1 or any(
                column_of_cell is None or column_of_cell.isna().any() for column_of_cell in turns
            ):
                names = ", ".join("/".join(pair) for pair in pairs)
                raise Missing([f"common turns of {names}: they were not timed in turns together"])
        return frames

    def _watched(self, pair: tuple[str, str], column: str) -> "pd.DataFrame":
        setting, algorithm = pair
        rows = self.cells.rows(self["study"], setting=setting, algorithm=algorithm)
        rows = rows[rows["status"].isin(COMPLETE) & (rows["round"] > 0)]
        if column not in rows or rows[column].isna().all():
            raise Missing([f"{column} of {setting}, {algorithm} in {self['study']}"])
        return rows

    def end(self, rows: "pd.DataFrame", column: str = "") -> "pd.Series":
        """Return the quantity, or another column, at the end of each trial."""
        return last(rows, column or self.column)

    def at(self, rows: "pd.DataFrame", rounds: float, column: str = "") -> "pd.Series":
        """Return the quantity, or another column, at a given round of each trial.

        The value is the last one recorded up to the round ``rounds``, except that times are
        interpolated between recorded rounds.

        Raises
        ------
        Missing
            If the trials have fewer rounds.
        """
        import pandas as pd

        column = column or self.column
        if rows["round"].max() < rounds:
            raise Missing([f"round {rounds} in trials of {rows['round'].max()} rounds"])
        if not self.quantity.is_together:
            return last(rows[rows["round"] <= rounds], column)
        trials = rows.sort_values("round").groupby("trial")
        return pd.Series({i: np.interp(rounds, one["round"], one[column]) for i, one in trials})

    def after(self, rows: "pd.DataFrame", since: int) -> "pd.Series":
        """Return the quantity's growth in each trial after the round ``since``.

        Raise Missing unless the trials have at least one round after ``since``.
        """
        total = self.at(rows, max(since + 1, int(rows["round"].max())))
        return total - self.at(rows, since) if since else total

    def series(self, frames: "Sequence[pd.DataFrame]") -> "list[pd.Series]":
        """Return the values described by the label, as series indexed by trial.

        These are the values at two rounds, the growth after a round, or the values at the end,
        depending on the arguments ``rounds`` and ``since``.
        """
        if "rounds" in self:
            ends = self["rounds"], self["since"]
            return [self.at(rows, t) for t in ends for rows in frames]
        if "since" in self:
            since = np.broadcast_to(self["since"], len(frames)).tolist()
            return [self.after(rows, t) for rows, t in zip(frames, since, strict=True)]
        return [self.end(rows) for rows in frames]

    def common(self) -> np.ndarray:
        """Return the `series` over their common trials, one row per series."""
        return common(self.series(self.frames()))

    def by_unit(self, values: "pd.Series") -> "pd.Series":
        """Return the mean on each split if the trials play data splits, otherwise the values."""
        return by_split(values, self["folds"] * self["repeats"]) if "folds" in self else values

    def positions(self, frames: "Sequence[pd.DataFrame]") -> np.ndarray:
        """Return the positions of the settings on their axis, as an array of shape (settings,).

        The argument ``points`` of the check is a list with one number per setting, the name of a
        fact about the settings, or "rounds", which stands for each setting's number of rounds.
        """
        points, settings = self["points"], self.settings
        if points == "rounds":
            return np.array([float(frame["round"].max()) for frame in frames[: len(settings)]])
        if isinstance(points, str):
            facts = self.cells.pick("facts", *((points, setting) for setting in settings))
            return np.array([fact.value for fact in facts])
        return np.asarray(points, dtype=float)
