"""Measures for claims: a statistic of a quantity.

A trial or a turn yields a quantity (`quantities`). A statistic (`statistics`) is a function that
makes evidence of it; the line above the function gives its quantities and the words of its label,
whose fields are the arguments that a check sets. A new statistic takes one function and that line.
"""

from optimist.claims.metrics import statistics  # noqa: F401  fills the table
from optimist.claims.metrics.table import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]
