"""Promises that algorithms and environments must keep, as pytest tests that anyone can run.

``optimist check mine.py:Mine`` runs the tests on any class, each test in another process
(`optimist.checks.command`); ``tests/contract`` runs them on every registered class. A test is a
function of one case (`optimist.checks.cases`), and the name of its argument determines the kind of
case.
"""
