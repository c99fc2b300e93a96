"""Data sets of a plan: their names, raw tables, digests and options."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from optimist.core.files import fingerprint
from optimist.data.prepare import PREPARATIONS, preparation
from optimist.data.sources import load_sources
from optimist.experiments.code_digest import of_modules
from optimist.plan import costs

if TYPE_CHECKING:
    from optimist.plan.plan import Plan


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
    """Data sets of a plan.

    Attributes
    ----------
    names : list of str
        Names of the data sets that can be prepared, followed by those of their raw tables.
    digest : callable
        Returns the digest of the source, options and code of a data set, given its name.
    request : dict
        Resources to request for preparing a data set: the same as for an unmeasured study.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan, self._configured = plan, plan.config["datasets"]
        raw = (how.raw for how in PREPARATIONS.values())
        self.names = list(dict.fromkeys([*PREPARATIONS, *raw]))
        self.digest = cache(lambda name: digest_of(name, self._configured))
        self.request = plan.costs.request(lambda wildcards: costs.UNKNOWN_STUDY)

    def raw_table(self, wildcards: Any) -> str:
        """Return the path of the raw table from which a data set is prepared."""
        return self._plan.layout.raw_table(preparation(wildcards.dataset).raw)

    def options(self, wildcards: Any) -> dict[str, dict[str, object]]:
        """Return the configured options of the ``write`` and ``facts`` functions for a data set."""
        how = preparation(wildcards.dataset)
        configured: Any = self._configured.get(how.raw, {})
        return {name: how.select_options(name, configured) for name in ("write", "facts")}
