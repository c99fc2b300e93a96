"""Data sets: fetched, prepared, described."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from optimist.data.prepare import PREPARATIONS, preparation
from optimist.layout import Layout
from optimist.plan import costs


class PlannedData:
    """Data sets of one configuration.

    Parameters
    ----------
    options : mapping
        Section ``datasets`` of the configuration.
    expected : Costs
    layout : Layout
    """

    def __init__(self, options: Mapping[str, Any], expected: costs.Costs, layout: Layout) -> None:
        self._options = options
        self._costs = expected
        self._layout = layout

    @property
    def names(self) -> list[str]:
        """Names of the data sets that can be prepared, and of the raw tables they are made from."""
        raw = (how.raw for how in PREPARATIONS.values())
        return list(dict.fromkeys([*PREPARATIONS, *raw]))

    def raw_table(self, wildcards: Any) -> str:
        """Return the path of the raw table that a prepared data set is made from."""
        return self._layout.raw_table(preparation(wildcards.dataset).raw)

    def is_part(self, path: str) -> bool:
        """Return whether a path is of a data set, its facts or its record."""
        return path.startswith(f"{self._layout.data_folder}/")

    def behind(self, names: Iterable[str]) -> list[str]:
        """Return the paths of prepared data sets, and of the records of their raw tables."""
        raw = {preparation(name).raw for name in names}
        prepared = map(self._layout.data, sorted(names))
        return [*prepared, *map(self._layout.raw_record, sorted(raw))]

    @staticmethod
    def modules(wildcards: Any) -> list[str]:
        """Return the modules that prepare a data set."""
        return [preparation(wildcards.dataset).module]

    @property
    def request(self) -> dict[str, Any]:
        """What preparing a data set asks a scheduler for: as much as an unknown study."""
        return self._costs.request(lambda w: costs.UNKNOWN_STUDY)

    def options(self, function: str) -> Callable[[Any], dict[str, Any]]:
        """Return a params function: the configured options that ``write`` or ``facts`` names."""

        def options(wildcards: Any) -> dict[str, Any]:
            how = preparation(wildcards.dataset)
            return how.select_options(function, self._options.get(how.raw, {}))

        return options
