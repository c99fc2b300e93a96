"""Tests of the promises that every algorithm and environment must keep.

``optimist check mine.py:Mine`` runs the tests on any class, in a separate process
(`optimist.checks.command`). ``tests/contract`` runs them with pytest on every registered class. A
test is a function of one case (`optimist.checks.cases`), and the name of its argument determines
the kind of case.
"""
