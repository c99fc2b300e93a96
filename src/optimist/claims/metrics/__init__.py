"""Metrics for claims: each is a statistic of a quantity.

A trial or a turn yields a quantity (`quantities`). A statistic (`statistics`) is a function that
turns such values into evidence. The ``line`` above the function names its quantities and gives the
template of its label, whose fields are the arguments that a check sets. To add a statistic, write
one function with such a line.
"""

from optimist.claims.metrics import statistics  # noqa: F401  fills the table
from optimist.claims.metrics.table import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]
