"""Data sets: fetched, prepared, described."""

from optimist.data import prepare as preparation
from optimist.plan import costs
from optimist.plan.code import sources


class PlannedData:
    """Data sets of one configuration.

    Parameters
    ----------
    config : dict
        A checked configuration.
    expected : Costs
    """

    def __init__(self, config, expected):
        self._folder = f"{config['results']}/data"
        self._options = config["datasets"]
        self._costs = expected

    @property
    def names(self):
        """Names of the data sets that can be prepared, and of the raw tables they are made from."""
        raw = (how.raw for how in preparation.PREPARATIONS.values())
        return list(dict.fromkeys([*preparation.PREPARATIONS, *raw]))

    def path(self, name):
        """Return the path of a prepared data set."""
        return f"{self._folder}/{name}.csv"

    def facts(self, name):
        """Return the path of the facts about a prepared data set."""
        return f"{self._folder}/{name}_facts.csv"

    def record(self, raw):
        """Return the path of the record of where a raw table came from."""
        return f"{self._folder}/raw/{raw}.json"

    def raw_table(self, wildcards):
        """Return the path of the raw table that a prepared data set is made from."""
        return f"{self._folder}/raw/{preparation.preparation(wildcards.dataset).raw}.parquet"

    def is_part(self, path):
        """Return whether a path is of a data set, its facts or its record."""
        return path.startswith(f"{self._folder}/")

    def behind(self, names):
        """Return the paths of prepared data sets, and of the records of their raw tables."""
        raw = {preparation.preparation(name).raw for name in names}
        return [*map(self.path, sorted(names)), *map(self.record, sorted(raw))]

    def inputs(self, *modules):
        """Return an input function: the sources that prepare a data set, and of ``modules``."""
        return lambda w: sources(preparation.preparation(w.dataset).module, *modules)

    @property
    def request(self):
        """What preparing a data set asks a scheduler for: as much as an unknown study."""
        return self._costs.request(lambda w: costs.UNKNOWN_STUDY)

    def options(self, function):
        """Return a params function: the configured options that ``write`` or ``facts`` names."""

        def options(wildcards):
            how = preparation.preparation(wildcards.dataset)
            return how.select_options(function, self._options.get(how.raw, {}))

        return options
