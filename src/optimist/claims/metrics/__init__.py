"""Metrics for claims: each is a statistic of a quantity.

A quantity is a value that a trial or a turn yields (`quantities`). A statistic is a function that
turns such values into evidence (`statistics`). The decorator `line` above the function names the
quantities to which it applies, and the template of its label; the fields of the template are the
arguments that a check sets. To add a statistic, write one function with this decorator.
"""

from optimist.claims.metrics import statistics  # noqa: F401  fills the table
from optimist.claims.metrics.table import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]
