"""Comparison of algorithms outside the workflow, in any settings, on the same trials.

``select`` finds cells from the typed texts, ``play`` plays missing trials, ``rank`` makes a table
of each setting and ``draw`` a figure. They are public as `optimist.play`, `optimist.rank` and
`optimist.plot`. The command ``optimist compare`` calls them.
"""
