"""Comparison of algorithms on the same trials, in any settings and outside the workflow.

`optimist.config.select` finds the cells named by strings, ``play`` plays missing trials, ``rank``
ranks the algorithms, and ``draw`` makes a figure. The last three steps are public as
`optimist.play`, `optimist.rank` and `optimist.plot`. ``optimist compare`` takes all four steps.
"""
