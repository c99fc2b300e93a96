"""Metrics for claims: each is a statistic of a quantity.

A quantity is a value measured in a trial or a turn (`quantities`). A statistic is a function that
turns such values into evidence (`statistics`). The decorator `line` gives the quantities to which
the function applies and the template of its label, whose fields are the arguments set by a check.
To add a statistic, write a function with this decorator.
"""

from optimist.claims.metrics import statistics  # noqa: F401  fills the table
from optimist.claims.metrics.table import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]
