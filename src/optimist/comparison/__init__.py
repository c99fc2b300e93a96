"""Comparison of algorithms outside the workflow, in any settings, on the same trials.

`optimist.config.select` finds the cells that the given texts name, ``play`` plays missing trials,
``rank`` makes a table for each setting, and ``draw`` makes a figure. The last three are public as
`optimist.play`, `optimist.rank` and `optimist.plot`. The command ``optimist compare`` calls them.
"""
