"""Metrics for claims: each is a statistic of a quantity.

A quantity is a value measured in a trial or a turn (`quantities`). A statistic is a function that
turns such values into evidence (`statistics`). The table metrics.csv gives the quantities to which
a function applies, the arguments that a check sets, and the template of its label. To add a
statistic, write a function, and a row of the table.
"""
