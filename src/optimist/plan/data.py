"""Data sets of a plan: their names, raw tables, digests and options."""

from collections.abc import Mapping
from typing import Any

from optimist.core.files import fingerprint
from optimist.core.layout import Layout
from optimist.data.prepare import PREPARATIONS, preparation
from optimist.data.sources import load_sources
from optimist.experiments.code_digest import of_modules
from optimist.plan import costs


def digest_of(name: str, configured: Mapping[str, Any]) -> str:
    """Return a digest of the source, options and code from which a data set is prepared.

    ``configured`` is the section ``datasets`` of the configuration.
    """
    how = preparation(name)
    source = load_sources()[how.raw].content_sha256
    options = {**configured.get(how.raw, {}), **how.options}
    code = of_modules("optimist.data.tables", how.module)
    return fingerprint({"source": source, "options": options, "code": code})


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
        self._digests: dict[str, str] = {}

    @property
    def names(self) -> list[str]:
        """Names of the data sets that can be prepared, followed by those of their raw tables."""
        raw = (how.raw for how in PREPARATIONS.values())
        return list(dict.fromkeys([*PREPARATIONS, *raw]))

    def raw_table(self, wildcards: Any) -> str:
        """Return the path of the raw table from which a data set is prepared."""
        return self._layout.raw_table(preparation(wildcards.dataset).raw)

    def digest(self, name: str) -> str:
        """Return a digest of the source, options and code from which a data set is prepared."""
        if name not in self._digests:
            self._digests[name] = digest_of(name, self._options)
        return self._digests[name]

    @property
    def request(self) -> dict[str, Any]:
        """Resources to request for preparing a data set: the same as for an unmeasured study."""
        return self._costs.request(lambda w: costs.UNKNOWN_STUDY)

    def options(self, wildcards: Any) -> dict[str, dict[str, Any]]:
        """Return the configured options of the ``write`` and ``facts`` functions for a data set."""
        how = preparation(wildcards.dataset)
        configured = self._options.get(how.raw, {})
        return {name: how.select_options(name, configured) for name in ("write", "facts")}
