"""What classes of algorithms and environments promise, as checks that anybody can run.

``optimist check mine.py:Mine`` runs them on a class from anywhere, and the tests of this repository
on every entry of the registries. A check is a function of a case (`optimist.checks.cases`); it
raises `optimist.checks.base.BrokenError` with what was seen and what is allowed.
"""
