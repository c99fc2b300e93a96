"""The table of metrics: a metric is a statistic of a quantity with its arguments."""

import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from optimist.claims.cells import Cells, Groups
from optimist.claims.evidence import Evidence, Exact
from optimist.claims.first import UNITS
from optimist.claims.metrics.quantities import QUANTITIES, Asked
from optimist.core.errors import ConfigError, unknown_name
from optimist.experiments.trials import CellKey


@dataclass(frozen=True)
class Metric:
    """The measure of a check.

    Attributes
    ----------
    quantity, statistic : str
    template : str
        Words of its label, with arguments in braces.
    arguments : tuple of str
        All are required.
    units : {"trials", "turns", "splits"}
        The counted unit.
    gate : {"", "bound", "tuned", "growth"}
        Empty if it compares no regrets. The factor of `optimist.claims.gates` comes from its bound,
        or is the factor of growth; if settings are tunings, a method has to learn in one of them.
    least : int or callable
        The smallest number of units with which it decides, or a function from the error on each
        side to it, if that exceeds the minimum of every check.
    is_exact : bool
        Whether its value has no sampling error: any number of units suffices.
    settings : int
        Length of a list of settings; 0 for any.
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
    is_exact: bool
    settings: int
    make: Callable[[Asked], Evidence]

    @property
    def name(self) -> str:
        """Statistic and quantity."""
        return f"{self.statistic} of {self.quantity}"

    def __call__(self, cells: Cells, **arguments: Any) -> Evidence:
        """Return the evidence from cells; raise Missing if they lack it."""
        return self.make(Asked(cells, QUANTITIES[self.quantity], arguments))

    def needed(self, arguments: Mapping[str, Any]) -> list[CellKey]:
        """Return lane, setting and algorithm of the cells that it reads; empty for studies.

        Raises
        ------
        ConfigError
            If the arguments have wrong types, or do not fit each other.
        """
        asked = Asked(Cells(Groups({})), QUANTITIES[self.quantity], arguments)
        try:
            asked.check(self.settings)
            return asked.needed
        except (TypeError, ValueError) as error:
            raise ConfigError(f"arguments are {dict(arguments)!r}: {error}") from None

    def least_units(self, arguments: Mapping[str, Any], alpha: float) -> int:
        """Return the smallest number of units that decides at an error on a side, plus tuning."""
        least = self.least(alpha) if callable(self.least) else self.least
        return max(least, UNITS[self.units]) + int(arguments.get("tuning", 0))


# Short forms of several arguments in the words of a label.
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
    """Register a function as a statistic of some quantities.

    The fields of ``words``, the label, are arguments, or abbreviate several (`SHORT`);
    ``quantity`` is the quantity. ``more`` are arguments that no words name. The other parameters
    are attributes of `Metric`; only quantities with a gate have one. The function's return type
    says whether its evidence is exact.
    """

    def give(function: Any) -> Any:
        for quantity in quantities.split():
            if quantity not in QUANTITIES:
                raise unknown_name("quantity", quantity, QUANTITIES)
            about = QUANTITIES[quantity]
            template = words.replace("{quantity}", about.words)
            for short, long in SHORT.items():
                template = template.replace(short, long)
            fields = [field for _, field, _, _ in string.Formatter().parse(template) if field]
            arguments = (*about.arguments, *fields, *more.split())
            label = quantity, statistic, template, arguments
            unit = "splits" if "folds" in arguments else about.unit
            gate_of_quantity = gate if about.is_gated else ""
            is_exact = function.__annotations__["return"] is Exact
            made = Metric(*label, unit, gate_of_quantity, least, is_exact, settings, function)
            METRICS.setdefault((quantity, statistic), []).append(made)
        return function

    return give


def metric(quantity: str, statistic: str, arguments: Collection[str]) -> Metric:
    """Return the metric of a quantity and a statistic with these argument names.

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
    allowed_names = {name for one in metrics for name in one.arguments}
    for name in arguments:
        if name not in allowed_names:
            raise unknown_name(f"argument of {where}", name, allowed_names)
    given = set(arguments)
    best = min(metrics, key=lambda one: len(given.symmetric_difference(one.arguments)))
    if given != set(best.arguments):
        given_names, allowed = ", ".join(arguments), ", ".join(best.arguments)
        raise ConfigError(f"{where} has the arguments {given_names}; allowed: {allowed}")
    return best
