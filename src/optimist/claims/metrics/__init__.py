"""What can be measured for a claim: a literal table from the name of a metric to its function.

A metric is a function of `Cells`, which looks up what it reads, and of keyword arguments, which a
check sets. It returns a `Measurement` or raises `Missing`; `worded` gives it the words of its
label, the fewest units that it decides with, and what those are. A new one costs its function and a
line here.
"""

import importlib
import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from optimist.claims.cells import Metric
from optimist.errors import unknown_name

METRICS = {
    "regret_ratio": "optimist.claims.metrics.regret:regret_ratio",
    "median_regret_ratio": "optimist.claims.metrics.regret:median_regret_ratio",
    "median_regret": "optimist.claims.metrics.regret:median_regret",
    "tuned_regret_ratio": "optimist.claims.metrics.regret:tuned_regret_ratio",
    "regret_ratio_since": "optimist.claims.metrics.regret:regret_ratio_since",
    "regret_spread_ratio": "optimist.claims.metrics.regret:regret_spread_ratio",
    "split_difference": "optimist.claims.metrics.regret:split_difference",
    "split_doubling": "optimist.claims.metrics.regret:split_doubling",
    "regret_doubling": "optimist.claims.metrics.regret:regret_doubling",
    "regret_growth_within": "optimist.claims.metrics.regret:regret_growth_within",
    "regret_exponent_within": "optimist.claims.metrics.regret:regret_exponent_within",
    "late_regret": "optimist.claims.metrics.regret:late_regret",
    "late_rate": "optimist.claims.metrics.regret:late_rate",
    "regret_growth": "optimist.claims.metrics.regret:regret_growth",
    "regret_ratio_across": "optimist.claims.metrics.regret:regret_ratio_across",
    "regret_ratio_growth": "optimist.claims.metrics.regret:regret_ratio_growth",
    "regret_gap_difference": "optimist.claims.metrics.regret:regret_gap_difference",
    "regret_exponent": "optimist.claims.metrics.regret:regret_exponent",
    "median_regret_exponent": "optimist.claims.metrics.regret:median_regret_exponent",
    "regret_slope": "optimist.claims.metrics.regret:regret_slope",
    "late_regret_slope": "optimist.claims.metrics.regret:late_regret_slope",
    "regret_ratio_slope": "optimist.claims.metrics.regret:regret_ratio_slope",
    "share_of_settings": "optimist.claims.metrics.regret:share_of_settings",
    "time_total": "optimist.claims.metrics.time:time_total",
    "time_ratio": "optimist.claims.metrics.time:time_ratio",
    "time_ratio_growth": "optimist.claims.metrics.time:time_ratio_growth",
    "time_flat_over_rounds": "optimist.claims.metrics.time:time_flat_over_rounds",
    "time_slope": "optimist.claims.metrics.time:time_slope",
    "time_slope_difference": "optimist.claims.metrics.time:time_slope_difference",
    "time_growth": "optimist.claims.metrics.time:time_growth",
    "time_ratio_of_pair": "optimist.claims.metrics.time:time_ratio_of_pair",
    "time_exponent": "optimist.claims.metrics.time:time_exponent",
    "time_slope_on": "optimist.claims.metrics.time:time_slope_on",
    "time_ratio_exponent": "optimist.claims.metrics.time:time_ratio_exponent",
    "share_of_rounds": "optimist.claims.metrics.records:share_of_rounds",
    "column_growth": "optimist.claims.metrics.records:column_growth",
    "column_curvature": "optimist.claims.metrics.records:column_curvature",
    "largest": "optimist.claims.metrics.records:largest",
    "largest_quotient": "optimist.claims.metrics.records:largest_quotient",
    "coverage": "optimist.claims.metrics.records:coverage",
    "state_slope": "optimist.claims.metrics.records:state_slope",
    "state_growth": "optimist.claims.metrics.records:state_growth",
    "state_ratio": "optimist.claims.metrics.records:state_ratio",
    "state_exponent": "optimist.claims.metrics.records:state_exponent",
    "state_slope_on": "optimist.claims.metrics.records:state_slope_on",
    "agreement": "optimist.claims.metrics.records:agreement",
    "watched_median": "optimist.claims.metrics.watched:watched_median",
    "watched_mean": "optimist.claims.metrics.watched:watched_mean",
    "watched_largest": "optimist.claims.metrics.watched:watched_largest",
    "watched_slope": "optimist.claims.metrics.watched:watched_slope",
    "watched_exponent_difference": "optimist.claims.metrics.watched:watched_exponent_difference",
    "fact": "optimist.claims.metrics.facts:fact",
    "scaling_slope": "optimist.claims.metrics.facts:scaling_slope",
    "pass_slope": "optimist.claims.metrics.facts:pass_slope",
    "not_run": "optimist.claims.metrics.facts:not_run",
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


def least_units(name: str, arguments: Mapping[str, Any], alpha: float) -> int:
    """Return the fewest trials or turns that decide, those that only tune included.

    ``alpha`` is the error allowed on each side.
    """
    return metric(name).least(alpha) + arguments.get("tuning", 0)
