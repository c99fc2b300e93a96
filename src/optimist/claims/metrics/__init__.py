"""What can be measured for a claim: a literal table from the name of a metric to its function.

A metric is a function of `Cells`, which looks up what it reads, and of keyword arguments, which a
check sets. It returns a `Measurement` or raises `Missing`; `worded` gives it the words of its
label. A new one costs its function and a line here.
"""

import importlib
import inspect
from functools import lru_cache

from optimist.claims.cells import Metric
from optimist.errors import unknown_name

METRICS = {
    "regret_ratio": "optimist.claims.metrics.regret:regret_ratio",
    "median_regret_ratio": "optimist.claims.metrics.regret:median_regret_ratio",
    "tuned_regret_ratio": "optimist.claims.metrics.regret:tuned_regret_ratio",
    "regret_ratio_until": "optimist.claims.metrics.regret:regret_ratio_until",
    "regret_ratio_since": "optimist.claims.metrics.regret:regret_ratio_since",
    "regret_ratio_across": "optimist.claims.metrics.regret:regret_ratio_across",
    "regret_ratio_growth": "optimist.claims.metrics.regret:regret_ratio_growth",
    "regret_growth": "optimist.claims.metrics.regret:regret_growth",
    "regret_difference": "optimist.claims.metrics.regret:regret_difference",
    "regret_spread_ratio": "optimist.claims.metrics.regret:regret_spread_ratio",
    "interval_gap": "optimist.claims.metrics.regret:interval_gap",
    "regret_doubling": "optimist.claims.metrics.regret:regret_doubling",
    "late_regret": "optimist.claims.metrics.regret:late_regret",
    "late_rate": "optimist.claims.metrics.regret:late_rate",
    "regret_exponent": "optimist.claims.metrics.regret:regret_exponent",
    "time_total": "optimist.claims.metrics.time:time_total",
    "time_ratio": "optimist.claims.metrics.time:time_ratio",
    "time_ratio_until": "optimist.claims.metrics.time:time_ratio_until",
    "time_ratio_growth": "optimist.claims.metrics.time:time_ratio_growth",
    "time_growth": "optimist.claims.metrics.time:time_growth",
    "time_exponent": "optimist.claims.metrics.time:time_exponent",
    "time_flat_over_settings": "optimist.claims.metrics.time:time_flat_over_settings",
    "time_flat_over_rounds": "optimist.claims.metrics.time:time_flat_over_rounds",
    "time_slope": "optimist.claims.metrics.time:time_slope",
    "share_of_rounds": "optimist.claims.metrics.records:share_of_rounds",
    "largest": "optimist.claims.metrics.records:largest",
    "largest_quotient": "optimist.claims.metrics.records:largest_quotient",
    "coverage": "optimist.claims.metrics.records:coverage",
    "state_slope": "optimist.claims.metrics.records:state_slope",
    "state_growth": "optimist.claims.metrics.records:state_growth",
    "agreement": "optimist.claims.metrics.records:agreement",
    "fact": "optimist.claims.metrics.facts:fact",
    "fact_ratio": "optimist.claims.metrics.facts:fact_ratio",
    "scaling_slope": "optimist.claims.metrics.facts:scaling_slope",
}
# Modules of metrics, which decide verdicts though nothing imports them by name.
MODULES = tuple(sorted({place.partition(":")[0] for place in METRICS.values()}))


@lru_cache
def metric(name: str) -> Metric:
    """Return the metric called ``name``; raise ConfigError with the allowed names otherwise."""
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    module, _, function = METRICS[name].partition(":")
    return getattr(importlib.import_module(module), function)


def metric_arguments(name: str) -> list[str]:
    """Return the argument names of the metric called ``name``; raise ConfigError if unknown."""
    parameters = inspect.signature(metric(name)).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
