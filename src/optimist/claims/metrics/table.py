"""The table of metrics; a metric combines a quantity, a statistic and argument names."""

import csv
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from optimist.claims.cells import Cells, Groups
from optimist.claims.evidence import RATIO_UNITS, Evidence
from optimist.claims.first import UNITS
from optimist.claims.inference import EXPONENT_UNITS, JACKKNIFE_UNITS
from optimist.claims.metrics import statistics
from optimist.claims.metrics.quantities import QUANTITIES, Asked
from optimist.claims.tails import fewest_pairs
from optimist.core.errors import ConfigError, known_name, unknown_name
from optimist.core.files import read_text
from optimist.experiments.trials import CellKey


@dataclass(frozen=True)
class Metric:
    """What a check measures, and how.

    Attributes
    ----------
    quantity, statistic : str
    template : str
        Template for the label of a check, with the names of arguments in braces.
    arguments : tuple of str
        Names of the arguments, all of which are required.
    units : {"trials", "turns", "splits"}
        The unit that is counted.
    gate : {"", "bound", "tuned", "growth"}
        How `optimist.claims.gates` obtains the factor by which a method must beat uniform play:
        from the check's bound ("bound" and "tuned"), or as a constant ("growth"). With "tuned", the
        settings are tunings, and a method must beat uniform play in only one of them. Empty if the
        metric compares no regrets and so has no gate.
    least : int or callable
        The smallest number of units needed to decide, or a function that computes it from the error
        allowed on each side. The minimum for all checks also applies.
    is_exact : bool
        Whether the value has no sampling error, so that any number of units suffices.
    settings : int
        Required length of the list of settings; 0 allows any length.
    make : callable
        The function that computes the evidence.
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
        """The statistic and the quantity, in words."""
        return f"{self.statistic} of {self.quantity}"

    def __call__(self, cells: Cells, **arguments: Any) -> Evidence:
        """Compute the evidence from ``cells``; raise Missing if they lack the necessary values."""
        return self.make(Asked(cells, QUANTITIES[self.quantity], arguments))

    def needed(self, arguments: Mapping[str, object]) -> list[CellKey]:
        """Return the lane, setting and algorithm of each cell read by the metric.

        The list is empty for facts and studies.

        Raises
        ------
        ConfigError
            If the arguments have wrong types or are inconsistent.
        """
        asked = Asked(Cells(Groups({})), QUANTITIES[self.quantity], arguments)
        try:
            asked.check(self.settings)
            return asked.needed
        except (TypeError, ValueError) as error:
            raise ConfigError(f"arguments are {dict(arguments)!r}: {error}") from None

    def least_units(self, arguments: Mapping[str, Any], alpha: float) -> int:
        """Return the minimum number of units: those needed to decide, plus trials for tuning.

        ``alpha`` is the error allowed on each side.
        """
        least = self.least(alpha) if callable(self.least) else self.least
        return max(least, UNITS[self.units]) + int(arguments.get("tuning", 0))


# The table of metrics. Its names of functions, arguments and quantities are separated by spaces.
# A field ``quantity`` of a label stands for the words of the quantity.
TABLE = Path(__file__).with_name("metrics.csv")
# The smallest numbers of units needed to decide, by the kind of test in the column ``least``.
LEAST: dict[str, int | Callable[[float], int]] = {
    "": 0,
    "exact": 0,
    "exponent": EXPONENT_UNITS,
    "jackknife": JACKKNIFE_UNITS,
    "ratio": RATIO_UNITS,
    "sign test": fewest_pairs,
}


GATES = ("", "bound", "tuned", "growth")


def _read(path: Path) -> dict[tuple[str, str], list[Metric]]:
    metrics: dict[tuple[str, str], list[Metric]] = {}
    made_here = ((name, getattr(one, "__module__", "")) for name, one in vars(statistics).items())
    functions = [name for name, module in made_here if module == statistics.__name__]
    for line, row in enumerate(csv.DictReader(read_text(path).splitlines()), 2):
        where = f"in {path.name}, line {line},"
        if None in row or None in row.values():
            columns = ", ".join(filter(None, row))
            raise ConfigError(f"fields {where} are too many or too few; allowed: {columns}")
        known_name(f"function {where}", row["function"], functions)
        known_name(f"least {where}", row["least"], LEAST)
        known_name(f"gate {where}", row["gate"], GATES)
        for quantity in row["quantities"].split():
            known_name(f"quantity {where}", quantity, QUANTITIES)
            about, statistic = QUANTITIES[quantity], row["statistic"]
            if about.is_gated and not row["gate"]:
                raise ConfigError(
                    f"gate {where} is empty; allowed for {quantity}: {', '.join(GATES[1:])}"
                )
            arguments = (*about.arguments, *row["arguments"].split())
            made = Metric(
                quantity,
                statistic,
                row["label"].replace("{quantity}", about.words),
                arguments,
                "splits" if "folds" in arguments else about.unit,
                row["gate"] if about.is_gated else "",
                LEAST[row["least"]],
                row["least"] == "exact",
                int(row["settings"] or 0),
                getattr(statistics, row["function"]),
            )
            metrics.setdefault((quantity, statistic), []).append(made)
    return metrics


METRICS = _read(TABLE)


def metric(quantity: str, statistic: str, arguments: Collection[str]) -> Metric:
    """Return the metric with the given quantity, statistic and argument names.

    Raises
    ------
    ConfigError
        If a name is unknown or the arguments do not match; the message gives the allowed names.
    """
    known_name("quantity", quantity, QUANTITIES)
    if (quantity, statistic) not in METRICS:
        names = [name for key, name in METRICS if key == quantity]
        raise unknown_name(f"statistic of {quantity}", statistic, names)
    metrics, where = METRICS[quantity, statistic], f"{statistic} of {quantity}"
    allowed_names = {name for one in metrics for name in one.arguments}
    for name in arguments:
        known_name(f"argument of {where}", name, allowed_names)
    given = set(arguments)
    best = min(metrics, key=lambda one: len(given.symmetric_difference(one.arguments)))
    if given != set(best.arguments):
        given_names, allowed = ", ".join(arguments), ", ".join(best.arguments)
        raise ConfigError(f"{where} has the arguments {given_names}; allowed: {allowed}")
    return best
