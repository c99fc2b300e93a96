"""Comparison of algorithms outside the workflow, in any settings, on the same trials.

`optimist.config.select` finds the cells that the given strings name, ``play`` plays missing
trials, ``rank`` ranks the algorithms, and ``draw`` makes a figure. The last three are public as
`optimist.play`, `optimist.rank` and `optimist.plot`. The command ``optimist compare`` calls them.
"""
