"""What can be measured for a claim: a statistic of a quantity.

A quantity (`quantities`) is what a trial or a turn yields. A statistic (`statistics`) is a function
that makes evidence of it; the line above it says for which quantities it is, and the words of its
label, whose fields are the arguments that a check sets. A new one costs its function and that line.
"""

from optimist.claims.metrics import statistics  # noqa: F401  fills the table
from optimist.claims.metrics.table import METRICS, Metric, metric

__all__ = ["METRICS", "Metric", "metric"]
