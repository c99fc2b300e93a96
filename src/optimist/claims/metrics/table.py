"""The table of metrics: a metric is a statistic of a quantity with its arguments."""

import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from optimist.claims.cells import Cells, Groups
from optimist.claims.first import UNITS
from optimist.claims.inference import Evidence
from optimist.claims.metrics.quantities import QUANTITIES, Asked
from optimist.core.errors import ConfigError, unknown_name
from optimist.experiments.trials import CellKey


@dataclass(frozen=True)
class Metric:
    """What a check measures.

    Attributes
    ----------
    quantity, statistic : str
    template : str
        Words of its label, with arguments in braces.
    arguments : tuple of str
        All of them have to be given.
    units : {"trials", "turns", "splits"}
        What counts in it.
    gate : {"", "bound", "tuned", "growth"}
        Empty if it compares no regrets. The factor of `optimist.claims.gates` comes from its bound,
        or is that of growth; where settings are tunings, a method has to learn in one of them.
    least : int or callable
        The fewest units with which it can decide anything, or these by the error on each side, if
        there are more than the fewest of any check.
    settings : int
        How many a list of settings has; 0 for any number.
    make : callable
        Makes the evidence.
    """

    quantity: str
    statistic: str
    template: str
    arguments: tuple[str, ...]
    units: str
    gate: str
    least: int | Callable[[float], int]
    settings: int
    make: Callable[[Asked], Evidence]

    @property
    def name(self) -> str:
        """Statistic and quantity."""
        return f"{self.statistic} of {self.quantity}"

    def __call__(self, cells: Cells, **arguments: Any) -> Evidence:
        """Return what cells yield; raise Missing if they lack it."""
        return self.make(Asked(cells, QUANTITIES[self.quantity], arguments))

    def needed(self, arguments: Mapping[str, Any]) -> list[CellKey]:
        """Return lane, setting and algorithm of the cells that it reads, of none in studies.

        Raises
        ------
        ConfigError
            If the arguments are of another kind, or do not fit each other.
        """
        asked = Asked(Cells(Groups({})), QUANTITIES[self.quantity], arguments)
        try:
            asked.check(self.settings)
            return asked.needed
        except (TypeError, ValueError) as error:
            raise ConfigError(f"arguments are {dict(arguments)!r}: {error}") from None

    def least_units(self, arguments: Mapping[str, Any], alpha: float) -> int:
        """Return the fewest units that decide at an error on each side, and those that tune."""
        least = self.least(alpha) if callable(self.least) else self.least
        return max(least, UNITS[self.units]) + arguments.get("tuning", 0)


# What stands for several arguments in the words of a label.
SHORT = {
    "{pair}": "{numerator} / {denominator}",
    "{cell}": "{algorithm}, {setting}",
    "{over}": "{algorithm} over {settings}",
}
METRICS: dict[tuple[str, str], list[Metric]] = {}


def line(
    statistic: str,
    quantities: str,
    words: str,
    more: str = "",
    *,
    least: int | Callable[[float], int] = 0,
    gate: str = "growth",
    settings: int = 0,
) -> Callable[[Any], Any]:
    """Put a function into the table, as a statistic of some quantities.

    ``words`` are those of the label: its fields are arguments, or stand for some of them (`SHORT`),
    and ``quantity`` is the quantity. ``more`` are arguments that no words name. The others are
    those of `Metric`: ``least`` is 1 of exact values and of shares, which count trials, and only
    quantities with a gate have one.
    """

    def give(function: Any) -> Any:
        for quantity in quantities.split():
            about = QUANTITIES[quantity]
            template = words.replace("{quantity}", about.words)
            for short, long in SHORT.items():
                template = template.replace(short, long)
            fields = [field for _, field, _, _ in string.Formatter().parse(template) if field]
            arguments = (*about.arguments, *fields, *more.split())
            unit = "splits" if "folds" in arguments else "trials" if least == 1 else about.unit
            own = gate if about.is_gated else ""
            found = Metric(
                quantity, statistic, template, arguments, unit, own, least, settings, function
            )
            METRICS.setdefault((quantity, statistic), []).append(found)
        return function

    return give


def metric(quantity: str, statistic: str, arguments: Collection[str]) -> Metric:
    """Return a statistic of a quantity that has these names of arguments.

    Raises
    ------
    ConfigError
        With the allowed names and the nearest one.
    """
    if quantity not in QUANTITIES:
        raise unknown_name("quantity", quantity, QUANTITIES)
    if (quantity, statistic) not in METRICS:
        names = [name for key, name in METRICS if key == quantity]
        raise unknown_name(f"statistic of {quantity}", statistic, names)
    metrics, where = METRICS[quantity, statistic], f"{statistic} of {quantity}"
    known = {name for one in metrics for name in one.arguments}
    for name in arguments:
        if name not in known:
            raise unknown_name(f"argument of {where}", name, known)
    given = set(arguments)
    best = min(metrics, key=lambda one: len(given.symmetric_difference(one.arguments)))
    if given != set(best.arguments):
        found, allowed = ", ".join(arguments), ", ".join(best.arguments)
        raise ConfigError(f"{where} has the arguments {found}; allowed: {allowed}")
    return best
