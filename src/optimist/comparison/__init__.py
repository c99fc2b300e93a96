"""Algorithms side by side, outside the workflow: any of them, in any settings, on the same trials.

``select`` finds cells by what is typed, ``play`` plays what is missing, ``rank`` makes a table of
each setting and ``draw`` a figure. `optimist.play`, `optimist.rank` and `optimist.plot` are these,
and the command ``optimist compare`` is made of them.
"""
